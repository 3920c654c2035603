/**
 * The intake of new events: from a message to the stored record and the reply.
 *
 * Owns: the order of the steps of one event. Leaves out: the steps (arrival.ts, bucket-cache.ts, job-model.ts,
 * cause-stage.ts), stored events (stored-events.ts).
 *
 * 1. An event is decided in the turn that stores it, or entered there in `pending` or `awaited` (D4).
 * 2. The same event again changes nothing (S6). Another body under the same id replaces the event.
 */
import { isDeepStrictEqual } from 'node:util'
import { must } from '../assert.js'
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'
import { lacksPoints } from '../domain/event/decision-points.js'
import { eventIdOf } from '../domain/event/event-id.js'
import type { PointValues } from '../domain/event/point-value.js'
import { enriches, hasBuckets } from '../domain/job/job.js'
import { noBasis } from '../domain/decide/decision-basis.js'
import { noDecision, type Decision } from '../domain/decide/decision.js'
import {
  decodeContent,
  encodeRecord,
  layPlainRecord,
  newHeader,
  plainRecordBytes,
  type EnrichmentRequests,
  type RecordHeader,
} from '../store/event-record.js'
import { pack, unpack } from '../store/pack.js'
import { idKey, TIME_KEY_BYTES, timeKey, timeValue, writeTimeKey } from '../store/tables.js'
import type { ActorDeps } from './actor-deps.js'
import type { Arrival } from './arrival.js'
import { auditReplaced } from './autonomy/audit-answers.js'
import type { Answer } from './buckets/answer-memo.js'
import type { Bucket } from './buckets/bucket.js'
import { clientBodyOf } from './enrichment-results.js'
import { noteDeletion } from './decision-changes.js'
import { deleteEvent } from './event-deletion.js'
import { replyOf } from './event-reply.js'
import { eventAt, findEvent, type FoundEvent } from './event-table.js'
import { mustFit, parseHistoric } from './historic-events.js'
import { splitAuthor } from './message-author.js'
import type { Message } from './message.js'
import { waitingTable } from './redecision.js'
import type { EventReply } from './reply.js'
import { modelEvidence } from './votes/model-evidence.js'
import { labelOf, voteOnEvent } from './votes/voting.js'

/** An event beside its body. */
interface Origin {
  readonly micros: number
  /** As in Message. */
  readonly applied: boolean
  /** The id that the client gave, in the path or in the body; null for none. */
  readonly clientId: string | null
  /** The same, where it came out of the body. */
  readonly idFromBody: string | null
  readonly enrichments: EnrichmentRequests
}

export class EventIntake {
  readonly #deps: ActorDeps
  readonly #sectionNames: readonly string[]
  /** A step of the job enriches its events before they are decided. */
  readonly #enriches: boolean

  constructor(deps: ActorDeps, sectionNames: readonly string[]) {
    this.#deps = deps
    this.#sectionNames = sectionNames
    this.#enriches = deps.settings.pipeline.some(enriches)
  }

  /** One event. @throws Refusal event_id_too_long, job_not_found, and those of Arrivals.read. */
  ingest(message: Message): EventReply {
    const { micros, applied, eventId } = message
    const arrival = this.#deps.arrivals.read(message.memory, message.bodyStart, message.bodyEnd)
    const idFromBody = eventId === null && message.idInBody ? arrival.idInBody : null
    const enrichments = this.#enriches ? this.#enrichments() : 'none'
    return this.#takeIn(arrival, { micros, applied, clientId: eventId ?? idFromBody, idFromBody, enrichments })
  }

