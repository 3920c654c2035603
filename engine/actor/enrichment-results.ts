/**
 * What look-ups brought, written with their event; and the event decided by it.
 *
 * Owns: the message that brings it, the event's field `enrichment`, the row of what was looked up. Leaves out: asking
 * (enrichment/enricher.ts, on the thread of the integrations), when nobody waits any longer (enrichment-deadlines.ts), deciding
 * (redecision.ts).
 *
 * 1. An event is decided once: its mark in `awaited` goes in the commit that decides it, and a message about an event that
 *    does not wait (any more) changes nothing.
 * 2. Under `enrichment` the names of the steps are ours: what a client put there gives way, also where nothing was found. The row
 *    keeps what it had, so that the event which it sent is still known when it comes again (S6).
 * 3. Votes that were given on it while it waited go with it (moved-votes.ts).
 * 4. What cannot be kept (an event with as many fields as one may have) is left out, and said so; the event is decided.
 * 5. Whoever asks learns a little later that a job was stopped or changed. What it brings about a stopped job is brought again; what
 *    was found by a step that the job does not have now is left out.
 */
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'
import { enriches, hasBuckets, type JobSettings } from '../domain/job/job.js'
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
import { decideAgain, type ActorDeps } from './redecision.js'
import { eventAt, type FoundEvent, type Reads } from './event-table.js'
import type { Message } from './message.js'
import { takeVotesAlong } from './votes/moved-votes.js'

/** What was looked up about one event, step by step. */
export interface EnrichedEvent {
  /** Ingest time of the event. */
  readonly micros: number
  readonly steps: readonly EnrichedStep[]
}

export interface EnrichedStep extends EnrichmentNote {
  /** The integration that was asked; absent where nobody was. */
  readonly integrationId?: number
  /** Absent where the step has failed. */
  readonly fields?: Readonly<Record<string, unknown>>
}

/** The body of a message. */
export type EnrichedOrder =
  | { readonly op: 'bring'; readonly events: readonly EnrichedEvent[] }
  /** Events that came in up to then are decided without; `steps` says what was not looked up, and why. */
  | { readonly op: 'give_up'; readonly through: number; readonly steps: readonly EnrichmentNote[] }

export function encodeEnriched(order: EnrichedOrder): Buffer {
  return Buffer.from(JSON.stringify(order), 'utf8')
}

/** Decides events whose look-ups have ended; the answer says whether there are more to give up, or what was brought still waits. */
export function takeEnriched(deps: ActorDeps, { body, micros, applied }: Message): { more: boolean } {
  const order = JSON.parse(body.toString('utf8')) as EnrichedOrder
  if (applied) return { more: order.op === 'give_up' }
  const { store, settings } = deps
  if (settings.status === 'STOPPED') return { more: order.op === 'bring' }
  if (order.op === 'bring') {
    for (const { micros: at, steps } of order.events)
      decideOne(deps, { micros: at, steps: steps.filter((step) => hasStep(settings, step)) }, micros)
    return { more: false }
  }
  const waiting = [...store.range('awaited', { ...jobRange(settings.id), limit: limits.resumeEventsPerTurn })]
  const late = waiting.filter(({ key }) => timeOfKey(key) <= order.through)
  for (const { key } of late) decideOne(deps, { micros: timeOfKey(key), steps: order.steps }, micros)
  return { more: late.length === limits.resumeEventsPerTurn }
}

function hasStep({ pipeline }: JobSettings, { integrationId }: EnrichedStep): boolean {
  return integrationId === undefined || pipeline.some((step) => enriches(step) && step.integrationId === integrationId)
}

function decideOne(deps: ActorDeps, { micros, steps }: EnrichedEvent, atMicros: number): void {
  const { store, codec, settings } = deps
  const event = eventAt(store, settings.id, micros)
  if (event === null || event.header.enrichments !== 'awaited') return
  const body = codec.decode(decodeContent(event.record).body)
  const had = Object.hasOwn(body, ENRICHMENT) ? { had: body[ENRICHMENT] } : {}
  const row: EnrichmentRow = { atMicros, steps: steps.map(({ fields, integrationId, ...note }) => note), ...had }
  const merged = enriched(body, steps)
  const fate = merged === null ? { record: event.record, row } : written(codec, event, merged, row)
  for (const { outcome } of steps) deps.stats.decided.lookedUp(outcome)
  store.put('lookups', timeKey(settings.id, micros), encodeEnrichments(fate.row))
  if (event.header.hasFeedback && hasBuckets(settings.category)) {
    const values = deps.arrivals.points.valuesOf(codec.decode(decodeContent(fate.record).body))
    takeVotesAlong(deps, event, deps.buckets.of(store, values))
  }
  decideAgain(deps, { ...event, record: fate.record }, atMicros)
}

/** The body with what was found, or null where it stays as it is. */
function enriched(
  body: Readonly<Record<string, unknown>>,
  steps: readonly EnrichedStep[],
): Record<string, unknown> | null {
  const own = body[ENRICHMENT]
  const clients = typeof own === 'object' && own !== null && !Array.isArray(own) ? (own as Record<string, unknown>) : {}
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

/** What was looked up about an event, or null. */
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
