/**
 * Events as documents in wire names: the rows of `events/query`, the hits of a search.
 *
 * Owns: the documents. Leaves out: which events (job-walk.ts), the service's own section (read/export.ts).
 */
import { isoMicros } from '../../clock.js'
import { blind } from '../../domain/autonomy/passage.js'
import type { DecisionPoints } from '../../domain/event/decision-points.js'
import { eventIdOf } from '../../domain/event/event-id.js'
import type { SourceFilter } from '../../domain/query/source-filter.js'
import type { SortValues } from '../../domain/query/sort.js'
import { must } from '../../assert.js'
import {
  decodeContent,
  decodeHeader,
  decodePrevious,
  type RecordContent,
  type RecordHeader,
} from '../../store/event-record.js'
import type { BodyCodec } from '../../store/body-codec.js'
import type { BallotRow } from '../../store/ballot-row.js'
import { timeKey } from '../../store/tables.js'
import type { EventView } from '../../api/decision-service.js'
import { consensusName, readBallot, stateOf } from '../../actor/votes/ballots.js'
import { subjectOf } from '../../actor/event-table.js'
import { EventTimes } from '../../actor/event-times.js'
import { placeOf } from '../read/cluster-reader.js'
import { exportDocument } from '../read/export.js'
import type { QueryStore } from './event-scan.js'
import { readStats } from '../../actor/job-stats.js'
import { modelIdOf } from '../../actor/model-id.js'
import { ModelTimes } from '../../actor/model-times.js'
import { readEnrichments } from '../../actor/enrichment-results.js'
import { readNotes } from '../../actor/notes.js'
import type { QueriedJob } from './query-protocol.js'
import type { ShownColumns } from './shown-columns.js'
import { viewOf } from '../../actor/event-reply.js'
import type { AggregationJson } from '../../domain/query/collector.js'
import { pointsOf } from '../../domain/job/job-points.js'

interface Known {
  readonly job: QueriedJob
  readonly micros: number
  readonly record: Uint8Array
  readonly header: RecordHeader
  readonly content: RecordContent
  readonly body: Record<string, unknown>
  readonly ballot: BallotRow | null
  readonly view: EventView
  /** Its own time, or that of its arrival. */
  readonly ownMicros: number
}

export class EventDocuments {
  readonly #stores: (shard: number) => QueryStore
  readonly #serviceName: string
  readonly #pointsOnly: boolean
  readonly #columns: ShownColumns | null
  readonly #points = new Map<number, DecisionPoints>()
  readonly #times = new Map<number, ModelTimes>()
  readonly #eventTimes = new Map<number, EventTimes>()
  readonly #trainedThrough = new Map<number, number>()

  constructor(
    stores: (shard: number) => QueryStore,
    serviceName: string,
    pointsOnly: boolean,
    columns: ShownColumns | null = null,
  ) {
    this.#stores = stores
    this.#columns = columns
    this.#serviceName = serviceName
    this.#pointsOnly = pointsOnly
  }

