/** Settings of jobs that the thread of one shard has been given: only what it lacks goes along with a turn, and never an older one. */
import type { JobSettings } from '../job/job.js'

export class KnownSettings {
  /** The latest of each job that a turn was started with. */
  readonly #latest = new Map<number, JobSettings>()
  readonly #revisions = new Map<number, number>()

  /** The latest of each of these jobs, as far as the thread does not have it; it has them then. */
  lacking(jobs: Iterable<JobSettings>): JobSettings[] {
    const lacking: JobSettings[] = []
    for (const job of jobs) {
      const before = this.#latest.get(job.id)
      const latest = before === undefined || before.revision < job.revision ? job : before
      if ((this.#revisions.get(job.id) ?? -1) >= latest.revision) continue
      this.#latest.set(job.id, latest)
      this.#revisions.set(job.id, latest.revision)
      lacking.push(latest)
    }
    return lacking
  }

  /** The thread begins anew and has none. */
  forget(): void {
    this.#revisions.clear()
  }
}
