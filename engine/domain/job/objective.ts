/**
 * What a job wants of its answers (advanced_settings.objective): as many right as can be, each label found equally well
 * (macro F1), or the least cost, where `costs[truth][answer]` is what an answer costs, 0 or more, by the order of labels.
 */
import { hasClusters, type JobSettings } from './job.js'

export type Objective = 'accuracy' | 'macro_f1' | { readonly costs: readonly (readonly number[])[] }

/** The objectives that have a name. */
export const namedObjectives = ['accuracy', 'macro_f1'] as const

/** Where a job says nothing. Reasons: learn/DESIGN.md. Figures: learn/EXPERIMENTS.md. */
export function defaultObjective(job: JobSettings): Objective {
  return hasClusters(job.category) ? 'accuracy' : 'macro_f1'
}

function isCosts(value: unknown): value is { costs: number[][] } {
  return typeof value === 'object' && value !== null && 'costs' in value && Array.isArray(value.costs)
}

/** The job's objective; settings are checked where they come in, and what is none counts as absent. */
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
