/**
 * What a job's decisions should optimize (advanced_settings.objective):
 *
 * | objective  | what is optimized                                                                     |
 * |------------|---------------------------------------------------------------------------------------|
 * | `accuracy` | the share of right decisions                                                          |
 * | `macro_f1` | the mean F1 of the labels                                                             |
 * | `costs`    | the total cost: `costs[truth][answer]`, 0 or more each, in the order of the labels    |
 */
import { hasClusters, type JobSettings } from './job.js'

export type Objective = 'accuracy' | 'macro_f1' | { readonly costs: readonly (readonly number[])[] }

/** The objectives without costs. */
export const namedObjectives = ['accuracy', 'macro_f1'] as const

/** The objective of a job that sets none. Reasons: learn/DESIGN.md. Figures: learn/EXPERIMENTS.md. */
export function defaultObjective(job: JobSettings): Objective {
  return hasClusters(job.category) ? 'accuracy' : 'macro_f1'
}

function isCosts(value: unknown): value is { costs: number[][] } {
  return typeof value === 'object' && value !== null && 'costs' in value && Array.isArray(value.costs)
}

/** The job's objective. Settings are checked when they are received; here an invalid one counts as absent. */
export function objectiveOf(job: JobSettings): Objective {
  const given = job.advancedSettings.objective
  if (given === 'accuracy' || given === 'macro_f1') return given
  if (!isCosts(given) || given.costs.length !== job.labels.length) return defaultObjective(job)
  const sound = given.costs.every(
    (row) =>
      Array.isArray(row) &&
      row.length === job.labels.length &&
      row.every((cost) => typeof cost === 'number' && cost >= 0),
  )
  return sound ? { costs: given.costs } : defaultObjective(job)
}
