/**
 * The messages of a stream from a place on, read from the store.
 *
 * Owns: which messages there are, and their order. Leaves out: their documents (stream-messages.ts), who gets them
 * (streams.ts).
 *
 * 1. A snapshot holds every message to a shard up to the time of its last commit (shard.ts, 4). So who has read up to
 *    that time has missed nothing.
 * 2. An event that is not decided is passed by. Deciding it, for the first time or again, writes a row into `changes`.
 * 3. Changes are read before events, from the same snapshot. A change of an event that is still to be read is passed
 *    by, because the event is told of as it stands. So nothing is told twice.
 *    Of several changes of an event the last one in the snapshot is told, because each is told as the event stands.
 * 4. Votes and trainings are entries of the audit log, whose order and number never change.
 * 5. One piece reads a bounded number of rows and writes a bounded number of bytes.
 */
import { must } from '../../assert.js'
import { limits } from '../../limits.js'
import { hasClusters, type JobSettings } from '../../domain/job/job.js'
import { eventIdOf } from '../../domain/event/event-id.js'
import { matches, type Condition } from '../../domain/query/condition.js'
import { FieldSet } from '../../domain/query/field.js'
import { compileFilters, type Filter } from '../../domain/query/filter.js'
import { decisionBefore } from '../../actor/decision-changes.js'
import { eventAt, findEvent, lastTime, type FoundEvent } from '../../actor/event-table.js'
import { readStats } from '../../actor/job-stats.js'
import { decodeContent, decodeHeader, decodePrevious, type RecordHeader } from '../../store/event-record.js'
import type { Environment } from '../../store/environment.js'
import { changeKey, changeOfKey, jobKey, metaKey, timeKey, timeOfKey, timeOfValue } from '../../store/tables.js'
import type { QueriedJob } from '../query/query-protocol.js'
import type { QueryStore } from '../query/event-scan.js'
import { RecordFields } from '../query/record-fields.js'
import { placeOf } from '../read/cluster-reader.js'
import { EventReader } from '../read/event-reader.js'
import { auditEnd, EntryReader } from './entry-reader.js'
import { decisionDocument, joinedDocument, MessageWriter } from './stream-messages.js'
import { Piece, placeIn } from './stream-piece.js'
import { parsePosition, positionText, type JobPlace, type StreamPosition } from './stream-position.js'
import type { StreamPiece, StreamTask } from './stream-task.js'

export interface StreamStores {
  /** Open shards; all of them show one snapshot each while the reader is used. */
  readonly shard: (shard: number) => QueryStore
  /** The catalog with the tables of the audit log. */
  readonly catalog: Environment
}

/** What is read for streams of one kind, from one snapshot. */
export class StreamReader {
  readonly #task: StreamTask
  readonly #stores: StreamStores
  readonly #condition: Condition | null
  readonly #fieldSet: FieldSet
  readonly #shards = new Map<number, { readonly events: EventReader; readonly fields: RecordFields; last: number }>()
  readonly #jobs: ReadonlyMap<number, QueriedJob>
  readonly #entries: EntryReader

