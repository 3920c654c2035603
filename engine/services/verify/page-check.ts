/**
 * Goes on with the check of a start while the service runs: the pages for which a start has no time.
 *
 * Owns: the thread, and what follows from damage. Leaves out: the check (page-check-thread.ts).
 */
import { join } from 'node:path'
import type { Refusal } from '../../errors.js'
import { threadFile } from '../../runtime/thread-files.js'
import { OccasionalThreads } from '../../runtime/threads/threads.js'
import type { PageCheckResult, PageCheckTask } from './page-check-thread.js'
import { damagedFile } from './start-check.js'

export interface PageCheckDeps {
  readonly dataDir: string
  /** Files whose pages were not all looked at (start-check.ts). Without any, no thread is started. */
  readonly files: readonly string[]
  /** What helps where a file is damaged, as in start-check.ts. */
  readonly remedy?: string
  /** Told once of a damaged page. The library would end the process where it reads this page. */
  damaged(refusal: Refusal): void
  failed(what: string, error: unknown): void
}

export class PageCheck {
  readonly #thread: OccasionalThreads<PageCheckTask, PageCheckResult>
  readonly #end = new Int32Array(new SharedArrayBuffer(4))

  constructor({ dataDir, files, remedy, damaged, failed }: PageCheckDeps) {
    this.#thread = new OccasionalThreads(
      { module: threadFile('page-check-thread'), threadsMax: 1, idleMs: 0, nice: 10 },
      (error) => failed('the thread that checks pages died', error),
    )
    if (files.length === 0) return
    const paths = files.map((file) => join(dataDir, file))
    this.#thread.run({ paths, end: this.#end.buffer }).then(
      (found) => {
        if (found !== null) damaged(damagedFile(dataDir, files[found.file] as string, found, remedy))
      },
      (error: unknown) => {
        if (Atomics.load(this.#end, 0) === 0) failed('checking pages', error)
      },
    )
  }

  async close(): Promise<void> {
    Atomics.store(this.#end, 0, 1)
    Atomics.notify(this.#end, 0)
    await this.#thread.close()
  }
}
