/** Steps that begin anew, where it was lost how far they were. */
import type { JobSettings } from '../domain/job/job.js'
import { Changes } from './state.js'

/**
 * All steps that tell something outside go on with what comes in after `stamp`: what they told before cannot be told from what they did
 * not, and telling it all once more would set off what was done long ago. Inputs read from their beginning: what is read twice is one event.
 */
export function planStepsAnew(jobs: Iterable<JobSettings>, stamp: number): Changes {
  const changes = new Changes()
  for (const job of jobs) {
    if (!job.pipeline.some(({ outsideSince }) => outsideSince !== undefined)) continue
    const pipeline = job.pipeline.map((step) =>
      step.outsideSince === undefined ? step : { ...step, outsideSince: stamp },
    )
    changes.jobs.set(job.id, { ...job, pipeline, revision: job.revision + 1 })
  }
  return changes
}
