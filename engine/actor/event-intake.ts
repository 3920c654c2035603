/**
 * The intake of new events: from a message to the stored record and the reply.
 *
 * Owns: the order of the steps of one event. Leaves out: the steps (arrival.ts, bucket-cache.ts, job-model.ts,
 * cause-stage.ts), stored events (stored-events.ts).
 *
 * 1. An event is decided in the turn that stores it, or entered there in `pending` or `awaited` (D4).
 * 2. The same event again changes nothing (S6), but that its id is noted as sent by its request. Another body under the
 *    same id replaces the event, or, within one request, is an event of its own (S32). Which of the two follows from
 *    the stored ids and the message: so it is the same when the turn runs again, and on each node.
 */
import { isUtf8 } from 'node:buffer'
import { isDeepStrictEqual } from 'node:util'
import { must } from '../assert.js'
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'
import { lacksPoints } from '../domain/event/decision-points.js'
import { eventIdOf } from '../domain/event/event-id.js'
import { RepeatedKeys, type RepeatedKey } from '../domain/event/input/repeated-key.js'
import { isNewVersion, ownIdOf } from '../domain/event/repeated-id.js'
import type { PointValues } from '../domain/event/point-value.js'
import { enriches, hasBuckets, timeFieldOf, type Label } from '../domain/job/job.js'
import { noBasis } from '../domain/decide/decision-basis.js'
import { noDecision, type Decision } from '../domain/decide/decision.js'
import {
  decodeContent,
  encodeRecord,
  layPlainRecord,
  newHeader,
  plainRecordBytes,
  type EnrichmentState,
  type RecordHeader,
} from '../store/event-record.js'
import { pack, unpack } from '../store/pack.js'
import { idKey, idValue, TIME_KEY_BYTES, timeKey, writeTimeKey } from '../store/tables.js'
import type { Stored } from '../api/event-answer.js'
import type { Author } from '../api/principal.js'
import type { ActorDeps } from './actor-deps.js'
import type { Arrival } from './arrival.js'
import { auditReplaced } from './autonomy/audit-answers.js'
import type { KnownAnswer } from './buckets/answer-memo.js'
import type { Bucket } from './buckets/bucket.js'
import { clientBodyOf } from './enrichment-results.js'
import { noteDeletion } from './decision-changes.js'
import { deleteEvent } from './event-deletion.js'
import { replyOf } from './event-reply.js'
import { eventAt, findEvent, type FoundEvent } from './event-table.js'
import { EventTimes } from './event-times.js'
import { mustFit, oddOf, parseHistoric, type HistoricEvent } from './historic-events.js'
import { splitAuthor } from './message-author.js'
import type { Message } from './message.js'
import { waitingTable } from './redecision.js'
import { decodeOrigin, encodeOrigin, requestOf, requestOfTime, sourceOf } from './origin.js'
import type { EventReply } from './reply.js'
import { modelEvidence } from './votes/model-evidence.js'
import { labelOf, voteOnEvent } from './votes/voting.js'

/** An event beside its body. */
interface Sent extends Pick<Message, 'micros' | 'applied' | 'origin'> {
  /** The id that the client gave, in the path or in the body; null for none. */
  readonly clientId: string | null
  /** The client gave the id in the body. */
  readonly isFromBody: boolean
  readonly enrichments: EnrichmentState
}

/** Who sent a request with historic events. */
interface HistoricRequest {
  readonly by: Author
  /** Its number (origin.ts). */
  readonly request: number
  /** The time of its first event here. */
  readonly atMicros: number
}

/** The place of an event among those that are stored. */
interface Place {
  /** The id that it is stored under; null: one made of its time. */
  readonly clientId: string | null
  /** The event that has this id. */
  readonly known: FoundEvent | null
  readonly stored: Stored
}

export class EventIntake {
  readonly #deps: ActorDeps
  readonly #sectionNames: readonly string[]
  /** A step of the job enriches its events before they are decided. */
  readonly #enriches: boolean
  readonly #times: EventTimes

  constructor(deps: ActorDeps, sectionNames: readonly string[]) {
    this.#deps = deps
    this.#sectionNames = sectionNames
    this.#enriches = deps.settings.pipeline.some(enriches)
    this.#times = new EventTimes(deps.codec, timeFieldOf(deps.settings))
  }

  /** One event. @throws Refusal event_id_too_long, job_not_found, and those of Arrivals.read. */
  ingest(message: Message): EventReply {
    const { micros, applied, eventId } = message
    const arrival = this.#deps.arrivals.read(message.memory, message.bodyStart, message.bodyEnd)
    const isFromBody = eventId === null && message.idInBody
    if (eventId !== null && arrival.idInBody !== null && arrival.idInBody !== eventId && !applied)
      this.#deps.findings.note('ignored_id', decodeOrigin(message.origin).source, arrival.idInBody, micros)
    const enrichments = this.#enriches ? this.#enrichments() : 'none'
    const clientId = isFromBody ? arrival.idInBody : eventId
    // Only an event with an id is compared with others of its request.
    const origin = clientId === null ? undefined : message.origin
    return this.#takeIn(arrival, { micros, applied, origin, clientId, isFromBody, enrichments })
  }

