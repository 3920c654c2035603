/** Erasing events. */
import { Type } from 'typebox'
import { nullable, Outcome } from './common.js'

export const EraseResult = Type.Object({
  request: Outcome,
  events_deleted: Type.Integer(),
  votes_deleted: Type.Integer(),
  forgetting: Type.Object(
    {
      state: Type.Enum(['not_needed', 'trained', 'pending', 'failed'], {
        description:
          '`trained`: the model was trained again, as `retrain_after_erase` of the job asks for. `pending`: train it ' +
          'again. `failed`: it could not be trained again.',
      }),
      gone_from_model: nullable(Type.String({ description: 'From this model on nothing of the events is left.' })),
      message: Type.String({ description: 'The statement, which is in the audit log too.' }),
    },
    { description: 'Whether what was deleted is gone from the model.' },
  ),
  retrain_needed: Type.Boolean({
    description: 'The model of the job was trained on deleted events. `retrain_msg` of the job says so too.',
  }),
})
