/**
 * Whether an event has no value that was seen before the training, labelled or not. Such an event is always an outlier.
 *
 * Owns: which value counts as seen, as new, and as neither. Leaves out: what was seen (features/vocabulary.ts), the
 * score of all other events (outlier-detector.ts).
 *
 * One seen value is enough for an event to be known. Without one, it takes at least one new value. Neither seen nor new
 * are:
 *
 * 1. a missing value and a time;
 * 2. a number within the known range where numbers hardly recur;
 * 3. a text or an address with a seen word or network, or a number within the known range, where new values are usual.
 *
 * In some streams events without any seen value are usual, such as those of ids. There the check is off. The share of
 * such events is measured on known events, each compared with the others.
 */
import type { PointValues } from '../classifier.js'
import type { EventCoder } from '../features/event-coder.js'
import { FeatureTable } from '../features/feature-table.js'
import { PLAIN } from '../features/features.js'
import { signedLog, type PointProfile } from '../features/point-profile.js'
import { numberIn, timeIn } from '../features/written-values.js'
import { hashNumber } from '../hash.js'
import type { ModelReader, ModelWriter } from '../model-bytes.js'

/** New values are usual at a point where more than this share of the known values occurs once. */
const openShare = 0.1
/** The check is off where more than this share of known events has no value that another one has. */
const usualShare = 0.05
/** Measured on at most this many known events. */
export const measuredMax = 2_500

const SEEN = 0
const NEW = 1
const NEITHER = 2

/** The parts of the check, as stored. */
interface Parts {
  readonly isOn: boolean
  /** By point: 1 where new values are usual. */
  readonly open: Uint8Array
  /** Numbers that recur at points where most do not. */
  readonly recurring: Int32Array
}

function isMissing(value: PointValues[number] | undefined): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

function isWithin(number: number, { low, high }: PointProfile): boolean {
  const log = signedLog(number)
  return log >= low && log <= high
}

/** The number at a point where numbers are no categories; NaN for any other value. */
function measureAt(values: PointValues, point: number, profile: PointProfile): number {
  if (profile.exact) return Number.NaN
  const number = numberIn(values[point] ?? null, profile.reading)
  return Number.isFinite(number) ? number : Number.NaN
}

export class UnseenValues {
  readonly #parts: Parts
  readonly #recurring: FeatureTable

  private constructor(parts: Parts) {
    this.#parts = parts
    this.#recurring = new FeatureTable(parts.recurring.length)
    for (const hash of parts.recurring) this.#recurring.add(hash)
  }

  /** From known events, which the coder's counts include. */
  static of(coder: EventCoder, known: readonly PointValues[]): UnseenValues {
    const { profiles } = coder.encoder
    const present = new Float64Array(profiles.length)
    const once = new Float64Array(profiles.length)
    const counts = new Map<number, number>()
    for (const values of known) {
      coder.code(values)
      for (const [point, profile] of profiles.entries()) {
        if (isMissing(values[point])) continue
        present[point] = (present[point] as number) + 1
        const measure = measureAt(values, point, profile)
        if (Number.isNaN(measure)) once[point] = (once[point] as number) + (coder.seenAt(point) <= 1 ? 1 : 0)
        else counts.set(hashNumber(point, measure), (counts.get(hashNumber(point, measure)) ?? 0) + 1)
      }
    }
    const parts = {
      isOn: true,
      open: Uint8Array.from(present, (count, point) => ((once[point] as number) > openShare * count ? 1 : 0)),
      recurring: Int32Array.from([...counts].filter(([, count]) => count > 1).map(([hash]) => hash)),
    }
    const check = new UnseenValues(parts)
    let alone = 0
    for (const values of known) {
      coder.code(values)
      if (check.holds(values, coder, 1)) alone++
    }
    return alone > usualShare * known.length ? new UnseenValues({ ...parts, isOn: false }) : check
  }

  static read(from: ModelReader): UnseenValues {
    const isOn = from.u8() === 1
    return new UnseenValues({ isOn, open: from.u8s(), recurring: from.i32s() })
  }

  write(to: ModelWriter): void {
    to.u8(this.#parts.isOn ? 1 : 0)
    to.u8s(this.#parts.open)
    to.u32s(this.#parts.recurring)
  }

  /**
   * True where no value of the event that the coder has just coded was seen. `times` is how often a new value was seen:
   * 1 for an event that is itself among the known ones.
   */
  holds(values: PointValues, coder: EventCoder, times = 0): boolean {
    if (!this.#parts.isOn) return false
    let isNew = false
    for (let point = 0; point < this.#parts.open.length; point++) {
      const what = this.#at(values, coder, point, times)
      if (what === SEEN) return false
      if (what === NEW) isNew = true
    }
    return isNew
  }

  /** True where `holds` is false for any event with this value, which the coder has just coded. */
  hasSeen(values: PointValues, coder: EventCoder, point: number): boolean {
    return !this.#parts.isOn || this.#at(values, coder, point, 0) === SEEN
  }

  #at(values: PointValues, coder: EventCoder, point: number, times: number): number {
    const value = values[point] ?? null
    if (isMissing(value)) return NEITHER
    const profile = coder.encoder.profiles[point] as PointProfile
    const measure = measureAt(values, point, profile)
    if (!Number.isNaN(measure)) {
      if (this.#recurring.find(hashNumber(point, measure)) >= 0) return SEEN
      return isWithin(measure, profile) ? NEITHER : NEW
    }
    // The coder counts hours, not times.
    if (typeof value === 'string' && !Number.isNaN(timeIn(value, profile.reading))) return NEITHER
    if (coder.seenAt(point) > times) return SEEN
    if (profile.listed) return this.#hasSeenPart(coder, point, times) ? SEEN : NEW
    if (this.#parts.open[point] === 0) return NEW
    const number = numberIn(value, profile.reading)
    const isUsual = Number.isNaN(number) ? this.#hasSeenPart(coder, point, times) : isWithin(number, profile)
    return isUsual ? NEITHER : NEW
  }

  /** A word, a network or an item of the value was seen. */
  #hasSeenPart(coder: EventCoder, point: number, times: number): boolean {
    const { atomAt, kinds, count } = coder.encoder
    let end = count
    for (let next = point + 1; next < atomAt.length; next++) {
      if ((atomAt[next] as number) < 0) continue
      end = atomAt[next] as number
      break
    }
    for (let j = (atomAt[point] as number) + 1; j < end; j++)
      if (kinds[j] === PLAIN && coder.countAt(j) > times) return true
    return false
  }
}
