/** Deleting events on the wire. */
import { Type } from 'typebox'
import { Outcome } from './common.js'

export const EraseResult = Type.Object({
  request: Outcome,
  events_deleted: Type.Integer(),
  votes_deleted: Type.Integer(),
  retrain_needed: Type.Boolean({
    description: "The job's model was trained when they were there; `retrain_msg` of the job says so too.",
  }),
})
