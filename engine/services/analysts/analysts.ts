/** The service of figures about analysts, on the main thread. The work is done on reader threads. */
import type { JobSettings } from '../../domain/job/job.js'
import type { AnalystsService, AnalystsView } from '../../api/analysts-service.js'
import type { JobHandle } from '../../api/principal.js'
import type { ReaderThreads } from '../readers/reader-threads.js'

export interface AnalystsDeps {
  readonly readers: Pick<ReaderThreads, 'ask'>
  /** The job as it is now. @throws Refusal job_not_found. */
  current(job: JobHandle): JobSettings
}

export class Analysts implements AnalystsService {
  readonly #deps: AnalystsDeps

  constructor(deps: AnalystsDeps) {
    this.#deps = deps
  }

  async of(handle: JobHandle): Promise<AnalystsView> {
    return await this.#deps.readers.ask('analysts', { job: this.#deps.current(handle) })
  }
}
