/**
 * Enrichment results: stored with their event, which is then decided.
 *
 * Owns: the message that brings results, the event's field `enrichment`, the row of what each step found. Leaves out:
 * requests (enricher.ts), deadlines (enrichment-deadlines.ts), deciding (redecision.ts).
 *
 * 1. An event is decided once: the commit that decides it deletes its entry in `awaited`. A message about an event that
 *    does not wait changes nothing.
 * 2. Under `enrichment` the names of the steps are ours, even where a step found nothing: what the client sent there is
 *    replaced. The row keeps it, so that the same event is recognized when it comes again (S6).
 * 3. Votes on the event from before it was decided move with it (voting.ts).
 * 4. Fields that do not fit (an event has a limited number of them) are left out, and the row says so. The event is
 *    decided all the same.
 * 5. The thread that makes the requests learns of a change of the job a little later. Results for a stopped job are
 *    brought again. Results of a step that the job does not have any more are left out.
 */
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'
import { enriches, type JobSettings } from '../domain/job/job.js'
import type { BodyCodec } from '../store/body-codec.js'
import { decodeContent, withBody } from '../store/event-record.js'
import {
  decodeEnrichments,
  encodeEnrichments,
  ENRICHMENT,
  type EnrichmentNote,
  type EnrichmentRow,
} from '../store/enrichment-row.js'
import { jobRange, timeKey, timeOfKey } from '../store/tables.js'
import type { ActorDeps } from './actor-deps.js'
import { eventAt, type FoundEvent, type Reads } from './event-table.js'
import type { Message } from './message.js'
import { decideAgain } from './redecision.js'
import { isJsonObject } from '../domain/event/json.js'

/** The enrichment of one event, step by step. */
export interface EnrichedEvent {
  /** Ingest time of the event. */
  readonly micros: number
  readonly steps: readonly EnrichedStep[]
}

export interface EnrichedStep extends EnrichmentNote {
  /** The integration that the request went to; absent where there was no request. */
  readonly integrationId?: number
  /** Absent where the step has failed. */
  readonly fields?: Readonly<Record<string, unknown>>
}

/** The body of an `enriched` message. */
export type EnrichedCommand =
  | { readonly op: 'bring'; readonly events: readonly EnrichedEvent[] }
  /** Events up to that ingest time are decided without enrichment. `steps` says why. */
  | { readonly op: 'give_up'; readonly through: number; readonly steps: readonly EnrichmentNote[] }

export function encodeEnriched(command: EnrichedCommand): Buffer {
  return Buffer.from(JSON.stringify(command), 'utf8')
}

/**
 * Decides events whose enrichment has ended. `more`: there are more to give up, or the results have to be brought
 * again.
 */
export function takeEnriched(deps: ActorDeps, { body, micros, applied }: Message): { more: boolean } {
  const command = JSON.parse(body.toString('utf8')) as EnrichedCommand
  if (applied) return { more: command.op === 'give_up' }
  const { store, settings } = deps
  if (settings.status === 'STOPPED') return { more: command.op === 'bring' }
  if (command.op === 'bring') {
    const brought = command.events.map(({ micros: at, steps }) => {
      return { micros: at, steps: steps.filter((step) => hasStep(settings, step)) }
    })
    return { more: decideSome(deps, brought, micros) < brought.length }
  }
  const waiting = [...store.range('awaited', { ...jobRange(settings.id), limit: limits.resumeEventsPerTurn })]
  const due = waiting.filter(({ key }) => timeOfKey(key) <= command.through)
  const givenUp = due.map(({ key }) => ({ micros: timeOfKey(key), steps: command.steps }))
  const decided = decideSome(deps, givenUp, micros)
  return { more: decided < due.length || due.length === limits.resumeEventsPerTurn }
}

/** Decides events up to the bound of one message; returns how many. */
function decideSome(deps: ActorDeps, events: readonly EnrichedEvent[], atMicros: number): number {
  let bytes = 0
  for (const [place, event] of events.entries()) {
    if (bytes >= limits.decidedBytesPerMessage) return place
    bytes += decideOne(deps, event, atMicros)
  }
  return events.length
}

function hasStep({ pipeline }: JobSettings, { integrationId }: EnrichedStep): boolean {
  return integrationId === undefined || pipeline.some((step) => enriches(step) && step.integrationId === integrationId)
}

/** Returns the bytes of the event; 0 where nothing waited. */
function decideOne(deps: ActorDeps, { micros, steps }: EnrichedEvent, atMicros: number): number {
  const { store, codec, settings } = deps
  const event = eventAt(store, settings.id, micros)
  if (event === null || event.header.enrichments !== 'awaited') return 0
  const body = codec.decode(decodeContent(event.record).body)
  const had = Object.hasOwn(body, ENRICHMENT) ? { had: body[ENRICHMENT] } : {}
  const row: EnrichmentRow = { atMicros, steps: steps.map(({ fields, integrationId, ...note }) => note), ...had }
  const merged = enriched(body, steps)
  const fate = merged === null ? { record: event.record, row } : written(codec, event, merged, row)
  for (const { outcome } of steps) deps.stats.decided.enriched(outcome)
  store.put('lookups', timeKey(settings.id, micros), encodeEnrichments(fate.row))
  const { points } = deps.arrivals
  deps.points.countValues(points.valuesOf(codec.decode(decodeContent(fate.record).body)), points.kinds)
  decideAgain(deps, { ...event, record: fate.record }, atMicros)
  return event.record.length
}

/** The body with what the steps found, or null where it stays as it is. */
function enriched(
  body: Readonly<Record<string, unknown>>,
  steps: readonly EnrichedStep[],
): Record<string, unknown> | null {
  const own = body[ENRICHMENT]
  const clients = isJsonObject(own) ? own : {}
  const names = new Set(steps.map(({ name }) => name))
  const kept = Object.entries(clients).filter(([name]) => !names.has(name))
  const found = steps.flatMap(({ name, fields }) => (fields === undefined ? [] : [[name, fields] as const]))
  if (found.length === 0 && kept.length === Object.keys(clients).length) return null
  return { ...body, [ENRICHMENT]: Object.fromEntries([...kept, ...found]) }
}

function written(
  codec: BodyCodec,
  event: FoundEvent,
  merged: Record<string, unknown>,
  row: EnrichmentRow,
): { record: Uint8Array; row: EnrichmentRow } {
  try {
    return { record: withBody(event.record, codec.encode(merged)), row }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { record: event.record, row: { atMicros: row.atMicros, steps: row.steps, leftOut: error.message } }
  }
}

/** The enrichment row of an event, or null. */
export function readEnrichments(
  reads: Reads,
  jobId: number,
  { header, micros }: Pick<FoundEvent, 'header' | 'micros'>,
): EnrichmentRow | null {
  if (header.enrichments !== 'stored') return null
  const row = reads.get('lookups', timeKey(jobId, micros))
  return row === undefined ? null : decodeEnrichments(row)
}

/** The body as its client sent it. */
export function clientBodyOf(
  reads: Reads,
  codec: BodyCodec,
  jobId: number,
  event: FoundEvent,
): Record<string, unknown> {
  const body = codec.decode(decodeContent(event.record).body)
  const row = readEnrichments(reads, jobId, event)
  if (row === null || row.leftOut !== undefined) return body
  const { [ENRICHMENT]: _, ...rest } = body
  return row.had === undefined ? rest : { ...rest, [ENRICHMENT]: row.had }
}