  /**
   * Events with their labels, all or none: they are parsed and checked before the first is stored. Returns how many.
   */
  historic(message: Message): number {
    const { settings, codec, findings } = this.#deps
    const { by, request, body } = splitAuthor(message.body)
    const text = body.toString('utf8')
    const keys = new RepeatedKeys()
    const events = parseHistoric(text, this.#sectionNames, settings, keys.note)
    mustFit(events, (rawBody) => codec.encode(rawBody))
    if (message.applied) return events.length
    const odd = isUtf8(body) ? null : oddOf(text, events)
    if (odd !== null) findings.note('invalid_utf8', '', odd.place, message.micros, odd.events)
    this.#noteRepeated(keys.finding, message.micros)
    // Without an upload the message has all events of the request, so its time may number it.
    const number = request || requestOfTime(message.micros)
    return this.#storeHistoric(events, settings.labels, { by, request: number, atMicros: message.micros })
  }

  /** A part of a checked request with historic events. `labels` are those that it was checked with. */
  historicPart(text: string, labels: readonly Label[], sent: HistoricRequest): number {
    const { settings } = this.#deps
    const keys = new RepeatedKeys()
    const events = parseHistoric(text, this.#sectionNames, { id: settings.id, labels }, keys.note)
    this.#noteRepeated(keys.finding, sent.atMicros)
    return this.#storeHistoric(events, labels, sent)
  }

  #storeHistoric(
    events: readonly HistoricEvent[],
    labels: readonly Label[],
    { by, request, atMicros }: HistoricRequest,
  ): number {
    const { settings, store, arrivals } = this.#deps
    const origin = Buffer.from(encodeOrigin({ request, source: sourceOf(by) }))
    for (const [place, { envelope, feedback }] of events.entries()) {
      const micros = atMicros + place
      const { eventId: clientId } = envelope
      const sent: Sent = { micros, applied: false, origin, clientId, isFromBody: true, enrichments: 'none' }
      const reply = this.#takeIn(arrivals.of(envelope), sent)
      if (feedback === null) continue
      const event = must(eventAt(store, settings.id, reply.micros), 'the event just stored')
      const label = labelOf(labels, { label: must(feedback.label, 'the label of a historic event') })
      // A history has all of its events, so nobody picked those that were wrong.
      modelEvidence(this.#deps, event, { label, isChosen: false, micros })
      const eventId = reply.idToTell ?? eventIdOf(reply.micros)
      voteOnEvent(this.#deps, event, { eventId, feedback, label }, { by, atMicros: micros })
    }
    return events.length
  }

  /** The walk of one event: known? → decision points → bucket → decision → record. */
  #takeIn(arrival: Arrival, sent: Sent): EventReply {
    const { micros, applied, origin, enrichments } = sent
    const { store, settings, stats, buckets, gates, cause } = this.#deps
    const { clientId, known, stored } = this.#placeOf(arrival, sent)
    const idToTell = sent.isFromBody || clientId !== sent.clientId ? clientId : null
    const request = requestOf(origin)
    if (known !== null) {
      if (applied || stored === 'same') {
        const isNoted = applied || request === 0 || !known.indexed || known.request === request
        if (!isNoted) this.#putId(must(clientId, 'the id of a known event'), known.micros, request)
        return replyOf(this.#deps, { header: known.header, micros: known.micros, bucket: undefined, idToTell, stored })
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
    this.#noteRepeated(arrival.repeated, micros)
    if (arrival.notUtf8 !== null) this.#deps.findings.note('invalid_utf8', '', arrival.notUtf8, micros)
    this.#putRecord(micros, { header, arrival, clientId, ownMicros: this.#ownMicros(arrival, sent) })
    if (clientId !== null) this.#putId(clientId, micros, request)
    if (pending) store.put(waitingTable(header), timeKey(settings.id, micros), new Uint8Array(0))
    stats.countEvent(micros, bucket !== null && bucket.events === 0, pending)
    stats.countDecision(decision, micros, pending)
    if (enrichments === 'passed_over') stats.decided.enriched(enrichments)
    if (enrichments !== 'awaited') this.#countPoints(arrival, bucket, answer)
    buckets.add(bucket, micros, decision.label)
    return replyOf(this.#deps, { header, micros, bucket, idToTell, stored })
  }

  #noteRepeated(repeated: RepeatedKey | null, micros: number): void {
    if (repeated !== null) this.#deps.findings.note('repeated_key', repeated.field, repeated.example, micros)
  }

  /** @throws Refusal event_id_too_long. */
  #placeOf(arrival: Arrival, { clientId, applied, micros, origin }: Sent): Place {
    const { store, settings } = this.#deps
    if (clientId !== null && Buffer.byteLength(clientId) > limits.eventIdBytesMax)
      throw new Refusal('event_id_too_long', `an event id has at most ${limits.eventIdBytesMax} bytes`)
    const knownId = applied ? (clientId ?? eventIdOf(micros)) : clientId
    const known = knownId === null ? null : findEvent(store, settings.id, knownId)
    if (known === null) return { clientId, known, stored: 'new' }
    // The message stored it in an earlier run.
    if (applied && known.micros === micros) return { clientId, known, stored: 'new' }
    if (clientId === null || this.#isSame(known, arrival)) return { clientId, known, stored: 'same' }
    return this.#placeOfOther(arrival, { clientId, known, applied, micros, origin })
  }

  /** The place of an event whose id another one has: the place of that one, or one of its own (S32). */
  #placeOfOther(
    arrival: Arrival,
    { clientId, known, applied, micros, origin }: Pick<Sent, 'applied' | 'micros' | 'origin'> & OtherEvent,
  ): Place {
    const { store, settings, codec, findings } = this.#deps
    const body = codec.decode(arrival.body)
    const ownId = ownIdOf(clientId, [body, keptExtras(arrival)])
    const own = findEvent(store, settings.id, ownId)
    // An earlier try of the request has made it.
    if (own !== null && this.#isSame(own, arrival)) return { clientId: ownId, known: own, stored: 'same' }
    const { request, source, hasVersions } = decodeOrigin(origin)
    if (!applied && request !== 0 && request === known.request) {
      findings.note('repeated_id', source, clientId, micros)
      return { clientId: ownId, known: own, stored: own === null ? 'new' : 'replaced' }
    }
    if (!applied && !hasVersions && !isNewVersion(clientBodyOf(store, codec, settings.id, known), body))
      findings.note('replaced_event', source, clientId, micros)
    return { clientId, known, stored: 'replaced' }
  }

  #putId(id: string, micros: number, request: number): void {
    const { store, settings } = this.#deps
    store.put('ids', idKey(settings.id, Buffer.from(id)), idValue(micros, request))
  }

  /** Most events have only a body, and are written straight into the memory that the store takes them from. */
  #putRecord(micros: number, { header, arrival: { body, extras }, clientId, ownMicros }: NewRecord): void {
    const { settings, store } = this.#deps
    const { id } = settings
    if (extras !== null || clientId !== null)
      return store.put('events', timeKey(id, micros), encodeRecord(header, { body, extras, clientId }, ownMicros))
    const at = store.lay('events', TIME_KEY_BYTES, plainRecordBytes(body))
    layPlainRecord(writeTimeKey(store.batch.memory, id, micros, at), at + TIME_KEY_BYTES, {
      header,
      body,
      ownMicros,
    })
  }

  /** The event's own time; what is odd about it is a finding. */
  #ownMicros({ body }: Arrival, { micros, applied }: Sent): number {
    const own = this.#times.read(body, micros)
    const { odd } = this.#times
    if (odd !== null && !applied) this.#deps.findings.note(odd.kind, odd.field, odd.value, micros)
    return own
  }

  /** The same event again (S6): equal values in the body and in what the client sent beside it. */
  #isSame(known: FoundEvent, arrival: Arrival): boolean {
    const { store, codec, settings } = this.#deps
    return (
      isDeepStrictEqual(decodeContent(known.record).extras, keptExtras(arrival)) &&
      isDeepStrictEqual(clientBodyOf(store, codec, settings.id, known), codec.decode(arrival.body))
    )
  }

  /** With too many events waiting, the steps could never catch up: the event is decided without enrichment. */
  #enrichments(): EnrichmentState {
    return this.#deps.stats.row.pending < limits.enrichmentsPendingMax ? 'awaited' : 'passed_over'
  }