  /**
   * Events with their labels, all or none: they are parsed and checked before the first is stored. Returns how many.
   */
  historic(message: Message): number {
    const { settings, store, codec, arrivals } = this.#deps
    const { by, body } = splitAuthor(message.body)
    const events = parseHistoric(body.toString('utf8'), this.#sectionNames, settings.labels)
    mustFit(events, (rawBody) => codec.encode(rawBody))
    if (message.applied) return events.length
    for (const [place, { envelope, feedback }] of events.entries()) {
      const micros = message.micros + place
      const origin: Origin = { micros, applied: false, clientId: null, idFromBody: null, enrichments: 'none' }
      this.#takeIn(arrivals.of(envelope), origin)
      if (feedback === null) continue
      const event = must(eventAt(store, settings.id, micros), 'the event just stored')
      const label = labelOf(settings.labels, { label: must(feedback.label, 'the label of a historic event') })
      modelEvidence(this.#deps, event, label, micros)
      voteOnEvent(this.#deps, event, { eventId: eventIdOf(micros), feedback, label }, { by, atMicros: micros })
    }
    return events.length
  }

  /** The walk of one event: known? → decision points → bucket → decision → record. */
  #takeIn(arrival: Arrival, { micros, applied, clientId, idFromBody, enrichments }: Origin): EventReply {
    const { store, settings, stats, buckets, gates, cause } = this.#deps
    if (clientId !== null && Buffer.byteLength(clientId) > limits.eventIdBytesMax) {
      throw new Refusal('event_id_too_long', `an event id has at most ${limits.eventIdBytesMax} bytes`)
    }
    const knownId = applied ? (clientId ?? eventIdOf(micros)) : clientId
    const known = knownId === null ? null : findEvent(store, settings.id, knownId)
    if (known !== null) {
      if (applied || this.#isSame(known, arrival)) {
        return replyOf(this.#deps, { header: known.header, micros: known.micros, bucket: undefined, idFromBody })
      }
      auditReplaced(this.#deps, known.micros, micros)
      deleteEvent(this.#deps, known)
      noteDeletion(store, settings.id, micros, known.micros)
    }
    if (applied) throw new Refusal('job_not_found', 'the job was deleted')
    const bucket = hasBuckets(settings.category) ? this.#bucketOf(arrival) : null
    const pending = settings.status === 'STOPPED' || enrichments === 'awaited'
    const answer = bucket === null && cause === null ? this.#answerOf(arrival) : null
    const { lacks, decision } = this.#decide(arrival, micros, bucket ?? answer, pending)
    const bucketId = bucket === null ? null : bucket.id
    const autonomy = pending
      ? 'none'
      : gates.pass({ eventMicros: micros, clientId, atMicros: micros, decision, bucket })
    const header = newHeader(decision, {
      pending,
      lacksPoints: lacks,
      hasClientId: clientId !== null,
      bucketId,
      enrichments,
      autonomy,
      basis: decision.label < 0 ? noBasis : this.#deps.model.basis,
    })
    if (arrival.notUtf8 !== null) this.#deps.findings.note('invalid_utf8', '', arrival.notUtf8, micros)
    this.#putRecord(micros, header, arrival, clientId)
    if (clientId !== null) store.put('ids', idKey(settings.id, Buffer.from(clientId)), timeValue(micros))
    if (pending) store.put(waitingTable(header), timeKey(settings.id, micros), new Uint8Array(0))
    stats.countEvent(micros, bucket !== null && bucket.events === 0, pending)
    stats.countDecision(decision)
    if (enrichments === 'passed_over') stats.decided.enriched(enrichments)
    if (enrichments !== 'awaited') this.#countPoints(arrival, bucket, answer)
    buckets.add(bucket, micros, decision.label)
    return replyOf(this.#deps, { header, micros, bucket, idFromBody })
  }

  /** Most events have only a body, and are written straight into the memory that the store takes them from. */
  #putRecord(micros: number, header: RecordHeader, { body, extras }: Arrival, clientId: string | null): void {
    const { settings, store } = this.#deps
    const { id } = settings
    if (extras !== null || clientId !== null)
      return store.put('events', timeKey(id, micros), encodeRecord(header, { body, extras, clientId }))
    const at = store.lay('events', TIME_KEY_BYTES, plainRecordBytes(body))
    layPlainRecord(writeTimeKey(store.batch.memory, id, micros, at), at + TIME_KEY_BYTES, header, body)
  }

  /** The same event again (S6): equal values in the body and in what the client sent beside it. */
  #isSame(known: FoundEvent, { body, extras }: Arrival): boolean {
    const { store, codec, settings } = this.#deps
    // Compared as it would be read again: not every text that JSON can spell is kept as it came.
    const sent = extras === null ? null : unpack(pack(extras))
    return (
      isDeepStrictEqual(decodeContent(known.record).extras, sent) &&
      isDeepStrictEqual(clientBodyOf(store, codec, settings.id, known), codec.decode(body))
    )
  }

  /** With too many events waiting, the steps could never catch up: the event is decided without enrichment. */
  #enrichments(): EnrichmentRequests {
    return this.#deps.stats.row.pending < limits.enrichmentsPendingMax ? 'awaited' : 'passed_over'
  }

  #decide(
    arrival: Arrival,
    micros: number,
    known: Bucket | Answer | null,
    pending: boolean,
  ): { lacks: boolean; decision: Decision } {
    const { arrivals, model, cause, trial } = this.#deps
    if (cause !== null)
      return { lacks: false, decision: pending ? noDecision : cause.take(micros, arrivals.bodyOf(arrival), micros) }
    const lacks = known === null ? lacksPoints(arrivals.valuesOf(arrival)) : known.lacksPoints
    if (pending || lacks) return { lacks, decision: noDecision }
    const decision = model.decide(() => arrivals.valuesOf(arrival), known)
    trial.see(micros, decision, known, () => arrivals.valuesOf(arrival))
    return { lacks, decision }
  }

  /** What is known of the values of an event without a bucket. */
  #answerOf(arrival: Arrival): Answer | null {
    const { answers, arrivals, model } = this.#deps
    const { key } = arrival
    return key === null ? null : answers.of(key, model.version, () => arrivals.valuesOf(arrival))
  }

  #countPoints(arrival: Arrival, bucket: Bucket | null, answer: Answer | null): void {
    const { arrivals, points } = this.#deps
    const values = (): PointValues => arrivals.valuesOf(arrival)
    if (answer === null) points.count(bucket, values)
    else points.countAnswered(answer, values)
  }

  #bucketOf(arrival: Arrival): Bucket {
    const { store, arrivals, buckets } = this.#deps
    const { key } = arrival
    const known = key === null ? null : buckets.byKey(key)
    if (known !== null) return known
    const bucket = buckets.of(store, arrivals.valuesOf(arrival))
    if (key !== null) buckets.remember(key, bucket)
    return bucket
  }
}
