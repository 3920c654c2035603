/**
 * Which fields of a sample may decide: those that come again, say something, and together leave buckets that do, too.
 *
 * Owns: the choice, and its reasons. Leaves out: values (field-profile.ts), events (domain/event/input/).
 *
 * 1. Where the sample has the answers of people, the fields that tell most about them come first. Else a field whose
 *    name says that it is the rule, the action or the like comes first, then those that say most.
 * 2. A field that tells the time or the host by another name is left out (leakage.ts).
 * 3. A field is taken while the next event probably falls into a bucket that is known: the share of events that are
 *    not alone in their bucket (Good-Turing). The mean size of buckets would leave out telling fields, because a stream
 *    has a few large buckets and many small ones.
 * 4. A field that follows from those before adds no buckets. If it is coarser than each of them it is taken: it says
 *    which of their values are alike. If it is another name for one of them, it is left out.
 * 5. A field with the answers of people never decides (domain/event/input/answers.ts).
 */
import type { Leakage } from '../../api/live/sample-service.js'
import type { FieldProfile } from './field-profile.js'

/** How fields of security events are named that analysts look at first, from the most telling on. */
const NAMES: readonly RegExp[] = [
  /(^|[._])(rule|signature|alert|detection|event_?name|event_?id|query_?name|check)([._](name|id|title|code))?$/i,
  /(^|[._])(action|activity|operation|event_?type|type|technique|tactic|category|kind)([._]?name)?$/i,
  /(^|[._])(severity|priority|level|risk|criticality|outcome|status|result|verdict)$/i,
  /(^|[._])(product|vendor|source|sensor|provider|dataset|module|service|app|application)([._]?name)?$/i,
  /(^|[._])(host|device|asset|agent|computer|zone|os|role|group)([._](name|type|os|role|criticality))?$/i,
  /(^|[._])(user|account|process|file|protocol|port|country|direction)([._]name)?$/i,
]
const MAX_POINTS = 8
const COVERAGE_MIN = 0.5
/** The share of events that are not alone in their bucket. */
const KNOWN_MIN = 0.9
/** A field that follows from another one, and has more than this share of its values, is another name for it. */
const SAME_VALUES = 0.5
const LARGEST = 50

export interface Choice {
  readonly points: readonly string[]
  /** By field: why it was chosen, or why not. */
  readonly reasons: ReadonlyMap<string, string>
}

export interface BucketFigures {
  readonly buckets: number
  readonly largestShare: number
}

/** Each event's bucket when a field is added to those before. */
function refined(groups: Int32Array, codes: Int32Array): { readonly groups: Int32Array; readonly count: number } {
  const numbers = new Map<number, number>()
  const result = new Int32Array(groups.length)
  for (let at = 0; at < groups.length; at++) {
    const key = (groups[at] as number) * 2 ** 21 + (codes[at] as number) + 1
    let number = numbers.get(key)
    if (number === undefined) numbers.set(key, (number = numbers.size))
    result[at] = number
  }
  return { groups: result, count: numbers.size }
}

/** The share of events that are not alone in their group. */
function knownShare(groups: Int32Array, count: number): number {
  const sizes = new Int32Array(count)
  for (const group of groups) sizes[group]!++
  let alone = 0
  for (const size of sizes) if (size === 1) alone++
  return groups.length === 0 ? 0 : 1 - alone / groups.length
}

/** True if a field follows from one of these, and is hardly coarser: another name for it. */
function isOtherName(profile: FieldProfile, taken: readonly FieldProfile[]): boolean {
  return taken.some(({ codes, values }) => {
    const { count } = refined(refined(new Int32Array(codes.length), codes).groups, profile.codes)
    return count <= values.size * 1.05 + 1 && profile.values.size > SAME_VALUES * values.size
  })
}

/** Bits that a field tells about the answers, without what chance alone would tell (Miller and Madow). */
function bitsAbout(answers: FieldProfile, { codes, values }: FieldProfile): number {
  const joint = new Map<number, number>()
  const [ofAnswer, ofValue] = [new Int32Array(answers.values.size), new Int32Array(values.size + 1)]
  let all = 0
  for (let at = 0; at < codes.length; at++) {
    const answer = answers.codes[at] as number
    if (answer < 0) continue
    const value = (codes[at] as number) + 1
    all++
    ofAnswer[answer]!++
    ofValue[value]!++
    const key = answer * 2 ** 21 + value
    joint.set(key, (joint.get(key) ?? 0) + 1)
  }
  const entropy = (counts: Iterable<number>): number => {
    let [bits, different] = [0, 0]
    for (const count of counts) {
      if (count === 0) continue
      different++
      bits -= (count / all) * Math.log2(count / all)
    }
    return bits + (different - 1) / (2 * all * Math.LN2)
  }
  return all === 0 ? 0 : entropy(ofAnswer) + entropy(ofValue) - entropy(joint.values())
}

