/**
 * The service of the model registry, on the main thread: lists of models, and commands about them.
 *
 * Leaves out: what a command changes (actor/models/), trainings (training/), replays (replay/).
 */
import { Refusal } from '../../errors.js'
import { hasClusters, type JobSettings } from '../../domain/job/job.js'
import { missingForTraining } from '../../domain/learn/knowledge-base.js'
import { modelsKeptOf } from '../../domain/learn/model-origin.js'
import type {
  ChallengeRequest,
  ChallengerView,
  ModelPage,
  ModelsService,
  ModelView,
  RolledBack,
} from '../../api/models/models-service.js'
import type { Author, JobHandle } from '../../api/principal.js'
import type { RegistryRow } from '../../store/registry-row.js'
import { authorOf } from '../../actor/message-author.js'
import { modelIdOf, versionOf } from '../../actor/model-id.js'
import { encodeModelCommand, type ActiveChange, type ModelCommand } from '../../actor/models/model-command.js'
import { mustHaveVoted } from '../analysts/unknown-analysts.js'
import type { AuditCollector } from '../audit/audit-collector.js'
import type { ReadableShards } from '../read/job-reader.js'
import type { ReaderThreads } from '../readers/reader-threads.js'
import type { Trainings } from '../training/trainings.js'
import { challengerViewOf } from './challenger-view.js'
import { modelViewOf } from './model-view.js'

export interface ModelsDeps {
  readonly shards: Pick<ReadableShards, 'reader'>
  readonly collector: Pick<AuditCollector, 'ask'>
  readonly readers: Pick<ReaderThreads, 'ask'>
  readonly trainings: Pick<Trainings, 'request'>
  /** The job as it is now. @throws Refusal job_not_found. */
  current(job: JobHandle): JobSettings
  /** @throws Refusal draining. */
  mustAccept(): void
}

export class Models implements ModelsService {
  readonly #deps: ModelsDeps
  readonly #listeners: ((jobId: number) => void)[] = []

  constructor(deps: ModelsDeps) {
    this.#deps = deps
  }

  /** The listener is told of jobs that may have another model in use. */
  onActivated(listener: (jobId: number) => void): void {
    this.#listeners.push(listener)
  }

  list(handle: JobHandle, page: number, size: number): ModelPage {
    const job = this.#deps.current(handle)
    const rows = this.#deps.shards.reader(job.shard).models(job.id).all().reverse()
    const active = this.#active(job)
    return {
      models: rows.slice(page * size, (page + 1) * size).map((row) => modelViewOf(job, row, active)),
      total: rows.length,
      keptMax: modelsKeptOf(job.advancedSettings),
    }
  }

  model(handle: JobHandle, modelId: string): ModelView {
    const job = this.#deps.current(handle)
    return modelViewOf(job, this.#row(job, modelId), this.#active(job))
  }

  async rollBack(handle: JobHandle, modelId: string | undefined, by: Author): Promise<RolledBack> {
    const { current, mustAccept } = this.#deps
    mustAccept()
    const job = current(handle)
    const version = modelId === undefined ? null : this.#row(job, modelId).version
    const { from, to } = await this.#command(job, { op: 'roll_back', version, by: authorOf(by) })
    return { from: from === 0 ? null : modelIdOf(job.id, from), to: modelIdOf(job.id, to) }
  }

  challenger(handle: JobHandle): ChallengerView | null {
    const job = this.#deps.current(handle)
    const row = this.#deps.shards.reader(job.shard).models(job.id).trial()
    return row === null ? null : challengerViewOf(job.id, row)
  }

  async challenge(handle: JobHandle, request: ChallengeRequest, by: Author): Promise<ChallengerView | null> {
    const { current, mustAccept, trainings, shards, readers } = this.#deps
    mustAccept()
    const job = current(handle)
    const { modelId, objective, withoutAnalysts, seed } = request
    const terms = {
      ...(objective === undefined ? {} : { objective }),
      ...(withoutAnalysts === undefined || withoutAnalysts.length === 0 ? {} : { withoutAnalysts }),
      ...(seed === undefined ? {} : { seed }),
    }
    if (modelId !== undefined) {
      if (Object.keys(terms).length > 0) throw bothGiven()
      const { version } = this.#row(job, modelId)
      await this.#command(job, { op: 'challenge', version, by: authorOf(by) })
      return this.challenger(handle)
    }
    const { modelVersion, labelledEvents } = shards.reader(job.shard).stats(job)
    if (modelVersion === 0 || hasClusters(job.category)) throw cannotChallenge(job)
    const names = job.labels.map(({ name }) => name)
    const missing = missingForTraining(labelledEvents, names)
    if (missing !== null) throw new Refusal('not_enough_feedback', missing)
    await mustHaveVoted(readers, job, withoutAnalysts ?? [])
    trainings.request(current(handle), by.name, by, { why: 'challenger', terms })
    return null
  }

  async promote(handle: JobHandle, by: Author): Promise<RolledBack> {
    this.#deps.mustAccept()
    const job = this.#deps.current(handle)
    const { from, to } = await this.#command(job, { op: 'promote', by: authorOf(by) })
    return { from: modelIdOf(job.id, from), to: modelIdOf(job.id, to) }
  }

  async drop(handle: JobHandle, by: Author): Promise<void> {
    this.#deps.mustAccept()
    await this.#command(this.#deps.current(handle), { op: 'drop', by: authorOf(by) })
  }

  async #command(job: JobSettings, command: ModelCommand): Promise<ActiveChange> {
    const change = (await this.#deps.collector.ask(job, 'models', null, encodeModelCommand(command))) as ActiveChange
    for (const listener of this.#listeners) listener(job.id)
    return change
  }

  #active(job: JobSettings): number {
    return this.#deps.shards.reader(job.shard).stats(job).modelVersion
  }

  /** @throws Refusal model_not_found. */
  #row(job: JobSettings, modelId: string): RegistryRow {
    const version = versionOf(job.id, modelId)
    const row = version === null ? null : this.#deps.shards.reader(job.shard).models(job.id).one(version)
    if (row !== null) return row
    throw new Refusal('model_not_found', 'model not found', { details: `the job ${job.id} has no model of that id` })
  }
}

function bothGiven(): Refusal {
  const msg = 'a model is named, so none is trained: leave out either the model or what it is trained with'
  return new Refusal('invalid_body', `model_id: ${msg}`, {
    issues: [{ loc: ['body', 'model_id'], msg, type: 'value_error' }],
  })
}

function cannotChallenge({ category }: JobSettings): Refusal {
  return hasClusters(category)
    ? new Refusal('challenger_refused', 'a job of root cause analysis cannot have a challenger', {
        details: 'the answers of a model change the clusters: compare two models with a replay',
      })
    : new Refusal('challenger_refused', 'the job has no model in use that a challenger could be compared with', {
        details: 'train the job first',
      })
}
