/**
 * Which field is the time of an alert, which its entity, which lists related entities, which names its kind: by what
 * their values do, not by their names.
 *
 * | field   | chosen because                                                                                   |
 * | ------- | ------------------------------------------------------------------------------------------------ |
 * | time    | nearly all values are times, and alerts arrive in their order                                    |
 * | related | its items are values of another field, but not of the same alert: that field is the entity       |
 * | kind    | on equal or related entities, one value comes before another more often than after it            |
 * | entity  | without related entities: where kinds, each with its own entities, show the most such order      |
 *
 * Order is measured in kind-order.ts. A finer field has at least the order of a coarser one, and pairs that hardly
 * recur add nothing. So types win over severities, and over ids and messages.
 *
 * Pure: the same sample gives the same choice.
 */
import { isAttribute, itemsMin, mostTelling, profileOf, type CauseFieldProfile } from './field-profile.js'
import { scalarAt, type FieldSample } from './field-sample.js'
import { orderOf, pairsOf, type Pair, type Relation } from './kind-order.js'

/** The fields that were found, '' for none. */
export interface FoundFields {
  readonly time: string
  readonly id: string
  readonly related: string
  /** The paths that together name the kind; empty for none. */
  readonly kind: readonly string[]
}

/** What is known already, and is not looked for. */
export interface KnownFields {
  /** Paths, '' where it is to be found. */
  readonly time: string
  readonly id: string
  readonly related: string
  readonly kind: readonly string[]
  /** Fields that can be kinds; empty for all. */
  readonly kindAmong: readonly string[]
}

const timeShare = 0.9
const presentShare = 0.5
/** A field that is an entity or a kind has at most this share of values that occur once. */
const idOnceMax = 0.7
const kindOnceMax = 0.3
/** The least share of listed items that are values of the entity. */
const overlapMin = 0.3
/** Alerts this close are compared, milliseconds: whichever shows more order. */
const nearDelays = [60_000, 300_000] as const
/** The least sum for an order that is no chance, in standard deviations; and the least sum. */
const sureDeviations = 4
const sumMin = 12

function timeIn({ alerts }: FieldSample, profiles: readonly CauseFieldProfile[]): number {
  let best = -1
  let fewest = Infinity
  for (const { path, times } of profiles) {
    if (times < timeShare * alerts.length) continue
    let latest = 0
    let back = 0
    for (const alert of alerts) {
      const millis = -(alert[path] as number)
      if (millis < latest) back++
      else latest = millis
    }
    if (back >= fewest) continue
    best = path
    fewest = back
  }
  return best
}

/** The share of listed items that are the entity of another alert, less those of the same one. */
function overlapOf({ alerts }: FieldSample, { id, related }: Relation): number {
  const values = new Set(alerts.map((alert) => scalarAt(alert, id)))
  let items = 0
  let hits = 0
  for (const alert of alerts) {
    const list = alert[related]
    if (typeof list !== 'object') continue
    items += list.length
    for (const item of list) hits += item === scalarAt(alert, id) ? -1 : values.has(item) ? 1 : 0
  }
  return items < itemsMin ? 0 : hits / items
}

/** The list whose items are most often values of another field, and that field. */
function relationIn(sample: FieldSample, profiles: readonly CauseFieldProfile[], fixed: Relation): Relation {
  let best: Relation = { id: -1, related: -1 }
  let most = overlapMin
  const lists = profiles.filter(({ path, lists }) => (fixed.related < 0 ? lists > 0 : path === fixed.related))
  const names = profiles.filter(({ path, distinct }) => (fixed.id < 0 ? distinct > 1 : path === fixed.id))
  for (const { path: related } of lists) {
    for (const { path: id } of names) {
      const share = overlapOf(sample, { id, related })
      if (share <= most) continue
      best = { id, related }
      most = share
    }
  }
  return best
}

interface KindChoice {
  readonly paths: readonly number[]
  readonly sum: number
}

function mayBeKind(profile: CauseFieldProfile, kindAmong: readonly number[]): boolean {
  const { path, present, times, lists, distinct, once } = profile
  const scalars = present - times - lists
  return (
    distinct > 1 &&
    scalars > times + lists &&
    once <= kindOnceMax * scalars &&
    (kindAmong.length === 0 || kindAmong.includes(path))
  )
}

