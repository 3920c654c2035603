/**
 * Events under an id that another event has: the id of their own that they get within one request (S32), and whether
 * one is a new version of the other or something else.
 *
 * Leaves out: what is stored (actor/event-intake.ts).
 */
import { limits } from '../../limits.js'
import { contentHash } from './client-id.js'
import { isJsonObject } from './json.js'

const HASH_CHARS = 12

/**
 * The id of an event whose id another event of its request has: that id and a hash of the content. The same content has
 * the same, so a request that is sent again makes no more events.
 */
export function ownIdOf(id: string, content: unknown): string {
  const room = limits.eventIdBytesMax - HASH_CHARS - 1
  const kept = Buffer.byteLength(id) <= room ? id : contentHash(id, 64)
  return `${kept}-${contentHash(content, HASH_CHARS)}`
}

/**
 * Words in names of fields that change while an alert goes on: times, counters, how far it has been handled. A name is
 * split at its capitals and at what is no letter.
 */
const changing: ReadonlySet<string> = new Set(
  (
    'time times timestamp date datetime ts at since until duration age uptime latency elapsed expires expiry ' +
    'count counts counter total sequence seq offset revision version generation attempt attempts ' +
    'retry retries delivery hits occurrences repeated ' +
    'status state phase stage resolution resolved closed ended updated modified changed last latest current ' +
    'received ingested sent acknowledged assigned assignee owner comment comments note notes progress'
  ).split(' '),
)

/** Values that are compared; further ones count as equal. */
const LOOKS_MAX = 5_000

/**
 * True if all that differs are fields that change by nature: then the second body is a new version of the first, and
 * else probably another event with the same id.
 */
export function isNewVersion(before: unknown, after: unknown): boolean {
  return new Comparison().agree(before, after, '')
}

class Comparison {
  #looks = 0

  /** `name`: that of the field that holds both. */
  agree(before: unknown, after: unknown, name: string): boolean {
    if (++this.#looks > LOOKS_MAX || before === after || isChanging(name)) return true
    if (isTime(before) && isTime(after)) return true
    if (Array.isArray(before) && Array.isArray(after)) {
      // A list may grow: items that came are new, and none that was there is another one.
      return before.slice(0, after.length).every((item, at) => this.agree(item, after[at], ''))
    }
    if (isJsonObject(before) && isJsonObject(after)) {
      const names = new Set([...Object.keys(before), ...Object.keys(after)])
      return [...names].every((inner) => this.agree(own(before, inner), own(after, inner), inner))
    }
    // A field may have come since, and `4625` is `"4625"`.
    return isNothing(before) || (isScalar(before) && isScalar(after) && String(before) === String(after))
  }
}

type Fields = Readonly<Record<string, unknown>>

function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

function isScalar(value: unknown): boolean {
  return !isNothing(value) && !Array.isArray(value) && !isJsonObject(value)
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(value)
}

function isChanging(name: string): boolean {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => changing.has(word))
}
