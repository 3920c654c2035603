/** Figures about analysts. */
import { Type } from 'typebox'
import { nullable } from './common.js'

const share = (description: string) => nullable(Type.Number({ description }))

export const AnalystsView = Type.Object({
  analysts: Type.Array(
    Type.Object({
      analyst: Type.String(),
      votes: Type.Integer({ description: 'Events that the analyst voted on.' }),
      shared_events: Type.Integer({ description: 'Those of them that others answered too.' }),
      labels: Type.Array(
        Type.Object({
          label: Type.String(),
          votes: Type.Integer(),
          reliability: share('The share of events with this true label that the analyst answers with it, estimated.'),
          precision: share('The chance that the analyst is right with this label, estimated.'),
          weight: nullable(Type.Integer({ description: 'How much a vote counts where the consensus is weighted.' })),
        }),
      ),
    }),
  ),
  pairs: Type.Array(
    Type.Object({
      analysts: Type.Array(Type.String(), { minItems: 2, maxItems: 2 }),
      events: Type.Integer({ description: 'Events that both answered.' }),
      agreement: Type.Number({ description: 'The share of them with the same label.' }),
      cohen_kappa: share('1: perfect agreement, 0: that of chance; null if chance alone agrees always.'),
    }),
  ),
  fleiss_kappa: share('Of all analysts; null without events that two answered.'),
  krippendorff_alpha: share('Of all analysts; null without events that two answered.'),
  shared_events: Type.Integer({ description: 'Events that two analysts or more answered.' }),
  message: Type.String({ description: 'What is known, for people.' }),
  is_complete: Type.Boolean({ description: 'False if the job has more votes than are read.' }),
})
