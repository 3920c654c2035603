/**
 * Fields whose values tell more about when or where an event was than about what it is.
 *
 * Owns: both tests. Leaves out: what follows for the choice of decision points (suggested-points.ts).
 *
 * 1. By time: values come again, but those of the later half of the events were not there in the earlier half. What is
 *    learned from such a field does not last: a batch, a version, a day. A part of a time, such as an hour, is known by
 *    its name.
 * 2. By host: each value is of one host, so the field says which host it is by another name.
 */
import type { Leakage } from '../../api/live/sample-service.js'
import type { FieldProfile } from './field-profile.js'

/** Parts of a time by their names: their values come again, and say when an event was. */
const TIME_PART = /(^|[._])(hour|weekday|day|dow|week|month|minute)(_?of_?(the_?)?(day|week|month|year|hour))?$/i
const EVENTS_MIN = 40
const VALUES_MIN = 4
/** A field leaks by time if so little of what was expected to come again does. */
const KNOWN_MAX = 0.5
const EXPECTED_MIN = 0.5
const HOSTS_MIN = 5
/** Events of each value, on average. With fewer, one host for each says nothing. */
const EVENTS_OF_VALUE_MIN = 3
const ONE_HOST_SHARE = 0.98
const HOST_NAME = /(^|[._])(host|hostname|computer|device|asset|agent|machine|endpoint|node)([._]?(name|id))?$/i

/** Events in the order of the first field that is a time, else as they came. */
function orderOf(profiles: readonly FieldProfile[], events: number): Int32Array {
  const order = Int32Array.from({ length: events }, (_, at) => at)
  const clock = profiles.find((profile) => profile.kind === 'time' && profile.events > 0.9 * events)
  if (clock === undefined) return order
  const times = [...clock.values.keys()].map((text) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : Date.parse(text)))
  const timeOf = (at: number): number => {
    const time = times[clock.codes[at] as number]
    return time === undefined || Number.isNaN(time) ? Number.MAX_VALUE : time
  }
  return order.sort((a, b) => timeOf(a) - timeOf(b) || a - b)
}

function leaksByTime({ codes, values, events }: FieldProfile, order: Int32Array): boolean {
  if (events < EVENTS_MIN || values.size < VALUES_MIN) return false
  const counts = [...values.values()].map(({ count }) => count)
  const seen = new Uint8Array(values.size)
  let [passed, later, known, expected] = [0, 0, 0, 0]
  for (const at of order) {
    const code = codes[at] as number
    if (code < 0) continue
    if (2 * passed++ < events) {
      seen[code] = 1
      continue
    }
    later++
    known += seen[code] as number
    // Each other event with the value is in the earlier half with probability one half, if time plays no part.
    expected += 1 - 0.5 ** ((counts[code] as number) - 1)
  }
  return expected > EXPECTED_MIN * later && known < KNOWN_MAX * expected
}

function leaksByHost(profile: FieldProfile, host: FieldProfile): boolean {
  const { codes, values, events } = profile
  if (profile === host || HOST_NAME.test(profile.name)) return false
  if (values.size < HOSTS_MIN || events < EVENTS_OF_VALUE_MIN * values.size) return false
  const pairs = new Map<number, number>()
  for (let at = 0; at < codes.length; at++) {
    const [code, on] = [codes[at] as number, host.codes[at] as number]
    if (code < 0 || on < 0) continue
    const key = code * 2 ** 21 + on
    pairs.set(key, (pairs.get(key) ?? 0) + 1)
  }
  const largest = new Map<number, number>()
  let all = 0
  for (const [key, count] of pairs) {
    const code = Math.floor(key / 2 ** 21)
    all += count
    largest.set(code, Math.max(largest.get(code) ?? 0, count))
  }
  const ofOne = [...largest.values()].reduce((sum, count) => sum + count, 0)
  return all >= EVENTS_MIN && ofOne >= ONE_HOST_SHARE * all
}

/** What each field of the sample leaks by; fields that leak by nothing are left out. */
export function leakagesOf(profiles: readonly FieldProfile[], events: number): ReadonlyMap<string, Leakage> {
  const found = new Map<string, Leakage>()
  const order = orderOf(profiles, events)
  const host = profiles.find(
    ({ name, values, events: held }) => HOST_NAME.test(name) && values.size >= HOSTS_MIN && held > 0.5 * events,
  )
  for (const profile of profiles) {
    if (profile.kind !== 'category') continue
    if (TIME_PART.test(profile.name) || leaksByTime(profile, order)) found.set(profile.name, 'time')
    else if (host !== undefined && leaksByHost(profile, host)) found.set(profile.name, 'host')
  }
  return found
}
