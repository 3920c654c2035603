/** Field statistics, on the main thread: the way to a reader thread and back. */
import type { SampleService, SampleStatistics } from '../../api/live/sample-service.js'
import { limits } from '../../limits.js'
import { Line } from '../readers/line.js'
import { ReaderTasks, type ReaderTasksDeps } from '../readers/reader-tasks.js'

export class Samples implements SampleService {
  readonly #tasks: ReaderTasks
  /** A sample takes many times its size in memory while it is read, so there is one at a time. */
  readonly #line = new Line()

  constructor(deps: ReaderTasksDeps) {
    this.#tasks = new ReaderTasks(deps)
  }

  async statistics(bytes: Uint8Array, points: readonly string[] | null): Promise<SampleStatistics> {
    this.#tasks.mustBeOpen()
    return this.#line.after(async () => {
      const { statistics } = await this.#tasks.ask('sample', { bytes, points }, limits.queryMsMax)
      return statistics
    })
  }

  /** Refuses what comes. */
  close(): void {
    this.#tasks.close()
  }
}
