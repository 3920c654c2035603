/** A training as plain data: what a training thread gets, and what it returns. */
import type { CauseSettings } from '../../domain/cause/settings.js'
import type { Types } from '../../domain/event/plain-value.js'
import type { LabelsByRole } from '../../domain/job/label-roles.js'
import type { Objective } from '../../domain/job/objective.js'
import type { ModelSummary } from '../../domain/learn/classifier.js'
import type { AnalystWeights, DoubtedVote, DrawnFigures } from '../../store/model-votes.js'

export interface TrainingTask {
  readonly dataDir: string
  readonly shard: number
  readonly jobId: number
  readonly points: readonly string[]
  /** What is equal at the points. */
  readonly types?: Types
  /** Names, in order. */
  readonly labels: readonly string[]
  readonly buckets: boolean
  readonly seed: number
  readonly objective: Objective
  /** Their votes are left out. */
  readonly withoutAnalysts?: readonly string[]
  /** Present where the job clusters its events. */
  readonly cause?: CauseSettings
  /** Which label is the root cause, the symptom, neither; present where `cause` is. */
  readonly byRole?: LabelsByRole
  /** Progress and cancellation, shared: see TrainingSignals. */
  readonly signals: SharedArrayBuffer
}

export interface TrainingResult {
  readonly model: Uint8Array
  readonly summary: ModelSummary
  /** The feedback sequence of the snapshot. */
  readonly throughSeq: number
  /** Labelled buckets or events. */
  readonly examples: number
  /** By label: the same. */
  readonly labelCounts: readonly number[]
  /** The position of the snapshot in the log: messages up to this time were applied, microseconds. */
  readonly throughMicros: number
  /** Ingest times of the events that the model remembers, microseconds, in the order of its references. */
  readonly referenceMicros: readonly number[]
  /** The votes that held-out answers contradict most, by doubt. */
  readonly doubted: readonly DoubtedVote[]
  /** Of held-out votes on events that were drawn; undefined without any. */
  readonly drawn?: DrawnFigures | undefined
  /** How much votes of each analyst count; undefined where too little is known. */
  readonly analystWeights?: AnalystWeights | undefined
}

const TEXT_BYTES = 120

/** Shared cells: a training reports its progress through them, and learns that it is cancelled. */
export class TrainingSignals {
  readonly memory: SharedArrayBuffer
  readonly #cells: Int32Array
  readonly #text: Buffer

  constructor(memory = new SharedArrayBuffer(16 + TEXT_BYTES)) {
    this.memory = memory
    this.#cells = new Int32Array(memory, 0, 4)
    this.#text = Buffer.from(memory, 16, TEXT_BYTES)
  }

  cancel(): void {
    Atomics.store(this.#cells, 1, 1)
  }

  /** Called by the thread. `done`: 0 to 1. False when it should stop. */
  report(done: number, what: string): boolean {
    const bytes = this.#text.write(what, 'utf8')
    Atomics.store(this.#cells, 2, bytes)
    Atomics.store(this.#cells, 0, Math.round(done * 1000))
    return Atomics.load(this.#cells, 1) === 0
  }

  /** Percent done, 0 to 100, and what the training does. */
  read(): { percent: number; what: string } {
    const bytes = Atomics.load(this.#cells, 2)
    return {
      percent: Math.floor(Atomics.load(this.#cells, 0) / 10),
      what: Buffer.from(this.#text.subarray(0, bytes)).toString('utf8'),
    }
  }
}
