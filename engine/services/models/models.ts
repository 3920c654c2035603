/**
 * The service of the model registry, on the main thread: lists of models, and commands about them.
 *
 * Leaves out: what a command changes (actor/models/), trainings (training/), replays (replay/).
 */
import { Refusal } from '../../errors.js'
import type { JobSettings } from '../../domain/job/job.js'
import { modelsKeptOf } from '../../domain/learn/model-origin.js'
import type { ModelPage, ModelsService, ModelView, RolledBack } from '../../api/models-service.js'
import type { Author, JobHandle } from '../../api/principal.js'
import type { RegistryRow } from '../../store/registry-row.js'
import { authorOf } from '../../actor/message-author.js'
import { modelIdOf, versionOf } from '../../actor/model-id.js'
import { encodeModelCommand, type ActiveChange } from '../../actor/models/model-command.js'
import type { AuditCollector } from '../audit/audit-collector.js'
import type { ReadableShards } from '../read/job-reader.js'
import { modelViewOf } from './model-view.js'

export interface ModelsDeps {
  readonly shards: Pick<ReadableShards, 'reader'>
  readonly collector: Pick<AuditCollector, 'ask'>
  /** The job as it is now. @throws Refusal job_not_found. */
  current(job: JobHandle): JobSettings
  /** @throws Refusal draining. */
  mustAccept(): void
}

export class Models implements ModelsService {
  readonly #deps: ModelsDeps

  constructor(deps: ModelsDeps) {
    this.#deps = deps
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
    const { collector, current, mustAccept } = this.#deps
    mustAccept()
    const job = current(handle)
    const version = modelId === undefined ? null : this.#row(job, modelId).version
    const command = encodeModelCommand({ op: 'roll_back', version, by: authorOf(by) })
    const { from, to } = (await collector.ask(job, 'models', null, command)) as ActiveChange
    return { from: from === 0 ? null : modelIdOf(job.id, from), to: modelIdOf(job.id, to) }
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