  /**
   * One element of `events`, with the service's own section under its name. The body has two names: the one that it was
   * sent under, and the one that existing clients read.
   */
  row(job: QueriedJob, micros: number): AggregationJson {
    const known = this.#read(job, micros)
    const { view, record, header, content, body, ballot, ownMicros } = known
    const previous = decodePrevious(record)
    return {
      event_id: view.eventId,
      job_id: job.id,
      job_title: job.title,
      ingest_timestamp: isoMicros(micros),
      timestamp_inference: isoMicros(micros),
      '@timestamp': isoMicros(ownMicros),
      ...content.extras,
      status: view.status,
      error_message: view.errorMessage,
      result: view.result,
      result_label: view.resultLabel,
      previous_result: previous === null ? null : (job.labels[previous.label]?.id ?? ''),
      confidence_score: view.confidenceScore,
      outlier: view.outlier,
      outlier_score: Math.round(header.outlierScore * 1e4) / 1e4,
      bucket_id: header.bucketId === null ? null : Buffer.from(header.bucketId).toString('hex'),
      bucket_state: view.bucketState,
      consensus: ballot === null ? null : consensusName(job.labels, ballot.consensus),
      model: header.modelVersion === 0 ? null : modelIdOf(job.id, header.modelVersion),
      decision_points: this.#decisionPoints(job, body),
      ...this.#shown(known),
      [this.#serviceName]: this.#exported(known)[this.#serviceName],
      ...(this.#pointsOnly ? {} : { raw_body: body, raw_event: body }),
    }
  }

  /** One element of a list: what a line shows. */
  listed(job: QueriedJob, micros: number, withBody: boolean): AggregationJson {
    const known = this.#read(job, micros)
    const { view, header, content, body, ballot, ownMicros } = known
    const { title = null, severity = null, storage_tag = null } = content.extras ?? {}
    return {
      event_id: view.eventId,
      job_id: job.id,
      ingest_timestamp: isoMicros(micros),
      '@timestamp': isoMicros(ownMicros),
      title,
      severity,
      storage_tag,
      status: view.status,
      result: view.result,
      result_label: view.resultLabel,
      confidence_score: view.confidenceScore,
      outlier: view.outlier,
      outlier_score: Math.round(header.outlierScore * 1e4) / 1e4,
      autonomy: view.autonomy === 'none' ? null : view.autonomy,
      bucket_id: header.bucketId === null ? null : Buffer.from(header.bucketId).toString('hex'),
      bucket_state: view.bucketState,
      consensus: ballot === null ? null : consensusName(job.labels, ballot.consensus),
      votes: ballot === null ? 0 : ballot.votes.reduce((sum, votes) => sum + votes, 0),
      has_own_votes: header.hasFeedback,
      decision_points: this.#decisionPoints(job, body),
      ...this.#shown(known),
      ...(withBody ? { raw_body: body } : {}),
    }
  }

  #shown(known: Known): AggregationJson {
    return this.#columns === null ? {} : { columns: this.#columns.of(known) }
  }

  /** One element of `hits.hits`. */
  hit(job: QueriedJob, micros: number, source: SourceFilter, sort: SortValues | null): AggregationJson {
    const known = this.#read(job, micros)
    return {
      _index: `job-${job.id}`,
      _id: known.view.eventId,
      _score: sort === null ? 1 : null,
      ...(source.wanted ? { _source: source.of(this.#document(known)) } : {}),
      ...(sort === null ? {} : { sort }),
    }
  }

  /** The fields that a query can name (domain/query/field.ts), as one document. */
  #document(known: Known): AggregationJson {
    const { job, micros, body, view, ownMicros } = known
    const own = this.#exported(known)
    const section = own[this.#serviceName]
    const shown = this.#pointsOnly ? { ...this.#decisionPoints(job, body), [this.#serviceName]: section } : own
    return {
      event_id: view.eventId,
      job_id: job.id,
      job_title: job.title,
      ...shown,
      '@timestamp': isoMicros(ownMicros),
      timestamp_inference: isoMicros(micros),
    }
  }

  #exported({ job, micros, record, header, content, body, ballot, view, ownMicros }: Known): AggregationJson {
    const { environment } = this.#stores(job.shard)
    return exportDocument({
      job,
      view,
      ownMicros,
      header,
      body,
      extras: content.extras,
      ballot,
      serviceName: this.#serviceName,
      previous: decodePrevious(record),
      trainedMicros: this.#modelTimes(job.shard).trainedMicros(job.id, header.modelVersion),
      notes: readNotes(environment, job.id, { record, micros }),
      place: placeOf(environment, job, { micros, header }),
      enrichments: readEnrichments(environment, job.id, { micros, header }),
    })
  }

  #modelTimes(shard: number): ModelTimes {
    let times = this.#times.get(shard)
    if (times === undefined) this.#times.set(shard, (times = new ModelTimes(this.#stores(shard).environment)))
    return times
  }

  #decisionPoints(job: QueriedJob, body: Record<string, unknown>): AggregationJson {
    let points = this.#points.get(job.id)
    if (points === undefined) this.#points.set(job.id, (points = pointsOf(job)))
    const values = points.valuesOf(body)
    return Object.fromEntries(job.decisionPoints.map((name, at) => [name, values[at] ?? null]))
  }

  #read(job: QueriedJob, micros: number): Known {
    const { environment, codec } = this.#stores(job.shard)
    const record = must(environment.get('events', timeKey(job.id, micros)), 'an event of the snapshot')
    const header = decodeHeader(record)
    const content = decodeContent(record)
    const ballot = readBallot(environment, job.id, subjectOf(header, micros))
    const { pending, label, confidence, outlier, autonomy } = header
    const bucketState = stateOf(ballot, ballot === null ? 0 : this.#trained(job))
    const view = viewOf(job, content.clientId ?? eventIdOf(micros), {
      micros,
      pending,
      label,
      confidence,
      outlier,
      bucketState,
      autonomy: blind(autonomy),
    })
    const ownMicros = this.#timesOf(job.shard, codec).of(record, micros)
    return { job, micros, record, header, content, body: codec.decode(content.body), ballot, view, ownMicros }
  }

  #timesOf(shard: number, codec: BodyCodec): EventTimes {
    let times = this.#eventTimes.get(shard)
    if (times === undefined) this.#eventTimes.set(shard, (times = new EventTimes(codec)))
    return times
  }

  #trained(job: QueriedJob): number {
    let seq = this.#trainedThrough.get(job.id)
    if (seq === undefined) {
      seq = readStats(this.#stores(job.shard).environment, job.id, job.labels.length).trainedThroughSeq
      this.#trainedThrough.set(job.id, seq)
    }
    return seq
  }
}