  #decide(
    arrival: Arrival,
    micros: number,
    known: Bucket | KnownAnswer | null,
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
  #answerOf(arrival: Arrival): KnownAnswer | null {
    const { answers, arrivals, model } = this.#deps
    const { key } = arrival
    return key === null ? null : answers.of(key, model.version, () => arrivals.valuesOf(arrival))
  }

  #countPoints(arrival: Arrival, bucket: Bucket | null, answer: KnownAnswer | null): void {
    const { arrivals, points } = this.#deps
    const values = (): PointValues => arrivals.valuesOf(arrival)
    const { kinds } = arrivals.points
    if (answer === null) points.count(bucket, values, kinds)
    else points.countAnswered(answer, values, kinds)
  }

  #bucketOf(arrival: Arrival): Bucket {
    const { store, arrivals, buckets, points } = this.#deps
    const { key } = arrival
    const known = key === null ? null : buckets.byKey(key)
    if (known !== null) return known
    const bucket = buckets.of(store, arrivals.valuesOf(arrival))
    points.seeKinds(arrivals.points.kinds)
    if (key !== null) buckets.remember(key, bucket)
    return bucket
  }
}

/** What is stored of a new event. */
interface NewRecord {
  readonly header: RecordHeader
  readonly arrival: Arrival
  readonly clientId: string | null
  readonly ownMicros: number
}

/** Another event that has the id. */
interface OtherEvent {
  readonly clientId: string
  readonly known: FoundEvent
}

/** As they would be read again: not every text that JSON can spell is kept as it came. */
function keptExtras({ extras }: Arrival): unknown {
  return extras === null ? null : unpack(pack(extras))
}
