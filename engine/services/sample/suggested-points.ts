/**
 * Which fields of a sample may decide: those that come again, say something, and together leave few buckets.
 *
 * Owns: the choice, and its reasons. Leaves out: values (field-profile.ts), events (domain/event/input/).
 *
 * 1. A field whose name says that it is the rule, the action or the like comes first, then those that say most.
 * 2. A field that tells the time or the host by another name is left out (leakage.ts).
 * 3. A field is taken while the buckets stay large enough to learn from. One that follows from those before is left
 *    out.
 * 4. A field with the answers of people never decides (domain/event/input/answers.ts).
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
const MAX_POINTS = 6
const COVERAGE_MIN = 0.5
/** Events in a bucket, on average, at least. */
const BUCKET_EVENTS_MIN = 4
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
  time: 'Its values follow the time: later events have new ones, so what is learned does not last.',
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
  /** Fields with answers. */
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
  open.sort((a, b) => rankOf(a) - rankOf(b) || b.entropy - a.entropy || (a.name < b.name ? -1 : 1))
  const points: string[] = []
  let groups: Int32Array = new Int32Array(events)
  let count = events === 0 ? 0 : 1
  for (const profile of open) {
    const next = refined(groups, profile.codes)
    const values = profile.values.size
    const told = `${percent(profile.events, events)} of the events have it, with ${values} different values`
    if (next.count <= count * 1.01) reasons.set(profile.name, 'Already implied by the suggested fields.')
    else if (next.count * BUCKET_EVENTS_MIN > events && points.length > 0)
      reasons.set(profile.name, `${told}, but it would make buckets too small.`)
    else if (points.length >= MAX_POINTS) reasons.set(profile.name, `${told}. Enough others are suggested.`)
    else {
      points.push(profile.name)
      ;({ groups, count } = next)
      reasons.set(profile.name, `${told}, which repeat.`)
    }
  }
  return { points, reasons }
}