/** Values of the fields together as small numbers, 0 for none: one an alert. */
function kindsAt({ alerts }: FieldSample, paths: readonly number[]): Int32Array {
  const numbers = new Map<string, number>()
  return Int32Array.from(alerts, (alert) => {
    const codes = paths.map((path) => scalarAt(alert, path))
    if (codes.every((code) => code === 0)) return 0
    const key = codes.join(' ')
    const known = numbers.get(key) ?? numbers.size + 1
    numbers.set(key, known)
    return known
  })
}

/** A field, or the fields together where the job names some, as a kind. */
interface KindCandidate {
  readonly paths: readonly number[]
  readonly kinds: Int32Array
}

/** The candidate with the most order near these entities; none without any that is sure. */
function kindIn(candidates: readonly KindCandidate[], pairs: readonly (readonly Pair[])[]): KindChoice {
  let best: KindChoice = { paths: [], sum: 0 }
  for (const { paths, kinds } of candidates) {
    for (const near of pairs) {
      const { sum, sure } = orderOf(near, kinds)
      if (sure >= sureDeviations && sum >= sumMin && sum > best.sum) best = { paths, sum }
    }
  }
  return best
}

/** The field with the most information that still recurs; of words rather than of numbers. */
function likeliestKind({ numbers }: FieldSample, candidates: readonly CauseFieldProfile[]): readonly number[] {
  const words = candidates.filter(({ path, present }) => (numbers[path] as number) < presentShare * present)
  let best: CauseFieldProfile | null = null
  for (const one of words.length > 0 ? words : candidates) if (best === null || one.entropy > best.entropy) best = one
  return best === null ? [] : [best.path]
}

function candidatesOf(
  sample: FieldSample,
  kinds: readonly CauseFieldProfile[],
  { given, areTogether }: { readonly given: readonly number[]; readonly areTogether: boolean },
): KindCandidate[] {
  const singles = kinds.map(({ path }) => [path])
  const choices =
    given.length > 0 ? [given] : areTogether && kinds.length > 1 ? [...singles, kinds.map(({ path }) => path)] : singles
  return choices.map((paths) => ({ paths, kinds: kindsAt(sample, paths) }))
}

/** Finds the fields that are not known. `last`: nothing more will be seen, so the likeliest is better than none. */
export function chooseFields(sample: FieldSample, known: KnownFields, last: boolean): FoundFields {
  const { paths, alerts } = sample
  const profiles = paths
    .map((_, path) => profileOf(sample, path))
    .filter(({ present }) => present >= presentShare * alerts.length)
  const placeOf = (path: string): number => (path === '' ? -1 : paths.indexOf(path))
  const time = known.time === '' ? timeIn(sample, profiles) : placeOf(known.time)
  const fixed = { id: placeOf(known.id), related: placeOf(known.related) }
  let relation = relationIn(sample, profiles, fixed)
  if (relation.id < 0) relation = fixed
  const among = known.kindAmong.map(placeOf).filter((path) => path >= 0)
  const kinds = mostTelling(profiles.filter((profile) => mayBeKind(profile, among)))
  const given = known.kind.map(placeOf)
  const candidates = candidatesOf(sample, kinds, { given, areTogether: among.length > 1 })
  const kindFor = (own: Relation): KindChoice => {
    const isOwn = (path: number): boolean => path === own.id || isAttribute(sample, path, own.id)
    const usable = given.length > 0 ? candidates : candidates.filter(({ paths: used }) => !used.some(isOwn))
    return kindIn(
      usable,
      nearDelays.map((nearMs) => pairsOf(sample, { ...own, time, nearMs })),
    )
  }
  let kind = kindFor(relation)
  if (relation.id < 0) {
    const ids = profiles.filter(({ distinct, once, present, times, lists }) => {
      return distinct > 1 && times + lists === 0 && once <= idOnceMax * present
    })
    for (const { path: id } of mostTelling(ids)) {
      const own = given.includes(id) ? kind : kindFor({ id, related: -1 })
      if (own.sum <= kind.sum) continue
      kind = own
      relation = { id, related: relation.related }
    }
  }
  const found = known.kind.length > 0 ? given : kind.paths
  const likely =
    found.length === 0 && last
      ? likeliestKind(
          sample,
          kinds.filter(({ path }) => path !== relation.id && !isAttribute(sample, path, relation.id)),
        )
      : found
  const nameOf = (path: number): string => (path < 0 ? '' : (paths[path] as string))
  return {
    time: nameOf(time),
    id: nameOf(relation.id),
    related: nameOf(relation.related),
    kind: likely.map(nameOf),
  }
}
