/**
 * Events under an id that another event has: the id of their own that they get within one request (S32), and whether
 * one is a new version of the other or something else.
 *
 * Leaves out: what is stored (actor/event-intake.ts).
 */
import { createHash } from 'node:crypto'
import { limits } from '../../limits.js'

const HASH_CHARS = 12

/**
 * The id of an event whose id another event of its request has: that id and a hash of the content. The same content has
 * the same, so a request that is sent again makes no more events.
 */
export function ownIdOf(id: string, content: unknown): string {
  const hash = createHash('sha256').update(canonical(content)).digest('hex').slice(0, HASH_CHARS)
  const room = limits.eventIdBytesMax - HASH_CHARS - 1
  return `${Buffer.byteLength(id) <= room ? id : createHash('sha256').update(id).digest('hex')}-${hash}`
}

/** JSON text that does not depend on the order of fields. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(',')}}`
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
    if (isFields(before) && isFields(after)) {
      const names = new Set([...Object.keys(before), ...Object.keys(after)])
      return [...names].every((inner) => this.agree(own(before, inner), own(after, inner), inner))
    }
    return isNothing(before) || isNothing(after)
  }
}

type Fields = Readonly<Record<string, unknown>>

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

/** A field that came or went says nothing of what the event is about. */
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
