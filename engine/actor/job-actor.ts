/**
 * The actor of one job: what happens to a message, stage by stage (D5). This file is the table of contents of
 * everything that changes a job's state.
 *
 * Owns: the job's state in memory (settings, counters, buckets, model), and the order of the stages. Leaves out: each
 * stage itself (event/, decide/, learn/, store/), turns and commits (shard.ts), queries (job-reader.ts).
 *
 * 1. State changes through messages only, and only in the turn's store; memory is dropped when a commit fails.
 * 2. A message is applied once. Where an earlier run of its turn has committed it (`applied`), it is only answered.
 * 3. An event is decided in the turn that stores it, or marked as pending or awaited in it (D4).
 */
import { isDeepStrictEqual } from 'node:util'
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'
import { must } from '../assert.js'
import { lacksPoints } from '../domain/event/decision-points.js'
import { eventIdOf } from '../domain/event/event-id.js'
import { enriches, hasBuckets, hasClusters, type JobSettings } from '../domain/job/job.js'
import { noDecision, type Decision } from '../domain/decide/decision.js'
import type { BodyCodec } from '../store/body-codec.js'
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
import { decodeModel, encodeModel, nothingSinceTraining } from '../store/rows.js'
import { idKey, modelKey, TIME_KEY_BYTES, timeKey, timeValue, writeTimeKey } from '../store/tables.js'
import { Arrivals, type Arrival } from './arrival.js'
import { BucketCache, type Bucket } from './buckets/bucket-cache.js'
import { splitAuthor } from './message-author.js'
import { cast, labelOf } from './votes/voting.js'
import { CauseStage } from './cause/cause-stage.js'
import { waitingMark, type ActorDeps } from './redecision.js'
import { clientBodyOf, takeEnriched } from './enrichment-results.js'
import { erase } from './erase.js'
import { replyOf } from './event-reply.js'
import { eventAt, findEvent, type FoundEvent } from './event-table.js'
import { modelEvidence } from './votes/model-evidence.js'
import { mustFit, parseHistoric } from './historic-events.js'
import { JobModel } from './job-model.js'
import { JobStats, readStats } from './job-stats.js'
import type { DeferredCounters } from './buckets/deferred-counters.js'
import type { Message } from './message.js'
import { purgeRows } from './purge.js'
import { deleteEvent } from './event-deletion.js'
import type { EventReply } from './reply.js'
import { reprocess, resume, takeFeedback, takeNote, takeOverride } from './stored-events.js'
import { followOrder } from './reprocess-tasks.js'
import type { TurnStore } from './turn-store.js'

/** How an actor answers: an event's fate, or the result of any other message. */
export type ActorReply = EventReply | { readonly result: unknown }

export class JobActor {
  readonly #store: TurnStore
  readonly #codec: BodyCodec
  readonly #sectionNames: readonly string[]
  readonly #late: DeferredCounters
  readonly #stats: JobStats
  #settings!: JobSettings
  #arrivals!: Arrivals
  #buckets!: BucketCache
  #model!: JobModel
  #cause: CauseStage | null = null
  /** What comes in is looked up elsewhere before it is decided. */
  #enriches = false