/** Number of buckets, and the share of events in the largest. Events without any value are in one of them. */
export function bucketFigures(points: readonly FieldProfile[], events: number): BucketFigures {
  let groups: Int32Array = new Int32Array(events)
  let count = events === 0 ? 0 : 1
  for (const { codes } of points) ({ groups, count } = refined(groups, codes))
  const sizes = new Int32Array(count)
  for (const group of groups) sizes[group]!++
  const largest = sizes.sort().subarray(-LARGEST)
  return { buckets: count, largestShare: events === 0 ? 0 : largest.reduce((sum, size) => sum + size, 0) / events }
}

function rankOf({ name }: FieldProfile): number {
  const at = NAMES.findIndex((pattern) => pattern.test(name))
  return at < 0 ? NAMES.length : at
}

const leakageReasons: Readonly<Record<Leakage, string>> = {
  time: 'Its values say when an event was rather than what it is, so what is learned does not last.',
  host: 'Each of its values is of one host, so what is learned holds for that host alone.',
}

/** Why a field is not suggested whatever the others are; null where it may be. */
function faultOf(profile: FieldProfile, { events, leakages, answers }: Sampled): string | null {
  const { kind } = profile
  const leakage = leakages.get(profile.name)
  if (answers.includes(profile.name))
    return 'It has answers that people gave. They are votes, and decide nothing by themselves.'
  if (kind === 'time') return 'It is a time; timestamps do not repeat.'
  if (kind === 'id') return 'It looks like an id: nearly every event has another value.'
  if (kind === 'text') return 'It is free text, which rarely repeats.'
  if (kind === 'number') return 'It has many different numbers and would make buckets too small.'
  if (profile.values.size < 2) return 'It always has the same value.'
  if (profile.events < COVERAGE_MIN * events) return `Only ${percent(profile.events, events)} of the events have it.`
  return leakage === undefined ? null : leakageReasons[leakage]
}

function percent(part: number, whole: number): string {
  return `${Math.round((100 * part) / whole)} %`
}

/** What is known of a sample. */
export interface Sampled {
  readonly events: number
  readonly leakages: ReadonlyMap<string, Leakage>
  /** Fields with answers, the surest first. */
  readonly answers: readonly string[]
}

export function suggestPoints(profiles: readonly FieldProfile[], sampled: Sampled): Choice {
  const { events } = sampled
  const reasons = new Map<string, string>()
  const open: FieldProfile[] = []
  for (const profile of profiles) {
    const fault = faultOf(profile, sampled)
    if (fault === null) open.push(profile)
    else reasons.set(profile.name, fault)
  }
  const given = profiles.find(({ name }) => name === sampled.answers[0])
  const bits = new Map(open.map((profile) => [profile, given === undefined ? 0 : bitsAbout(given, profile)]))
  const told = (profile: FieldProfile): number => bits.get(profile) as number
  open.sort((a, b) => told(b) - told(a) || rankOf(a) - rankOf(b) || b.entropy - a.entropy || (a.name < b.name ? -1 : 1))
  const taken: FieldProfile[] = []
  let groups: Int32Array = new Int32Array(events)
  let count = events === 0 ? 0 : 1
  for (const profile of open) {
    const next = refined(groups, profile.codes)
    const { size } = profile.values
    const says = `${percent(profile.events, events)} of the events have it, with ${size} different values`
    const follows = next.count <= count * 1.01
    if (follows && isOtherName(profile, taken)) reasons.set(profile.name, 'Another name for a suggested field.')
    else if (taken.length >= MAX_POINTS) reasons.set(profile.name, `${says}. Enough others are suggested.`)
    else if (!follows && taken.length > 0 && knownShare(next.groups, next.count) < KNOWN_MIN)
      reasons.set(profile.name, `${says}, but it would make too many buckets of one event.`)
    else {
      taken.push(profile)
      ;({ groups, count } = next)
      reasons.set(profile.name, follows ? coarser : `${says}, which repeat.`)
    }
  }
  return { points: taken.map(({ name }) => name), reasons }
}

const coarser = 'Implied by the suggested fields: it adds no buckets, and says which values are alike.'
