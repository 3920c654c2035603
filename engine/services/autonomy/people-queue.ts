/**
 * The queue of people: events of a job that somebody has to look at. Audits are among them, unmarked.
 *
 * Owns: which events are in the queue, and their order. Leaves out: voting, which takes them out of it.
 *
 * 1. In the queue is what no gate settled and nobody has voted on. An audit that is asked of a second person stays
 *    until two have answered.
 * 2. `newest` walks back in time. `need` orders the latest of them: without a decision and outliers first, then the
 *    least confident. An audit takes a place by a hash of its time, because by its confidence it would come last
 *    and be told from the rest.
 * 3. A page ends when its time is over, and says where the next one begins.
 */
import { createHash } from 'node:crypto'
import { autonomyBounds } from '../../domain/autonomy/bounds.js'
import { eventIdOf, microsOfEventId } from '../../domain/event/event-id.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { QueuedEvent, QueuePage, QueueQuery } from '../../api/autonomy-service.js'
import type { Environment } from '../../store/environment.js'
import { clientIdOf, decodeHeader, type RecordHeader } from '../../store/event-record.js'
import { autonomyOf } from '../../store/record-header.js'
import { timeKey, timeOfKey } from '../../store/tables.js'
import { readAudit } from '../../actor/autonomy/audit-rows.js'

/** The walk checks its time after so many events. */
const CHECK_EVENTS = 64
const TIME_MAX = Number.MAX_SAFE_INTEGER

interface Found {
  readonly micros: number
  readonly event: QueuedEvent
  readonly need: number
}

/** A page of the queue; null where the cursor is none. `nowMs` counts milliseconds from any origin. */
export function queueOf(
  environment: Environment,
  job: JobSettings,
  query: QueueQuery,
  nowMs: () => number,
): QueuePage | null {
  const cursor = query.after === undefined ? null : cursorOf(query.after)
  if (query.after !== undefined && (cursor === null || (cursor.need !== null) !== (query.order === 'need'))) return null
  const untilMs = nowMs() + autonomyBounds.queueMs
  return query.order === 'newest'
    ? newest(new Walk(environment, job, untilMs, nowMs), cursor?.before ?? TIME_MAX, query.size)
    : byNeed(new Walk(environment, job, untilMs, nowMs), cursor, query.size)
}

function newest(walk: Walk, before: number, size: number): QueuePage {
  const found = walk.find(before, size)
  return { events: found.map(({ event }) => event), next: walk.endedAt === null ? null : eventIdOf(walk.endedAt) }
}

function byNeed(walk: Walk, cursor: Cursor | null, size: number): QueuePage {
  const before = cursor?.before ?? TIME_MAX
  const window = walk.find(before, autonomyBounds.queueNeedEvents)
  const first = cursor === null ? (window[0]?.micros ?? 0) + 1 : before
  const ordered = window.sort((a, b) => b.need - a.need || b.micros - a.micros)
  const rest = ordered.filter(({ need, micros }) => cursor === null || isAfter(need, micros, cursor))
  const page = rest.slice(0, size)
  const last = page.at(-1)
  const events = page.map(({ event }) => event)
  if (last !== undefined && rest.length > page.length)
    return { events, next: `${eventIdOf(first)}.${last.need}.${last.micros}` }
  return { events, next: walk.endedAt === null ? null : `${eventIdOf(walk.endedAt)}.9.0` }
}

interface Cursor {
  /** The page has events from before this time. */
  readonly before: number
  /** In the order of need: the last event of the page before. */
  readonly need: number | null
  readonly micros: number
}

function isAfter(need: number, micros: number, cursor: Cursor): boolean {
  const last = cursor.need ?? 9
  return need < last || (need === last && micros < cursor.micros)
}

function cursorOf(text: string): Cursor | null {
  const [first = '', ...rest] = text.split('.')
  const before = microsOfEventId(first)
  if (before === null) return null
  if (rest.length === 0) return { before, need: null, micros: 0 }
  const micros = Number(rest.at(-1))
  const need = Number(rest.slice(0, -1).join('.'))
  return Number.isFinite(need) && Number.isSafeInteger(micros) && rest.length > 1 ? { before, need, micros } : null
}

class Walk {
  readonly #environment: Environment
  readonly #job: JobSettings
  readonly #untilMs: number
  readonly #nowMs: () => number
  /** The time of the last event looked at, where there are more; null where the walk came to the end. */
  endedAt: number | null = null

  constructor(environment: Environment, job: JobSettings, untilMs: number, nowMs: () => number) {
    this.#environment = environment
    this.#job = job
    this.#untilMs = untilMs
    this.#nowMs = nowMs
  }

  /** Events of the queue from before a time, latest first. */
  find(before: number, count: number): Found[] {
    const { id } = this.#job
    const found: Found[] = []
    let seen = 0
    const to = before >= TIME_MAX ? timeKey(id + 1, 0) : timeKey(id, before)
    this.#environment.scan('events', { from: timeKey(id, 0), to, reverse: true }, (key, value) => {
      const micros = timeOfKey(key)
      const autonomy = autonomyOf(value)
      if (autonomy === 'review' || autonomy === 'audit') this.#take(micros, value, found)
      const isOver = ++seen % CHECK_EVENTS === 0 && this.#nowMs() > this.#untilMs
      if (!isOver && found.length < count) return true
      this.endedAt = micros
      return false
    })
    return found
  }

  #take(micros: number, value: Uint8Array, found: Found[]): void {
    const record = Buffer.from(value)
    const header = decodeHeader(record)
    if (header.hasFeedback && !this.#asksSecond(header, micros)) return
    const label = this.#job.labels[header.label]
    found.push({
      micros,
      need: needOf(header, micros),
      event: {
        eventId: clientIdOf(record) ?? eventIdOf(micros),
        ingestMicros: micros,
        result: label?.id ?? '',
        resultLabel: label?.name ?? '',
        confidenceScore: header.confidence / 100,
        outlier: header.outlier,
        bucketId: header.bucketId === null ? null : Buffer.from(header.bucketId).toString('hex'),
      },
    })
  }

  #asksSecond({ autonomy }: RecordHeader, micros: number): boolean {
    if (autonomy !== 'audit') return false
    const audit = readAudit(this.#environment, this.#job.id, micros)
    return audit?.second === true && audit.analysts < 2
  }
}

/** 0 to 1: the larger, the sooner. */
function needOf({ autonomy, label, outlier, confidence }: RecordHeader, micros: number): number {
  if (autonomy === 'audit') return createHash('sha256').update(String(micros)).digest().readUInt16BE(0) / 2 ** 16
  if (label < 0 || outlier) return 1
  return Math.round(1e4 - confidence) / 1e4
}
