/**
 * The actor of one job: what happens to each kind of message (D5). This file is the table of contents of everything
 * that changes a job's state.
 *
 * Owns: the job's state in memory (settings, counters, buckets, model), and which stage handles a message. Leaves out:
 * the stages (event-intake.ts, stored-events.ts), turns and commits (shard.ts), queries (job-reader.ts).
 *
 * 1. State changes through messages only, and only in the turn's store. When a commit fails, the state in memory is
 *    dropped.
 * 2. A message is applied once. Where an earlier run of its turn has committed it (`applied`), it is only answered.
 */
import { hasClusters, type JobSettings } from '../domain/job/job.js'
import type { BodyCodec } from '../store/body-codec.js'
import type { ActorDeps } from './actor-deps.js'
import { takeAutonomyCommand } from './autonomy/autonomy-commands.js'
import type { ComingEvents } from './autonomy/coming-events.js'
import { GateKeeper } from './autonomy/gate-keeper.js'
import { Arrivals } from './arrival.js'
import { AnswerMemo } from './buckets/answer-memo.js'
import { BucketCache } from './buckets/bucket-cache.js'
import type { BucketMemory } from './buckets/bucket-memory.js'
import type { LateRows } from './buckets/late-rows.js'
import { PointCounter } from './buckets/point-counter.js'
import { CauseStage } from './cause/cause-stage.js'
import { takeEnriched } from './enrichment-results.js'
import { erase } from './erase.js'
import { EventIntake } from './event-intake.js'
import { Findings } from './findings.js'
import { JobModel } from './job-model.js'
import { JobStats, readStats } from './job-stats.js'
import type { Message } from './message.js'
import { followVerdict } from './models/challengers.js'
import { takeModelCommand } from './models/model-commands.js'
import { takeReplayCommand } from './models/replay-commands.js'
import { takeHistory } from './history.js'
import { installModel } from './models/install.js'
import type { ModelMemory } from './models/model-memory.js'
import { Trial } from './models/trial.js'
import { purgeRows } from './purge.js'
import type { ActorReply } from './reply.js'
import { takeTaskCommand } from './reprocess-tasks.js'
import { reprocess, resume, takeFeedback, takeNote, takeOverride } from './stored-events.js'
import type { TurnStore } from './turn-store.js'

/** What the actors of a shard share. */
export interface JobActorDeps {
  readonly store: TurnStore
  readonly codec: BodyCodec
  readonly sectionNames: readonly string[]
  readonly late: LateRows
  readonly coming: ComingEvents
  readonly memory: BucketMemory
  readonly models: ModelMemory
}

export class JobActor {
  readonly #shared: JobActorDeps
  readonly #stats: JobStats
  readonly #gates: GateKeeper
  readonly #trial: Trial
  readonly #findings: Findings
  #points: PointCounter | null = null
  #deps!: ActorDeps
  #intake!: EventIntake

  constructor(settings: JobSettings, shared: JobActorDeps) {
    this.#shared = shared
    this.#stats = new JobStats(settings.id, readStats(shared.store, settings.id, settings.labels.length))
    this.#gates = new GateKeeper(settings, shared.store, this.#stats, shared.coming)
    this.#trial = new Trial(settings.id, settings.labels.length, shared.store, this.#stats)
    this.#trial.keepIn(shared.models)
    this.#findings = new Findings(settings.id, shared.store)
    this.configure(settings)
  }

  /** The memory of its buckets is free: it is not used any more, or its job is set up anew. */
  drop(): void {
    this.#deps.buckets.drop()
    this.#deps.answers.drop()
    this.#deps.model.drop()
    this.#deps.trial.drop()
  }

  /** Gives back memory between turns. True where all of it could go: then the actor is not used any more. */
  forget(): boolean {
    const { buckets, answers } = this.#deps
    buckets.shrink(0)
    answers.shrink()
    if (buckets.size > 0) return false
    this.drop()
    return true
  }

  /** Takes the job's settings, when it starts and whenever they have changed. */
  configure(settings: JobSettings): void {
    const { store, codec, sectionNames, late, memory, models } = this.#shared
    const stats = this.#stats
    const arrivals = new Arrivals(settings, codec, sectionNames)
    const { fingerprint } = arrivals.points
    const buckets = new BucketCache({ settings, fingerprint, stats, late, memory })
    const answers = new AnswerMemo(fingerprint, memory)
    const model = new JobModel(settings, fingerprint, store, stats)
    model.open(models)
    const cause = hasClusters(settings.category) ? new CauseStage({ store, codec, settings, stats, model }) : null
    const known = this.#points?.isFor(settings, fingerprint) === true ? this.#points : null
    const points = known ?? new PointCounter(settings, fingerprint, store, stats)
    this.#points = points
    const gates = this.#gates
    gates.use(settings)
    const trial = this.#trial
    const findings = this.#findings
    const own = { store, codec, settings, stats, arrivals, buckets, answers }
    this.#deps = { ...own, points, model, gates, trial, cause, findings }
    this.#intake = new EventIntake(this.#deps, sectionNames)
  }

  handle(message: Message): ActorReply {
    const reply = this.#handle(message)
    if (this.#trial.row?.auto === true && !message.applied) followVerdict(this.#deps, message.micros)
    return reply
  }

  #handle(message: Message): ActorReply {
    const deps = this.#deps
    switch (message.kind) {
      case 'ingest':
        return this.#intake.ingest(message)
      case 'historic':
        return { result: this.#intake.historic(message) }
      case 'history':
        return { result: takeHistory(deps, this.#intake, message) }
      case 'feedback':
        return { result: takeFeedback(deps, message) }
      case 'override':
        return { result: takeOverride(deps, message) }
      case 'note':
        return { result: takeNote(deps, message) }
      case 'resume':
        return { result: resume(deps, message) }
      case 'enriched':
        return { result: takeEnriched(deps, message) }
      case 'reprocess':
        return { result: reprocess(deps, message) }
      case 'task':
        return { result: takeTaskCommand(deps, message) }
      case 'autonomy':
        return { result: takeAutonomyCommand(deps, message) }
      case 'install':
        return { result: installModel(deps, message) }
      case 'replay':
        return { result: takeReplayCommand(deps, message) }
      case 'models':
        return { result: takeModelCommand(deps, message) }
      case 'findings':
        return { result: this.#findings.take(message) }
      case 'erase':
        return { result: erase(deps, message) }
      case 'purge':
        return { result: this.#purge() }
      case 'collected':
      case 'passed':
        throw new Error('a message to the shard')
    }
  }

  /** Writes what only the end of the turn knows, and adds what was decided to the list (decision-counts.ts). */
  finish(decided: number[]): void {
    const { store, settings, stats, buckets, points, cause } = this.#deps
    buckets.write(store)
    cause?.finish()
    points.write(store)
    this.#findings.write()
    this.#gates.write()
    this.#trial.write()
    stats.write(store)
    stats.decided.take(settings.id, decided)
  }

  /** The job was deleted: deletes some of its rows. The answer says whether there are more. */
  #purge(): { more: boolean } {
    const { store, settings, stats } = this.#deps
    // The walk sees committed rows only, and earlier messages of this turn are not committed yet.
    return { more: stats.changed || purgeRows(store, settings.id) }
  }
}
