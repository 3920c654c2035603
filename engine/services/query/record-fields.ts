/**
 * The fields of a stored event as conditions see them. Each is read when it is needed: from the key, the header, the
 * bytes of the body, or the ballot.
 *
 * Owns: the values of the service's own fields (domain/query/field.ts names them). Leaves out: which events are read.
 *
 * 1. All fields of the query are in the set before the first event is read.
 * 2. Values are valid until the next event.
 */
import { blind } from '../../domain/autonomy/passage.js'
import type { EventExtras } from '../../domain/event/envelope.js'
import { isoMicros } from '../../clock.js'
import { eventIdOf } from '../../domain/event/event-id.js'
import { pipelinePlace } from '../../domain/event/pipeline.js'
import type { ScalarValue } from '../../domain/event/point-value.js'
import type { JobSettings } from '../../domain/job/job.js'
import { decisionWords } from '../../domain/job/labels.js'
import { BodyFields } from '../../domain/query/body-fields.js'
import type { EventFields } from '../../domain/query/condition.js'
import { undecidedFields, type Field, type FieldSet, type OwnName } from '../../domain/query/field.js'
import type { BodyCodec } from '../../store/body-codec.js'
import {
  bodyStartOf,
  clientIdOf,
  decodeHeader,
  decodePrevious,
  extrasOf,
  type RecordHeader,
} from '../../store/event-record.js'
import { UNDECIDED } from '../../domain/learn/consensus.js'
import { readNotes } from '../../actor/notes.js'
import { readVotes, WHOLE_BUCKET } from '../../actor/votes/vote-rows.js'
import type { StoredVote } from '../../store/ballot-row.js'
import { nobodyAssigned, type Assignees } from './assignees.js'
import { consensusMicros, consensusName, readBallot, stateOf } from '../../actor/votes/ballots.js'
import { subjectOf, type Reads } from '../../actor/event-table.js'
import { EventTimes } from '../../actor/event-times.js'
import { LOW_CONFIDENCE, readStats } from '../../actor/job-stats.js'
import { modelIdOf } from '../../actor/model-id.js'
import { ModelTimes } from '../../actor/model-times.js'
import type { BucketState } from '../../domain/learn/knowledge-base.js'
import { saidValues, votesOfEvent } from './said-fields.js'

/** What the votes on an event amount to. */
interface Standing {
  /** The label's name, `Undecided`, or null. */
  readonly consensus: string | null
  readonly undecided: boolean
  readonly consensusMicros: number | null
  readonly state: BucketState
}

/** Ballots kept in memory while a job's events are walked. */
const STANDINGS_MAX = 50_000

const none: readonly ScalarValue[] = []
const waiting: readonly ScalarValue[] = ['pending_inference']
const finished: readonly ScalarValue[] = ['finished']
const finishedWords: readonly ScalarValue[] = ['finished', 'OK']
const noDecision: readonly ScalarValue[] = ['']
const nobodyVoted: Standing = { consensus: null, undecided: false, consensusMicros: null, state: 'new' }

/** What fields need to know of a job. */
type FieldsJob = Pick<JobSettings, 'id' | 'title' | 'labels'>

export class RecordFields implements EventFields {
  readonly #reads: Reads
  readonly #assignees: Assignees
  readonly #codec: BodyCodec
  readonly #body: BodyFields
  readonly #times: EventTimes
  readonly #modelTimes: ModelTimes
  readonly #standings = new Map<string, Standing>()
  #job!: FieldsJob
  #decisionWords: readonly (readonly ScalarValue[])[] = []
  #trainedThroughSeq = 0
  #micros = 0
  #record: Buffer = Buffer.alloc(0)
  #header: RecordHeader | null = null
  #extras: EventExtras | null | undefined = undefined
  #walked = false

  constructor(reads: Reads, codec: BodyCodec, fields: FieldSet, assignees: Assignees = nobodyAssigned) {
    this.#assignees = assignees
    this.#reads = reads
    this.#codec = codec
    this.#modelTimes = new ModelTimes(reads)
    this.#body = new BodyFields(fields.paths)
    this.#times = new EventTimes(codec)
  }

  /** Moves to a job, as the store has it now. */
  ofJob(job: FieldsJob): void {
    this.#job = job
    this.#decisionWords = decisionWords(job.labels)
    this.#standings.clear()
    this.#trainedThroughSeq = readStats(this.#reads, job.id, job.labels.length).trainedThroughSeq
  }

  /** Moves to the event with ingest time `micros`. The bytes must not change before the next one. */
  event(micros: number, record: Uint8Array): void {
    this.#micros = micros
    this.#record = Buffer.isBuffer(record) ? record : Buffer.from(record.buffer, record.byteOffset, record.byteLength)
    this.#header = null
    this.#extras = undefined
    this.#walked = false
  }

