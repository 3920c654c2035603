/**
 * The actor of one job: what happens to a message, stage by stage (design D5). This file is the table of contents of
 * everything that changes a job's state.
 *
 * Owns: the job's state in memory (settings, counters, buckets, model), and the order of the stages. Leaves out: each
 * stage itself (event/, decide/, learn/, store/), turns and commits (shard.ts), queries (job-reader.ts).
 *
 * 1. State changes through messages only, and only in the turn's store; memory is dropped when a commit fails.
 * 2. A message is applied once. Where an earlier run of its turn has committed it (`applied`), it is only answered.
 * 3. An event is decided in the turn that stores it, or marked as pending in it (design D4).
 */
import { isDeepStrictEqual } from 'node:util'
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'
import { must } from '../assert.js'
import { DecisionPoints, lacksPoints } from '../event/decision-points.js'
import { eventIdOf } from '../event/event-id.js'
import { parseEnvelope, type Envelope, type EventExtras } from '../event/envelope.js'
import { PointTree } from '../event/point-tree.js'
import type { PointValues } from '../event/point-value.js'
import { hasBuckets, type JobSettings } from '../job/job.js'
import { resolveLabel } from '../job/labels.js'
import type { Model } from '../learn/classifier.js'
import { loadModel } from '../learn/registry.js'
import { decide, noDecision, type Decision } from '../decide/decision.js'
import type { BodyCodec } from '../store/body-codec.js'
import { decodeContent, encodeRecord, withHeader, type RecordHeader } from '../store/event-record.js'
import { decodeModel, encodeModel, type ModelRow } from '../store/rows.js'
import { idKey, jobRange, modelKey, sharedTables, shardTables, timeKey, timeOfKey, timeValue } from '../store/tables.js'
import type { BucketState, FeedbackInput } from '../service.js'
import { BucketCache, type Bucket } from './bucket-cache.js'
import { dropBallot, knownConsensus, readBallot, stateOf, vote } from './ballots.js'
import { eventAt, findEvent, type FoundEvent } from './event-table.js'
import { decodeFeedback } from './feedback.js'
import { parseHistoric } from './historic.js'
import { JobStats, readStats } from './job-stats.js'
import type { EventReply, Message } from './message.js'
import type { TurnStore } from './turn-store.js'

/** Rows that one purge message deletes. */
const PURGE_ROWS = 2_000

/** How an actor answers: an event's fate, or the result of any other message. */
export type ActorReply = EventReply | { readonly result: unknown }

/** An event on its way in. */
interface Arrival {
  /** The body's bytes, until the next event comes. */
  readonly body: Buffer
  /** The body, where it was parsed. */
  readonly rawBody: Record<string, unknown> | null
  readonly extras: EventExtras | null
  readonly idInBody: string | null
  /** The bytes at the decision points, where it was scanned; else ''. */
  readonly key: string
}

export class JobActor {
  readonly #store: TurnStore
  readonly #codec: BodyCodec
  readonly #sectionNames: readonly string[]
  readonly #stats: JobStats
  #buckets: BucketCache
  #settings: JobSettings
  #points: DecisionPoints
  #pointTree: PointTree
  #model: Model | null = null
  #modelVersion = 0
  #probabilities: Float64Array

  constructor(settings: JobSettings, store: TurnStore, codec: BodyCodec, sectionNames: readonly string[]) {
    this.#store = store
    this.#codec = codec
    this.#sectionNames = sectionNames
    this.#settings = settings
    this.#points = new DecisionPoints(settings.decisionPoints)
    this.#pointTree = new PointTree(settings.decisionPoints)
    this.#probabilities = new Float64Array(settings.labels.length)
    this.#stats = new JobStats(settings.id, readStats(store, settings.id, settings.labels.length))
    this.#buckets = new BucketCache(settings.id, this.#points.fingerprint, this.#stats)
    this.#openModel()
  }

  get bucketsInMemory(): number {
    return this.#buckets.size
  }

  /** The job's set-up has changed. */
  configure(settings: JobSettings): void {
    this.#settings = settings
    this.#points = new DecisionPoints(settings.decisionPoints)
    this.#pointTree = new PointTree(settings.decisionPoints)
    this.#buckets = new BucketCache(settings.id, this.#points.fingerprint, this.#stats)
    this.#openModel()
  }

