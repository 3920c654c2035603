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
 * 4. In the order `need`, `next` names both ends of the events that are ordered. Pages read them again between these
 *    ends. An answer takes its event out, and no older event comes in its place: it would be at a place that was shown
 *    already, and in no page.
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

/** A page of the queue; null where `after` is no place in it. `nowMs` counts milliseconds from any origin. */
export function queueOf(
  environment: Environment,
  job: JobSettings,
  query: QueueQuery,
  nowMs: () => number,
): QueuePage | null {
  const { after, order, size } = query
  const place = after === undefined ? { before: TIME_MAX, shown: null } : placeOf(after)
  if (place === null || (place.shown !== null && order === 'newest')) return null
  const walk = new Walk(environment, job, nowMs() + autonomyBounds.queueMs, nowMs)
  return order === 'newest' ? newest(walk, place.before, size) : byNeed(walk, place, size)
}

function newest(walk: Walk, before: number, size: number): QueuePage {
  const found = walk.find(before, size)
  return { events: found.map(({ event }) => event), next: walk.endedAt === null ? null : eventIdOf(walk.endedAt) }
}

function byNeed(walk: Walk, { before, shown }: Place, size: number): QueuePage {
  const found = shown === null ? walk.find(before, autonomyBounds.queueNeedEvents) : walk.between(shown.from, before)
  const from = shown === null ? (walk.endedAt ?? 0) : shown.from
  const to = shown === null ? (found[0]?.micros ?? 0) + 1 : before
  const rest = found
    .filter(({ need, micros }) => shown === null || need < shown.need || (need === shown.need && micros < shown.micros))
    .sort((a, b) => b.need - a.need || b.micros - a.micros)
  const page = rest.slice(0, size)
  const last = page.at(-1)
  const events = page.map(({ event }) => event)
  if (last !== undefined && rest.length > page.length)
    return { events, next: `${eventIdOf(to)}.${eventIdOf(from)}.${eventIdOf(last.micros)}.${last.need}` }
  return { events, next: from === 0 ? null : eventIdOf(from) }
}

interface Place {
  /** The page has events from before this time. */
  readonly before: number
  /** In the order of need: where the ordered events begin, and the last one that was shown; null before all of them. */
  readonly shown: { readonly from: number; readonly micros: number; readonly need: number } | null
}

function placeOf(text: string): Place | null {
  const [before = null, from = null, micros = null, ...rest] = text.split('.').map((part, i) => {
    return i < 3 ? microsOfEventId(part) : null
  })
  if (before === null) return null
  if (!text.includes('.')) return { before, shown: null }
  const need = Number(text.split('.').slice(3).join('.'))
  const isWhole = from !== null && micros !== null && rest.length > 0 && Number.isFinite(need)
  return isWhole ? { before, shown: { from, micros, need } } : null
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
    const found: Found[] = []
    let seen = 0
    this.#scan(0, before, found, (micros) => {
      const isOver = ++seen % CHECK_EVENTS === 0 && this.#nowMs() > this.#untilMs
      if (!isOver && found.length < count) return true
      this.endedAt = micros
      return false
    })
    return found
  }

  /** The same from a time on. An earlier walk passed through these events, so they are few enough. */
  between(from: number, before: number): Found[] {
    const found: Found[] = []
    this.#scan(from, before, found, () => true)
    return found
  }

  #scan(from: number, before: number, found: Found[], goOn: (micros: number) => boolean): void {
    const { id } = this.#job
    const to = before >= TIME_MAX ? timeKey(id + 1, 0) : timeKey(id, before)
    this.#environment.scan('events', { from: timeKey(id, from), to, reverse: true }, (key, value) => {
      const micros = timeOfKey(key)
      const autonomy = autonomyOf(value)
      if (autonomy === 'review' || autonomy === 'audit') this.#take(micros, value, found)
      return goOn(micros)
    })
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