  values(field: Field): readonly ScalarValue[] {
    if (field.kind === 'own') return this.#own(field.own)
    if (field.kind === 'time')
      return [field.which === 'ingest' ? this.#micros : this.#times.of(this.#record, this.#micros)]
    this.#walk()
    for (let i = 0; i < field.slots.length; i++) {
      if (this.#body.has(field.slots[i] as number)) return this.#body.values(field.slots[i] as number)
    }
    return field.own === null ? none : this.#own(field.own)
  }

  has(field: Field): boolean {
    if (field.kind === 'time') return true
    if (field.kind === 'own') return this.#hasOwn(field.own)
    this.#walk()
    return field.slots.some((slot) => this.#body.has(slot)) || (field.own !== null && this.#hasOwn(field.own))
  }

  /** A decision that was not made counts as absent. */
  #hasOwn(name: OwnName): boolean {
    const values = this.#own(name)
    return values.length > 0 && !(values[0] === '' && undecidedFields.has(name))
  }

  #walk(): void {
    if (this.#walked) return
    this.#walked = true
    this.#codec.walk(this.#record, this.#body, bodyStartOf(this.#record))
  }

  get #decoded(): RecordHeader {
    return (this.#header ??= decodeHeader(this.#record))
  }

  #own(name: OwnName): readonly ScalarValue[] {
    switch (name) {
      case 'event_id':
        return [clientIdOf(this.#record) ?? eventIdOf(this.#micros)]
      case 'job_id':
        return [this.#job.id]
      case 'job_title':
        return [this.#job.title]
      case 'title':
      case 'severity':
      case 'storage_tag':
        return maybe(this.#extra(name))
      case 'inference_status':
        return this.#decoded.pending ? waiting : finished
      case 'inference_status_words':
        return this.#decoded.pending ? waiting : finishedWords
      case 'result':
        return [this.#job.labels[this.#decoded.label]?.id ?? '']
      case 'result_words':
        return this.#decisionWords[this.#decoded.label] ?? noDecision
      case 'result_label':
        return [this.#job.labels[this.#decoded.label]?.name ?? '']
      case 'previous_result':
        return this.#previous((label) => [this.#job.labels[label]?.id ?? ''])
      case 'previous_result_words':
        return this.#previous((label) => this.#decisionWords[label] ?? noDecision)
      case 'consensus':
        return maybe(this.#standing(this.#decoded).consensus)
      case 'bucket_state':
      case 'knowledge_base_state':
        return [this.#standing(this.#decoded).state]
      case 'bucket_id':
        return this.#decoded.bucketId === null ? none : [Buffer.from(this.#decoded.bucketId).toString('hex')]
      case 'outlier':
      case 'outlier_flag':
        return [this.#decoded.outlier]
      case 'outlier_score':
        return [Math.round(this.#decoded.outlierScore * 1e4) / 1e4]
      case 'confidence_score':
        return [this.#decoded.confidence / 100]
      case 'model':
      case 'model.path':
        return this.#decoded.modelVersion === 0 ? none : [modelIdOf(this.#job.id, this.#decoded.modelVersion)]
      case 'model.timestamp':
        return time(this.#modelTimes.trainedMicros(this.#job.id, this.#decoded.modelVersion))
      case 'last_compute_consensus_timestamp':
        return time(this.#standing(this.#decoded).consensusMicros)
      case 'pipeline_status':
        return [pipelinePlace(this.#decoded).status]
      case 'pipeline_stage':
        return [pipelinePlace(this.#decoded).stage]
      case 'autonomy':
        return this.#decoded.autonomy === 'none' ? none : [blind(this.#decoded.autonomy)]
      case 'assigned':
        return maybe(this.#assignees(this.#job.id).get(clientIdOf(this.#record) ?? eventIdOf(this.#micros)))
      case 'voter':
      case 'voted':
        return saidValues(name, this.#votes(this.#decoded), [], this.#job.labels)
      case 'note': {
        const notes = readNotes(this.#reads, this.#job.id, { record: this.#record, micros: this.#micros })
        return saidValues(name, this.#votes(this.#decoded), notes, this.#job.labels)
      }
      case 'attention.low_confidence_score.attention_required':
        return [this.#decoded.label >= 0 && this.#decoded.confidence < LOW_CONFIDENCE]
      case 'attention.undecided_consensus.attention_required':
        return [this.#standing(this.#decoded).undecided]
    }
  }

  /** The votes on the event, and on the whole of its bucket. */
  #votes(header: RecordHeader): readonly StoredVote[] {
    const subject = subjectOf(header, this.#micros)
    const mayHaveOwn = header.hasFeedback || header.bucketId === null
    const own = mayHaveOwn ? readVotes(this.#reads, this.#job.id, subject, this.#micros) : []
    if (header.bucketId === null) return own
    return votesOfEvent(own, readVotes(this.#reads, this.#job.id, subject, WHOLE_BUCKET))
  }

  /** None where the event was never reprocessed. */
  #previous(valuesOf: (label: number) => readonly ScalarValue[]): readonly ScalarValue[] {
    const previous = decodePrevious(this.#record)
    return previous === null ? none : valuesOf(previous.label)
  }

  #extra(name: keyof EventExtras): ScalarValue | null | undefined {
    if (this.#extras === undefined) this.#extras = extrasOf(this.#record)
    return this.#extras?.[name]
  }

  #standing(header: RecordHeader): Standing {
    const subject = subjectOf(header, this.#micros)
    const key = Buffer.from(subject).toString('latin1')
    const known = this.#standings.get(key)
    if (known !== undefined) return known
    const ballot = readBallot(this.#reads, this.#job.id, subject)
    const standing =
      ballot === null
        ? nobodyVoted
        : {
            consensus: consensusName(this.#job.labels, ballot.consensus),
            undecided: ballot.consensus === UNDECIDED,
            consensusMicros: consensusMicros(ballot),
            state: stateOf(ballot, this.#trainedThroughSeq),
          }
    if (this.#standings.size >= STANDINGS_MAX) this.#standings.clear()
    this.#standings.set(key, standing)
    return standing
  }
}

function time(micros: number | null): readonly ScalarValue[] {
  return micros === null ? none : [isoMicros(micros)]
}

function maybe(value: ScalarValue | null | undefined): readonly ScalarValue[] {
  return value === null || value === undefined ? none : [value]
}
