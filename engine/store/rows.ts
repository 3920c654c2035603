/**
 * The rows of stats and models, as values and as bytes.
 *
 * Owns: their layout. Leaves out: keys (tables.ts), events (event-record.ts), other rows (*-row.ts).
 *
 * Every row starts with the version of its layout (D11).
 */
import { assert } from '../assert.js'
import { freshTrust, type ModelTrust } from '../domain/decide/model-trust.js'
import type { ModelSummary } from '../domain/learn/classifier.js'
import type { ModelOrigin } from '../domain/learn/model-origin.js'
import type { ModelVotes } from '../domain/metrics/evidence.js'
import type { PointCounts } from '../domain/metrics/point-tally.js'
import { decodeJsonRow, encodeJsonRow } from './json-row.js'
import type { AnalystWeights, DoubtedVote, DrawnFigures } from './model-votes.js'

const VERSION = 1

/** What is counted from the installation of the active model on, mostly for the blockers of auto_retrain. */
export interface SinceTraining {
  readonly outliersSinceTraining: number
  readonly consensusChangesSinceTraining: number
  /** Changes of a consensus back to a label that it had left. */
  readonly consensusFlipsSinceTraining: number
  readonly lowConfidenceSinceTraining: number
  readonly decidedSinceTraining: number
  /** The watch over the active model; changed in place (decide/model-trust.ts). */
  readonly watch: ModelTrust
}

/** A model decides stored events that had none: those up to a time. */
export interface CaughtUp {
  /** Of the decision points. */
  readonly fingerprint: number
  readonly throughMicros: number
  /** How many of these events have no decision now. */
  readonly undecided: number
}

/** The counters of a job, and the state of its learning. */
export interface StatsRow extends SinceTraining {
  /** Events stored now. */
  readonly events: number
  readonly buckets: number
  /** Buckets ever made, and so the number of the next one. */
  readonly bucketsMade: number
  /** Events that were voted on themselves, not only through their bucket. */
  readonly feedbackEvents: number
  /** Stored events that have no decision and wait for none: the job had no model, or they lack the decision points. */
  readonly undecided: number
  /** What the latest catch-up covers (reprocess-tasks.ts); absent before the first one. */
  readonly caughtUp?: CaughtUp
  /** Events that wait for the job to start. */
  readonly pending: number
  readonly lastEventMicros: number | null
  readonly lastFeedbackMicros: number | null
  /** The number of the latest state of any ballot. */
  readonly ballotStates: number
  /** Rises by one with every change of a consensus. */
  readonly feedbackSeq: number
  /** The feedbackSeq that the active model has seen; 0 before the first model. */
  readonly trainedThroughSeq: number
  /** Active model, 0 for none. */
  readonly modelVersion: number
  /** What the active model was made from; absent without one. */
  readonly modelVotes?: ModelVotes
  /** Every version ever installed, oldest first. `registry` has them all, `models` those whose bytes are kept. */
  readonly modelVersions: readonly number[]
  /** The least trainedThroughSeq of a model that may become active: ballots keep their changes from there on. */
  readonly keepFromSeq: number
  /** The latest erasure of events; absent where there was none. */
  readonly erasedMicros?: number
  /** By label: ballots with this consensus. */
  readonly consensusCounts: readonly number[]
  /**
   * By label: voted events with this majority. An override stands for all voted events of its bucket and for one more,
   * as in a training.
   */
  readonly labelledEvents: readonly number[]
  readonly undecidedBallots: number
  /** Ballots whose consensus has a small majority. */
  readonly lowScoreBallots: number
  /** Buckets whose voted events have more than one label. */
  readonly mixedBallots: number
  /** The values at the decision points; absent before the first event. */
  readonly points?: PointCounts
}

export function emptyStats(labelCount: number): StatsRow {
  return {
    events: 0,
    buckets: 0,
    bucketsMade: 0,
    feedbackEvents: 0,
    undecided: 0,
    pending: 0,
    lastEventMicros: null,
    lastFeedbackMicros: null,
    ballotStates: 0,
    feedbackSeq: 0,
    trainedThroughSeq: 0,
    modelVersion: 0,
    modelVersions: [],
    keepFromSeq: 0,
    consensusCounts: new Array<number>(labelCount).fill(0),
    labelledEvents: new Array<number>(labelCount).fill(0),
    undecidedBallots: 0,
    lowScoreBallots: 0,
    mixedBallots: 0,
    ...nothingSinceTraining(),
  }
}

/** The fields about the time since the active model was installed, at that moment. */
export function nothingSinceTraining(): SinceTraining {
  return {
    outliersSinceTraining: 0,
    consensusChangesSinceTraining: 0,
    consensusFlipsSinceTraining: 0,
    lowConfidenceSinceTraining: 0,
    decidedSinceTraining: 0,
    watch: freshTrust(),
  }
}

/** A stored model's description. The model's bytes follow it. */
export interface ModelRow {
  readonly version: number
  readonly throughSeq: number
  readonly trainedMicros: number
  /** Of the list of decision points that it was trained on. */
  readonly fingerprint: number
  readonly summary: ModelSummary
  /** Ingest times of the events that it remembers (Model.references), microseconds; 0: not known. */
  readonly referenceMicros?: readonly number[]
  readonly origin?: ModelOrigin
  /** The votes that it contradicts most, asked without them, by doubt. */
  readonly doubted?: readonly DoubtedVote[]
  /** Of held-out votes on events that were drawn, not chosen: how many, and the share that it answers rightly. */
  readonly drawn?: DrawnFigures | undefined
  /** How much votes count from now on, where the consensus is weighted; absent where too little is known. */
  readonly analystWeights?: AnalystWeights | undefined
}

/** | 0 version | 1 0 | 4 length of the JSON u32 | 8 JSON | model bytes | */
export function encodeModel(row: ModelRow, model: Uint8Array): Buffer {
  const json = Buffer.from(JSON.stringify(row), 'utf8')
  const header = Buffer.alloc(8)
  header[0] = VERSION
  header.writeUInt32LE(json.length, 4)
  return Buffer.concat([header, json, model])
}

export function decodeModel(value: Uint8Array): { row: ModelRow; model: Uint8Array } {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  assert(bytes[0] === VERSION, 'the model row has a version that this code knows')
  const jsonEnd = 8 + bytes.readUInt32LE(4)
  return { row: JSON.parse(bytes.toString('utf8', 8, jsonEnd)) as ModelRow, model: bytes.subarray(jsonEnd) }
}

/** The bytes of the model alone, a view. */
export function modelIn(value: Buffer): Buffer {
  assert(value[0] === VERSION, 'the model row has a version that this code knows')
  return value.subarray(8 + value.readUInt32LE(4))
}

export function encodeStats(row: StatsRow): Buffer {
  return encodeJsonRow(row)
}

export function decodeStats(value: Uint8Array): StatsRow {
  return decodeJsonRow(value) as StatsRow
}
