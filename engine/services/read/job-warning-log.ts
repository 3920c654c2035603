/**
 * Logs the warnings of jobs: once when one appears and once when it is gone, not with each event.
 *
 * 1. Some jobs are looked at in each round, so that many jobs do not hold up the main thread.
 * 2. What was logged is not stored: after a start a warning that still holds is logged again.
 */
import type { Warning } from '../../api/warning.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { Log } from '../../api/monitor-service.js'

export interface JobWarningLogDeps {
  readonly log: Log
  jobs(): Iterable<JobSettings>
  warningsOf(job: JobSettings): readonly Warning[]
}

const ROUND_MS = 1_000
/** Jobs that one round looks at. */
const JOBS_PER_ROUND = 100

export class JobWarningLog {
  readonly #deps: JobWarningLogDeps
  /** By job: the warnings that were logged, by type and place. */
  readonly #logged = new Map<number, ReadonlySet<string>>()
  readonly #timer: NodeJS.Timeout
  #jobs: Iterator<JobSettings> | null = null

  constructor(deps: JobWarningLogDeps) {
    this.#deps = deps
    this.#timer = setInterval(() => this.look(), ROUND_MS).unref()
  }

  /** Looks at the next jobs. The timer calls this. */
  look(): void {
    for (let i = 0; i < JOBS_PER_ROUND; i++) {
      this.#jobs ??= this.#deps.jobs()[Symbol.iterator]()
      const next = this.#jobs.next()
      if (next.done === true) {
        this.#jobs = null
        return
      }
      this.#lookAt(next.value)
    }
  }

  /** The job was deleted. */
  forget(jobId: number): void {
    this.#logged.delete(jobId)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #lookAt(job: JobSettings): void {
    const before = this.#logged.get(job.id)
    const warnings = new Map(this.#deps.warningsOf(job).map((warning) => [keyOf(job, warning), warning]))
    if (before === undefined && warnings.size === 0) return
    const fields = { job_id: job.id, job: job.title }
    for (const [key, { type, message, action }] of warnings)
      if (before?.has(key) !== true)
        this.#deps.log.warn(`a job needs attention: ${message} ${action}`, { ...fields, type })
    for (const key of before ?? [])
      if (!warnings.has(key)) this.#deps.log.info('a warning of a job is gone', { ...fields, warning: key })
    if (warnings.size === 0) this.#logged.delete(job.id)
    else this.#logged.set(job.id, new Set(warnings.keys()))
  }
}

/** What stays the same while numbers in the message change. */
function keyOf({ decisionPoints }: JobSettings, { type, place }: Warning): string {
  const [first, index] = place
  const of = first === 'decision_points' && typeof index === 'number' ? decisionPoints[index] : undefined
  if (of !== undefined) return `${type} ${of}`
  return first === 'pipeline_integrations' && index !== undefined ? `${type} step ${index}` : type
}
