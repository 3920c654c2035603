/**
 * Counts, for each decision point of a job, how many of its latest events have a value there, and about how many
 * different values these are.
 *
 * Owns: the counts and their window. Leaves out: which events are counted (actor/), what follows from the counts
 * (point-faults.ts).
 *
 * 1. The window is that of the latest `windowEvents` to twice as many events: after so many, the counts of the events
 *    before are replaced by the present ones.
 * 2. The same events in the same order give the same counts, however they are spread over turns.
 * 3. A value that may have come before need not be told to `see`: only the number of different values counts. To tell
 *    the same values again in one window changes nothing.
 */
import type { PointValues } from '../event/point-value.js'
import { addHash, distinctOf, hashOfValue, REGISTERS } from './distinct-count.js'

/** The counts as they are stored. The lists are in the order of the decision points. */
export interface PointCounts {
  /** Of the list of decision points (event/decision-points.ts). */
  readonly fingerprint: number
  /** Events since the last change of windows, and those of them that have a value. */
  readonly events: number
  readonly present: readonly number[]
  /** The same for the window before. */
  readonly eventsBefore: number
  readonly presentBefore: readonly number[]
  /** About how many different values there were in both windows. */
  readonly distinct: readonly number[]
  /**
   * What values have come as since the points were set: NUMBERS and TEXTS of event/decision-points.ts. Absent in rows
   * of earlier versions.
   */
  readonly kinds?: readonly number[]
}

/** Events of one window. */
const WINDOW_EVENTS = 10_000

interface TallySettings {
  readonly fingerprint: number
  /** How many decision points there are. */
  readonly points: number
  readonly windowEvents?: number
}

const nonePoints: readonly number[] = []

/** The places of the points without a value, ascending. Most events have all, and share one empty list. */
export function absentPoints(values: PointValues): readonly number[] {
  let absent: number[] | null = null
  for (let i = 0; i < values.length; i++) {
    if (values[i] !== null) continue
    if (absent === null) absent = [i]
    else absent.push(i)
  }
  return absent ?? nonePoints
}

export class PointTally {
  readonly #fingerprint: number
  readonly #points: number
  readonly #windowEvents: number
  /** Changes when the counters of different values begin anew. */
  window = 0
  #events = 0
  #present: number[]
  #eventsBefore = 0
  #presentBefore: number[]
  #distinct: number[]
  readonly #kinds: number[]
  /** The counters of different values: one for each point, then those of the window before. */
  #registers: Uint8Array
  /** Points whose counter has changed since `counts` was called. */
  readonly #stale: Set<number> = new Set()

  /** Goes on from the stored counts and registers, if they are of these decision points. */
  constructor(
    { fingerprint, points, windowEvents = WINDOW_EVENTS }: TallySettings,
    counts: PointCounts | null,
    registers: Uint8Array | null,
  ) {
    this.#fingerprint = fingerprint
    this.#points = points
    this.#windowEvents = windowEvents
    const known = counts?.fingerprint === fingerprint ? counts : null
    const none = (): number[] => new Array<number>(points).fill(0)
    this.#events = known?.events ?? 0
    this.#present = known === null ? none() : [...known.present]
    this.#eventsBefore = known?.eventsBefore ?? 0
    this.#presentBefore = known === null ? none() : [...known.presentBefore]
    this.#distinct = known === null ? none() : [...known.distinct]
    this.#kinds = known?.kinds === undefined ? none() : [...known.kinds]
    const bytes = 2 * points * REGISTERS
    this.#registers = known !== null && registers?.length === bytes ? Uint8Array.from(registers) : new Uint8Array(bytes)
    // The stored registers may be of other decision points: with the first counts they are replaced.
    if (known === null) this.#allStale()
  }

  /** How many more events fit into the window. */
  get room(): number {
    return this.#windowEvents - this.#events
  }

  /** An event has these values, of which some may be new. With `idsOnly` only texts without blanks count. */
  see(values: PointValues, idsOnly: boolean): void {
    for (let i = 0; i < this.#points; i++) {
      const value = values[i] ?? null
      if (value === null || (idsOnly && (typeof value !== 'string' || /\s/.test(value)))) continue
      if (addHash(this.#registers, i * REGISTERS, hashOfValue(value))) this.#stale.add(i)
    }
  }

  /** The values of an event came as these kinds. True if that is new. */
  seeKinds(kinds: Uint8Array): boolean {
    let isNew = false
    for (let i = 0; i < this.#points; i++) {
      const [known, seen] = [this.#kinds[i] as number, kinds[i] as number]
      if ((known | seen) === known) continue
      this.#kinds[i] = known | seen
      isNew = true
    }
    return isNew
  }

  /** Counts events that lack a value at these points; as many as have room. */
  add(absent: readonly number[], events: number): void {
    this.#events += events
    for (let i = 0; i < this.#points; i++) this.#present[i] = (this.#present[i] as number) + events
    for (const i of absent) this.#present[i] = (this.#present[i] as number) - events
    if (this.#events >= this.#windowEvents) this.#beginWindow()
  }

  /** Forgets all: the job has no events any more. */
  clear(): void {
    this.window++
    this.#events = this.#eventsBefore = 0
    this.#present.fill(0)
    this.#presentBefore.fill(0)
    this.#kinds.fill(0)
    this.#registers.fill(0)
    this.#allStale()
  }

  #beginWindow(): void {
    this.window++
    this.#eventsBefore = this.#events
    this.#presentBefore = this.#present
    this.#events = 0
    this.#present = new Array<number>(this.#points).fill(0)
    const half = this.#points * REGISTERS
    this.#registers.copyWithin(half, 0, half)
    this.#registers.fill(0, 0, half)
    this.#allStale()
  }

  #allStale(): void {
    for (let i = 0; i < this.#points; i++) this.#stale.add(i)
  }

  /** The registers, if they have changed since the last call of `counts`; else null. */
  get changedRegisters(): Uint8Array | null {
    return this.#stale.size === 0 ? null : this.#registers
  }

  /** The counts, as values of their own. */
  counts(): PointCounts {
    const half = this.#points * REGISTERS
    for (const i of this.#stale) this.#distinct[i] = distinctOf(this.#registers, i * REGISTERS, half + i * REGISTERS)
    this.#stale.clear()
    return {
      fingerprint: this.#fingerprint,
      events: this.#events,
      present: [...this.#present],
      eventsBefore: this.#eventsBefore,
      presentBefore: [...this.#presentBefore],
      distinct: [...this.#distinct],
      kinds: [...this.#kinds],
    }
  }
}
