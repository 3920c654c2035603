/** What decisions are optimized for: a setting of a job, and a term of a replay or a challenger. */
import { Type, type TSchema } from 'typebox'
import { limits, namedObjectives } from '../../../engine/index.js'

const Cost = Type.Number({ minimum: 0, maximum: limits.costMax })

function threeOf<T extends TSchema>(items: T) {
  return Type.Array(items, { minItems: limits.labelsPerJob, maxItems: limits.labelsPerJob })
}

export const Objective = Type.Union(
  [Type.Enum([...namedObjectives]), Type.Object({ costs: threeOf(threeOf(Cost)) }, { additionalProperties: false })],
  {
    description:
      'What training optimizes; default `macro_f1`, for root cause analysis `accuracy`. `costs` holds a row for each ' +
      'true label, and in the row a cost for each decided label.',
  },
)
