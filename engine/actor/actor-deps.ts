/** What the stages of an actor work with: the job's set-up, its state in memory, and the store of the turn. */
import type { JobSettings } from '../domain/job/job.js'
import type { BodyCodec } from '../store/body-codec.js'
import type { GateKeeper } from './autonomy/gate-keeper.js'
import type { Arrivals } from './arrival.js'
import type { AnswerMemo } from './buckets/answer-memo.js'
import type { BucketCache } from './buckets/bucket-cache.js'
import type { LateRowsOptions } from './buckets/late-rows.js'
import type { BucketMemory } from './buckets/bucket-memory.js'
import type { PointCounter } from './buckets/point-counter.js'
import type { CauseStage } from './cause/cause-stage.js'
import type { Findings } from './findings.js'
import type { JobModel } from './job-model.js'
import type { ModelMemory } from './models/model-memory.js'
import type { Trial } from './models/trial.js'
import type { JobStats } from './job-stats.js'
import type { HandOver, TurnStore } from './turn-store.js'

export interface ActorDeps {
  readonly store: TurnStore
  readonly codec: BodyCodec
  readonly settings: JobSettings
  readonly stats: JobStats
  readonly arrivals: Arrivals
  readonly buckets: BucketCache
  readonly answers: AnswerMemo
  readonly points: PointCounter
  readonly findings: Findings
  readonly model: JobModel
  readonly gates: GateKeeper
  readonly trial: Trial
  /** Null where the job does not cluster its events. */
  readonly cause: CauseStage | null
}

/** How many actors of a shard stay in memory, and how many while its thread rests. */
export interface ActorsMax {
  readonly working: number
  readonly resting: number
}

/** How a shard differs from one that is alone on its thread. */
export interface ShardOptions extends LateRowsOptions {
  readonly actorsMax?: ActorsMax
  /** Commits large turns. */
  readonly handOver?: HandOver
  /** Shared by the shards of one thread. */
  readonly memory?: BucketMemory
  readonly models?: ModelMemory
}