  handle(message: Message): ActorReply {
    switch (message.kind) {
      case 'ingest': return this.#ingest(message)
      case 'historic': return { result: this.#historic(message) }
      case 'feedback': return { result: this.#feedback(message) }
      case 'resume': return { result: this.#resume(message) }
      case 'install': return { result: this.#install(message) }
      case 'purge': return { result: this.#purge() }
    }
  }

  /** The turn ends: what only the end of it knows is written. */
  finish(): void {
    this.#buckets.write(this.#store)
    this.#stats.write(this.#store)
  }

  shrink(bucketsMax: number): void {
    this.#buckets.shrink(bucketsMax)
  }

  #ingest(message: Message): EventReply {
    const arrival = this.#scan(message) ?? this.#parse(message)
    const idFromBody = message.eventId === null && message.idInBody ? arrival.idInBody : null
    return this.#takeIn(message, arrival, message.eventId ?? idFromBody, idFromBody)
  }

  /** The short cut for bodies like others before them: no JavaScript object, no string. */
  #scan({ body }: Message): Arrival | null {
    const { scanner } = this.#codec
    // Without buckets every event is decided by its values, and those come out of a parsed body.
    if (!hasBuckets(this.#settings.category) || !scanner.scan(body, this.#pointTree)) return null
    const key = this.#pointTree.key(scanner.out)
    return { body: scanner.out.subarray(0, scanner.length), rawBody: null, extras: null, idInBody: scanner.eventId, key }
  }

  #parse({ body }: Message): Arrival {
    return this.#arrivalOf(parseEnvelope(body.toString('utf8'), this.#sectionNames))
  }

  #arrivalOf({ rawBody, extras, eventId }: Envelope): Arrival {
    return { body: this.#codec.encode(rawBody), rawBody, extras, idInBody: eventId, key: '' }
  }

  /** The walk of one event: known? → decision points → bucket → decision → record. */
  #takeIn(
    { micros, applied }: Pick<Message, 'micros' | 'applied'>,
    arrival: Arrival,
    clientId: string | null,
    idFromBody: string | null,
  ): EventReply {
    if (clientId !== null && Buffer.byteLength(clientId) > limits.eventIdBytesMax) {
      throw new Refusal('event_id_too_long', `an event id has at most ${limits.eventIdBytesMax} bytes`)
    }
    const knownId = applied ? (clientId ?? eventIdOf(micros)) : clientId
    const known = knownId === null ? null : findEvent(this.#store, this.#settings.id, knownId)
    if (known !== null) {
      if (applied || isDeepStrictEqual(this.#bodyOf(known), this.#codec.decode(arrival.body))) {
        return this.#replyTo(known.header, known.micros, undefined, idFromBody)
      }
      this.#remove(known)
    }
    if (applied) throw new Refusal('job_not_found', 'the job was deleted')
    const bucket = hasBuckets(this.#settings.category) ? this.#bucketOf(arrival) : null
    const values = bucket === null ? this.#valuesOf(arrival) : bucket.values
    const pending = this.#settings.status === 'STOPPED'
    const lacks = bucket === null ? lacksPoints(values) : bucket.lacksPoints
    const decision = pending || lacks ? noDecision : this.#decide(values, bucket)
    const header = newHeader(decision, pending, lacks, clientId !== null, bucket === null ? null : bucket.id)
    const key = timeKey(this.#settings.id, micros)
    this.#store.put('events', key, encodeRecord(header, { body: arrival.body, extras: arrival.extras, clientId }))
    if (clientId !== null) this.#store.put('ids', idKey(this.#settings.id, Buffer.from(clientId)), timeValue(micros))
    if (pending) this.#store.put('pending', key, new Uint8Array(0))
    this.#stats.countEvent(micros, bucket !== null && bucket.events === 0, pending)
    this.#stats.countDecision(decision)
    if (bucket !== null) this.#enter(bucket, micros)
    return this.#replyTo(header, micros, bucket, idFromBody)
  }

  #valuesOf({ rawBody, body }: Arrival): PointValues {
    return this.#points.valuesOf(rawBody ?? this.#codec.decode(body))
  }

  #bucketOf(arrival: Arrival): Bucket {
    const known = arrival.key === '' ? null : this.#buckets.byKey(arrival.key)
    if (known !== null) return known
    const bucket = this.#buckets.of(this.#store, this.#valuesOf(arrival))
    if (arrival.key !== '') this.#buckets.remember(arrival.key, bucket)
    return bucket
  }

  #bodyOf(event: FoundEvent): Record<string, unknown> {
    return this.#codec.decode(decodeContent(event.record).body)
  }

  #decide(values: PointValues, bucket: Bucket | null): Decision {
    if (this.#model === null) return noDecision
    // A bucket of earlier decision points holds events that differ at those of now.
    const alike = bucket !== null && bucket.fingerprint === this.#points.fingerprint
    if (alike && bucket.decision !== null) return bucket.decision
    const ballot = bucket !== null && bucket.hasBallot ? readBallot(this.#store, this.#settings.id, bucket.id) : null
    const known = knownConsensus(ballot, this.#stats.row.trainedThroughSeq)
    const decision = decide(this.#model, this.#modelVersion, values, known, this.#probabilities)
    if (alike) bucket.decision = decision
    return decision
  }

  #enter(bucket: Bucket, micros: number): void {
    if (!bucket.stored && bucket.events === 0) bucket.firstMicros = micros
    bucket.events++
    bucket.lastMicros = micros
    this.#buckets.touch(bucket)
  }

  #replyTo(header: RecordHeader, micros: number, bucket: Bucket | null | undefined, idFromBody: string | null): EventReply {
    const { pending, label, confidence, outlier } = header
    return { micros, pending, label, confidence, outlier, bucketState: this.#stateOf(header, micros, bucket), idFromBody }
  }

  #stateOf(header: RecordHeader, micros: number, bucket?: Bucket | null): BucketState {
    if (bucket !== undefined && bucket !== null) {
      if (!bucket.hasBallot) return 'new'
      if (bucket.state === null) {
        bucket.state = stateOf(readBallot(this.#store, this.#settings.id, bucket.id), this.#stats.row.trainedThroughSeq)
      }
      return bucket.state
    }
    if (bucket === null) return 'new'
    return stateOf(readBallot(this.#store, this.#settings.id, subjectOf(header, micros)), this.#stats.row.trainedThroughSeq)
  }

  /** Another body under the same id replaces the old version (S6): it leaves its bucket, its marks and its own votes. */
  #remove(event: FoundEvent): void {
    const { header, micros } = event
    const key = timeKey(this.#settings.id, micros)
    this.#store.delete('events', key)
    if (header.pending) this.#store.delete('pending', key)
    const { events, buckets, pending, feedbackEvents } = this.#stats.row
    let bucketsLeft = buckets
    if (header.bucketId !== null) {
      const bucket = must(this.#buckets.byId(this.#store, header.bucketId), 'the bucket of a stored event')
      bucket.events--
      this.#buckets.touch(bucket)
      if (bucket.events === 0) bucketsLeft--
    } else dropBallot(this.#store, this.#settings.id, subjectOf(header, micros), this.#stats)
    this.#stats.change({
      events: events - 1,
      buckets: bucketsLeft,
      pending: pending - Number(header.pending),
      feedbackEvents: feedbackEvents - Number(header.hasFeedback),
    })
  }

  /** Events with their labels, all or nothing: parsed and checked before the first is stored. */
  #historic(message: Message): number {
    const events = parseHistoric(message.body.toString('utf8'), this.#sectionNames, this.#settings.labels)
    for (const { envelope } of events) this.#codec.encode(envelope.rawBody)
    if (message.applied) return events.length
    for (const [place, { envelope, feedback }] of events.entries()) {
      const micros = message.micros + place
      this.#takeIn({ micros, applied: false }, this.#arrivalOf(envelope), null, null)
      if (feedback === null) continue
      const event = must(eventAt(this.#store, this.#settings.id, micros), 'the event just stored')
      this.#cast(event, feedback, this.#labelOf(feedback), micros)
    }
    return events.length
  }

  #feedback(message: Message): null {
    const feedback = decodeFeedback(message.body)
    const event = findEvent(this.#store, this.#settings.id, must(message.eventId, 'the id of the event voted on'))
    if (event === null) throw new Refusal('event_not_found', 'event not found')
    const label = this.#labelOf(feedback)
    if (!message.applied) this.#cast(event, feedback, label, message.micros)
    // The event of then is gone: whether the vote found one cannot be told any more.
    else if (event.micros > message.micros) throw new Refusal('turn_failed', 'the service failed on this request')
    return null
  }

  #labelOf(feedback: FeedbackInput): number {
    const label = resolveLabel(this.#settings.labels, feedback.label)
    if (label !== null) return label
    throw new Refusal('unknown_label', `unknown label; the labels are ${this.#settings.labels.map(({ name }) => name).join(', ')}`)
  }

  #cast(event: FoundEvent, feedback: FeedbackInput, label: number, atMicros: number): void {
    const { header, micros } = event
    const { analyst, closingNotes, indicators } = feedback
    const bucket = header.bucketId === null ? null : must(this.#buckets.byId(this.#store, header.bucketId), 'the bucket of a stored event')
    vote(this.#store, this.#settings.id, subjectOf(header, micros), {
      analyst, label, atMicros, eventMicros: micros,
      ...(closingNotes === undefined ? {} : { closingNotes }),
      ...(indicators === undefined ? {} : { indicators }),
    }, this.#stats)
    if (bucket !== null) {
      if (!bucket.hasBallot) bucket.stored = false
      bucket.hasBallot = true
      bucket.decision = null
      bucket.state = null
      this.#buckets.touch(bucket)
    }
    if (!header.hasFeedback) {
      this.#store.put('events', timeKey(this.#settings.id, micros), withHeader(event.record, { ...header, hasFeedback: true }))
      this.#stats.change({ feedbackEvents: this.#stats.row.feedbackEvents + 1 })
    }
    this.#stats.change({ lastFeedbackMicros: atMicros })
  }

  /** Decides some of the events that waited for the job to start; the answer says whether there are more. */
  #resume(message: Message): { more: boolean } {
    if (message.applied) return { more: true }
    if (this.#settings.status === 'STOPPED') return { more: false }
    const waiting = [...this.#store.range('pending', { ...jobRange(this.#settings.id), limit: limits.resumeEventsPerTurn })]
    for (const { key } of waiting) {
      // The walk sees what is committed; an earlier message of this turn may have decided or replaced the event.
      if (this.#store.get('pending', key) === undefined) continue
      const event = must(eventAt(this.#store, this.#settings.id, timeOfKey(key)), 'the event of a pending mark')
      const values = this.#points.valuesOf(this.#bodyOf(event))
      const bucket = event.header.bucketId === null ? null : this.#buckets.byId(this.#store, event.header.bucketId)
      const decision = event.header.lacksPoints ? noDecision : this.#decide(values, bucket)
      this.#store.put('events', key, withHeader(event.record, { ...event.header, ...decision, pending: false }))
      this.#store.delete('pending', key)
      this.#stats.change({ pending: this.#stats.row.pending - 1 })
      this.#stats.countDecision(decision)
    }
    return { more: waiting.length === limits.resumeEventsPerTurn }
  }

  /** A training is done: the model and what it knew become active in one commit. */
  #install(message: Message): null {
    if (message.applied) return null
    const { row, model } = decodeModel(message.body)
    this.#store.put('models', modelKey(this.#settings.id, row.version), encodeModel(row, model))
    this.#stats.change({
      modelVersion: row.version,
      modelVersions: [...this.#stats.row.modelVersions.filter((version) => version !== row.version), row.version],
      trainedThroughSeq: row.throughSeq,
      outliersSinceTraining: 0,
      consensusChangesSinceTraining: 0,
      lowConfidenceSinceTraining: 0,
      decidedSinceTraining: 0,
    })
    this.#useModel(row, model)
    return null
  }

  #openModel(): void {
    const { modelVersion } = this.#stats.row
    if (modelVersion === 0) return
    const { row, model } = decodeModel(must(this.#store.get('models', modelKey(this.#settings.id, modelVersion)), 'the active model'))
    this.#useModel(row, model)
  }

  #useModel(row: ModelRow, bytes: Uint8Array): void {
    // A model of other decision points would read the values of these as something else.
    this.#model = row.fingerprint === this.#points.fingerprint ? loadModel(Uint8Array.from(bytes)) : null
    this.#modelVersion = row.version
    this.#probabilities = new Float64Array(this.#settings.labels.length)
    this.#buckets.forgetDecisions()
  }

  /** The job is gone: deletes some of its rows; the answer says whether there are more. */
  #purge(): { more: boolean } {
    // The walk sees what is committed, and earlier messages of this turn have yet to write.
    if (this.#stats.changed) return { more: true }
    let left = PURGE_ROWS
    for (const table of shardTables) {
      if (sharedTables.includes(table)) continue
      for (const { key } of this.#store.range(table, { ...jobRange(this.#settings.id), limit: left })) {
        this.#store.delete(table, key)
        left--
      }
      if (left === 0) return { more: true }
    }
    return { more: false }
  }
}

/** Field by field: an object spread costs several microseconds here. */
function newHeader(
  decision: Decision,
  pending: boolean,
  lacksPoints: boolean,
  hasClientId: boolean,
  bucketId: Uint8Array | null,
): RecordHeader {
  const { label, confidence, outlier, outlierScore, source, modelVersion } = decision
  return {
    label, confidence, outlier, outlierScore, source, modelVersion, pending, lacksPoints, hasFeedback: false, hasClientId, bucketId,
  }
}

/** What votes on an event count for: its bucket, or the event itself. */
function subjectOf(header: RecordHeader, micros: number): Uint8Array {
  return header.bucketId ?? timeValue(micros)
}