  constructor(
    settings: JobSettings,
    store: TurnStore,
    codec: BodyCodec,
    sectionNames: readonly string[],
    late: DeferredCounters,
  ) {
    ;[this.#store, this.#codec, this.#sectionNames, this.#late] = [store, codec, sectionNames, late]
    this.#stats = new JobStats(settings.id, readStats(store, settings.id, settings.labels.length))
    this.configure(settings)
  }

  get atHand(): Pick<BucketCache, 'size' | 'chars'> {
    return this.#buckets
  }

  /** The job's set-up, at first and when it has changed. */
  configure(settings: JobSettings): void {
    this.#settings = settings
    this.#enriches = settings.pipeline.some(enriches)
    this.#arrivals = new Arrivals(settings, this.#codec, this.#sectionNames)
    const { fingerprint } = this.#arrivals.points
    this.#buckets = new BucketCache(settings.id, fingerprint, this.#stats, settings.labels.length, this.#late)
    this.#model = new JobModel(settings, fingerprint)
    this.#model.open(this.#store, this.#stats.row)
    this.#cause = hasClusters(settings.category)
      ? new CauseStage({ store: this.#store, codec: this.#codec, settings, stats: this.#stats, model: this.#model })
      : null
  }

  handle(message: Message): ActorReply {
    switch (message.kind) {
      case 'ingest':
        return this.#ingest(message)
      case 'historic':
        return { result: this.#historic(message) }
      case 'feedback':
        return { result: takeFeedback(this.#deps(), message) }
      case 'resume':
        return { result: resume(this.#deps(), message) }
      case 'install':
        return { result: this.#install(message) }
      case 'purge':
        return { result: this.#purge() }
      case 'reprocess':
        return { result: reprocess(this.#deps(), message) }
      case 'note':
        return { result: takeNote(this.#deps(), message) }
      case 'task':
        return { result: followOrder(this.#deps(), message) }
      case 'override':
        return { result: takeOverride(this.#deps(), message) }
      case 'erase':
        return { result: erase(this.#deps(), message, (event) => deleteEvent(this.#deps(), event)) }
      case 'enriched':
        return { result: takeEnriched(this.#deps(), message) }
      case 'collected':
      case 'passed':
        throw new Error('a message to the shard')
    }
  }

  /** The turn ends: what only the end of it knows is written, and what was decided goes into the list (decision-counts.ts). */
  finish(decided: number[]): void {
    this.#buckets.write(this.#store)
    this.#cause?.finish()
    this.#stats.write(this.#store)
    this.#stats.decided.take(this.#settings.id, decided)
  }

  shrink(bucketsMax: number, charsMax: number): void {
    this.#buckets.shrink(bucketsMax, charsMax)
  }

  #ingest(message: Message): EventReply {
    const arrival = this.#arrivals.read(message.memory, message.bodyStart, message.bodyEnd)
    const idFromBody = message.eventId === null && message.idInBody ? arrival.idInBody : null
    return this.#takeIn(
      message,
      arrival,
      message.eventId ?? idFromBody,
      idFromBody,
      this.#enriches ? this.#enrichments() : 'none',
    )
  }

  /** The walk of one event: known? → decision points → bucket → decision → record. */
  #takeIn(
    { micros, applied }: Pick<Message, 'micros' | 'applied'>,
    arrival: Arrival,
    clientId: string | null,
    idFromBody: string | null,
    enrichments: EnrichmentRequests,
  ): EventReply {
    if (clientId !== null && Buffer.byteLength(clientId) > limits.eventIdBytesMax) {
      throw new Refusal('event_id_too_long', `an event id has at most ${limits.eventIdBytesMax} bytes`)
    }
    const knownId = applied ? (clientId ?? eventIdOf(micros)) : clientId
    const known = knownId === null ? null : findEvent(this.#store, this.#settings.id, knownId)
    if (known !== null) {
      if (applied || this.#isSame(known, arrival)) {
        return this.#replyTo(known.header, known.micros, undefined, idFromBody)
      }
      deleteEvent(this.#deps(), known)
    }
    if (applied) throw new Refusal('job_not_found', 'the job was deleted')
    const bucket = hasBuckets(this.#settings.category) ? this.#bucketOf(arrival) : null
    const pending = this.#settings.status === 'STOPPED' || enrichments === 'awaited'
    const { lacks, decision } = this.#decide(arrival, micros, bucket, pending)
    const header = newHeader(decision, {
      pending,
      lacksPoints: lacks,
      hasClientId: clientId !== null,
      bucketId: bucket === null ? null : bucket.id,
      enrichments,
    })
    this.#putRecord(micros, header, arrival, clientId)
    if (clientId !== null) this.#store.put('ids', idKey(this.#settings.id, Buffer.from(clientId)), timeValue(micros))
    if (pending) this.#store.put(waitingMark(header), timeKey(this.#settings.id, micros), new Uint8Array(0))
    this.#stats.countEvent(micros, bucket !== null && bucket.events === 0, pending)
    this.#stats.countDecision(decision)
    if (enrichments === 'passed_over') this.#stats.decided.lookedUp(enrichments)
    this.#buckets.add(bucket, micros, decision.label)
    return this.#replyTo(header, micros, bucket, idFromBody)
  }

  /** Most have nothing but a body, and are written straight to where the store takes them from. */
  #putRecord(micros: number, header: RecordHeader, { body, extras }: Arrival, clientId: string | null): void {
    const [{ id }, store] = [this.#settings, this.#store]
    if (extras !== null || clientId !== null)
      return store.put('events', timeKey(id, micros), encodeRecord(header, { body, extras, clientId }))
    const at = store.lay('events', TIME_KEY_BYTES, plainRecordBytes(body))
    layPlainRecord(writeTimeKey(store.batch.memory, id, micros, at), at + TIME_KEY_BYTES, header, body)
  }

  /** The same event again (S6): of equal values, in the body and in what the client said beside it. */
  #isSame(known: FoundEvent, { body, extras }: Arrival): boolean {
    // As it would be read again: not every text that JSON can spell is kept as it came.
    const said = extras === null ? null : unpack(pack(extras))
    return (
      isDeepStrictEqual(decodeContent(known.record).extras, said) &&
      isDeepStrictEqual(clientBodyOf(this.#store, this.#codec, this.#settings.id, known), this.#codec.decode(body))
    )
  }

  /** Too many that wait would be more than the outside can ever answer: one more is decided without. */
  #enrichments(): EnrichmentRequests {
    return this.#stats.row.pending < limits.enrichmentsPendingMax ? 'awaited' : 'passed_over'
  }

  #decide(
    arrival: Arrival,
    micros: number,
    bucket: Bucket | null,
    pending: boolean,
  ): { lacks: boolean; decision: Decision } {
    if (this.#cause !== null) {
      return {
        lacks: false,
        decision: pending ? noDecision : this.#cause.take(micros, this.#arrivals.bodyOf(arrival), micros),
      }
    }
    const values = bucket === null ? this.#arrivals.valuesOf(arrival) : bucket.values
    const lacks = bucket === null ? lacksPoints(values) : bucket.lacksPoints
    return {
      lacks,
      decision: pending || lacks ? noDecision : this.#model.decide(this.#store, values, bucket, this.#stats.row),
    }
  }

  #bucketOf(arrival: Arrival): Bucket {
    const { key } = arrival
    const known = key === null ? null : this.#buckets.byKey(key)
    if (known !== null) return known
    const bucket = this.#buckets.of(this.#store, this.#arrivals.valuesOf(arrival))
    if (key !== null) this.#buckets.remember(key, bucket)
    return bucket
  }

  #replyTo(
    header: RecordHeader,
    micros: number,
    bucket: Bucket | null | undefined,
    idFromBody: string | null,
  ): EventReply {
    return replyOf(this.#store, this.#settings.id, this.#stats.row.trainedThroughSeq, {
      header,
      micros,
      bucket,
      idFromBody,
    })
  }

  /** Events with their labels, all or nothing: parsed and checked before the first is stored. */
  #historic(message: Message): number {
    const { by, body } = splitAuthor(message.body)
    const events = parseHistoric(body.toString('utf8'), this.#sectionNames, this.#settings.labels)
    mustFit(events, (body) => this.#codec.encode(body))
    if (message.applied) return events.length
    for (const [place, { envelope, feedback }] of events.entries()) {
      const micros = message.micros + place
      this.#takeIn({ micros, applied: false }, this.#arrivals.of(envelope), null, null, 'none')
      if (feedback === null) continue
      const event = must(eventAt(this.#store, this.#settings.id, micros), 'the event just stored')
      const label = labelOf(this.#settings.labels, feedback)
      modelEvidence(this.#deps(), event, label, micros)
      cast(this.#deps(), event, eventIdOf(micros), feedback, label, { by, atMicros: micros })
    }
    return events.length
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
      ...nothingSinceTraining(),
    })
    this.#model.use(row, model)
    this.#cause?.learn()
    this.#buckets.forgetDecisions()
    return null
  }

  #deps(): ActorDeps {
    return {
      store: this.#store,
      codec: this.#codec,
      settings: this.#settings,
      stats: this.#stats,
      arrivals: this.#arrivals,
      buckets: this.#buckets,
      model: this.#model,
      cause: this.#cause,
    }
  }

  /** The job is gone: deletes some of its rows; the answer says whether there are more. */
  #purge(): { more: boolean } {
    // The walk sees what is committed, and earlier messages of this turn have yet to write.
    return { more: this.#stats.changed || purgeRows(this.#store, this.#settings.id) }
  }
}
