/** A job in one snapshot, as explanations read it. */
import { CauseModel } from '../../domain/cause/cause-model.js'
import { hasClusters, type JobSettings } from '../../domain/job/job.js'
import { readStats } from '../../actor/job-stats.js'
import type { BodyCodec } from '../../store/body-codec.js'
import type { Environment } from '../../store/environment.js'
import type { StatsRow } from '../../store/rows.js'
import { openedModel, type ExplainedModel } from './opened-models.js'
import { pointsFingerprint } from '../../domain/job/job-points.js'

export class JobAt {
  readonly job: JobSettings
  readonly environment: Environment
  readonly codec: BodyCodec
  readonly stats: StatsRow
  /** Of the present decision points. */
  readonly fingerprint: number
  readonly #dataDir: string

  constructor(job: JobSettings, dataDir: string, environment: Environment, codec: BodyCodec) {
    this.job = job
    this.#dataDir = dataDir
    this.environment = environment
    this.codec = codec
    this.stats = readStats(environment, job.id, job.labels.length)
    this.fingerprint = pointsFingerprint(job)
  }

  /** A version of the job's model; null where there is none. */
  model(version: number): ExplainedModel | null {
    return openedModel(this.#dataDir, this.environment, this.job.id, version)
  }

  /** The model can read the values of the job's events. */
  fits({ row, model }: ExplainedModel): boolean {
    return row.fingerprint === this.fingerprint && hasClusters(this.job.category) === model instanceof CauseModel
  }

  /** The model that answers new events, where it can. */
  get active(): ExplainedModel | null {
    const model = this.model(this.stats.modelVersion)
    return model !== null && this.fits(model) ? model : null
  }
}