  constructor(task: StreamTask, stores: StreamStores) {
    this.#task = task
    this.#stores = stores
    this.#fieldSet = new FieldSet(task.serviceNames)
    this.#jobs = new Map(task.jobs.map((job) => [job.id, job]))
    this.#condition =
      task.filters.length === 0
        ? null
        : compileFilters(task.filters as readonly Filter[], this.#fieldSet, {
            nowMicros: task.nowMicros,
            offsetMinutes: 0,
          })
    this.#entries = new EntryReader({
      catalog: stores.catalog,
      types: task.types,
      job: (id) => this.#jobs.get(id),
      passes: (job, eventId) => this.#passesById(job, eventId),
    })
  }

  /** The next messages from a position on; from '' on the one that says where the stream begins. */
  piece(text: string): StreamPiece {
    const writer = new MessageWriter(this.#task.form)
    if (text === '') {
      const position = this.#end()
      const next = positionText(position)
      writer.add('ready', next, { jobs: [...position.jobs.keys()] })
      return { messages: writer.bytes(), next, more: false }
    }
    const position = must(parsePosition(text), 'the text of a position')
    const piece = new Piece(writer, position)
    // A job that is not asked for any more has no place.
    for (const id of position.jobs.keys()) if (!this.#jobs.has(id)) position.jobs.delete(id)
    const wants = (type: StreamTask['types'][number]): boolean => this.#task.types.includes(type)
    const share = Math.max(4_096, limits.streamPieceBytesMax / Math.max(1, this.#task.jobs.length))
    let more = false
    for (const job of this.#task.jobs) {
      const place = placeIn(position, job.id)
      if (wants('decision')) more = this.#readChanges(job, place, piece, share) || more
      if (wants('decision') || wants('cluster')) more = this.#readEvents(job, place, piece, share) || more
    }
    if (wants('vote') || wants('training')) more = this.#entries.read(piece) || more
    return { messages: writer.bytes(), next: positionText(position), more }
  }

  /** The end of what there is now. */
  #end(): StreamPosition {
    const jobs = new Map<number, JobPlace>()
    let began = 0
    for (const { id, shard } of this.#task.jobs) {
      const next = this.#shard(shard).last + 1
      jobs.set(id, { event: next, change: next, changeEvent: 0, told: 0 })
    }
    for (const { event } of jobs.values()) began = Math.max(began, event)
    return { began: Math.max(began, this.#task.nowMicros), audit: auditEnd(this.#stores.catalog), jobs }
  }

  #shard(number: number) {
    let shard = this.#shards.get(number)
    if (shard !== undefined) return shard
    const { environment, codec } = this.#stores.shard(number)
    const events = new EventReader(environment, (job) => readStats(environment, job.id, job.labels.length))
    const fields = new RecordFields(environment, codec, this.#fieldSet)
    shard = { events, fields, last: lastTime(environment) }
    this.#shards.set(number, shard)
    return shard
  }

  /** Decisions that changed after their event was passed. True where there may be more. */
  #readChanges(job: QueriedJob, place: JobPlace, piece: Piece, share: number): boolean {
    const { environment } = this.#stores.shard(job.shard)
    const { last } = this.#shard(job.shard)
    const forgotten = environment.get('meta', metaKey('changes_forgotten'))
    if (forgotten !== undefined && place.change <= timeOfValue(forgotten)) piece.gap(job.id, timeOfValue(forgotten))
    const end = piece.bytes + share
    let rows = 0
    for (const { key, value } of environment.range('changes', {
      from: changeKey(job.id, place.change, place.changeEvent),
      to: jobKey(job.id + 1),
    })) {
      if (piece.bytes >= end || ++rows > limits.streamRecordsPerPiece) return true
      const { changeMicros, eventMicros } = changeOfKey(key)
      place.change = changeMicros
      place.changeEvent = eventMicros + 1
      // An event that is still to be read is told of then.
      if (eventMicros > place.event || (eventMicros === place.event && place.told === 0)) continue
      const event = eventAt(environment, job.id, eventMicros)
      if (event === null || event.header.pending || isChangedLater(environment, job.id, event, changeMicros)) continue
      if (!this.#passes(job, eventMicros, event.record)) continue
      const isAgain = decisionBefore(value) !== null
      piece.add('decision', this.#decision(job, eventMicros, event.record, event.header, isAgain))
    }
    place.change = Math.max(place.change, last + 1)
    place.changeEvent = 0
    return false
  }

  /** New events. True where there may be more. */
  #readEvents(job: QueriedJob, place: JobPlace, piece: Piece, share: number): boolean {
    const { environment } = this.#stores.shard(job.shard)
    const { last } = this.#shard(job.shard)
    if (last < place.event) return false
    const end = piece.bytes + share
    const range = { from: timeKey(job.id, place.event), to: timeKey(job.id, last + 1) }
    let rows = 0
    let isWhole = true
    environment.scan('events', range, (key, value) => {
      if (piece.bytes >= end || ++rows > limits.streamRecordsPerPiece) {
        isWhole = false
        return false
      }
      const micros = timeOfKey(key)
      if (micros > place.event) place.told = 0
      place.event = micros
      this.#tell(job, place, value, piece)
      return true
    })
    if (!isWhole) return true
    place.event = last + 1
    place.told = 0
    return false
  }

  /** The messages about a new event: its decision, then the cluster that it came into. */
  #tell(job: QueriedJob, place: JobPlace, value: Uint8Array, piece: Piece): void {
    const micros = place.event
    const header = decodeHeader(value)
    const { types } = this.#task
    const passed = place.told
    const isTold = !header.pending && this.#passes(job, micros, value)
    const record = isTold ? Buffer.from(value) : value
    place.told = 1
    if (isTold && passed < 1 && types.includes('decision'))
      piece.add('decision', this.#decision(job, micros, record, header, false))
    place.event = micros + 1
    place.told = 0
    if (!isTold || passed > 1 || !types.includes('cluster') || !hasClusters(job.category)) return
    const found = placeOf(this.#stores.shard(job.shard).environment, job, { micros, header })
    const eventId = decodeContent(record).clientId ?? eventIdOf(micros)
    if (found !== null) piece.add('cluster', joinedDocument(job.id, eventId, found.cluster))
  }

  #passesById(job: QueriedJob, eventId: string): boolean {
    if (this.#condition === null) return true
    const event = findEvent(this.#stores.shard(job.shard).environment, job.id, eventId)
    return event !== null && this.#passes(job, event.micros, event.record)
  }

  #passes(job: QueriedJob, micros: number, record: Uint8Array): boolean {
    if (this.#condition === null) return true
    const { fields } = this.#shard(job.shard)
    fields.ofJob(job)
    fields.event(micros, record)
    return matches(this.#condition, fields)
  }

  // biome-ignore lint/complexity/useMaxParams: called for every event of every stream.
  #decision(job: QueriedJob, micros: number, record: Uint8Array, header: RecordHeader, isAgain: boolean): object {
    const { clientId, extras } = decodeContent(record)
    const view = this.#shard(job.shard).events.view(
      job as unknown as JobSettings,
      clientId ?? eventIdOf(micros),
      micros,
      header,
    )
    const bucketId = header.bucketId === null ? null : Buffer.from(header.bucketId).toString('hex')
    return decisionDocument(view, { isAgain, bucketId, extras })
  }
}

/** Whether the event was decided once more after that change, with a row that is read later. */
function isChangedLater(environment: Environment, jobId: number, event: FoundEvent, changeMicros: number): boolean {
  const latest = decodePrevious(event.record)?.reprocessedMicros ?? 0
  return latest > changeMicros && environment.get('changes', changeKey(jobId, latest, event.micros)) !== undefined
}
