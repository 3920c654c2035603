/** A stored decision with all that it was made from, computed again. */
import { Type } from 'typebox'
import { nullable, Timestamp } from '../common.js'

const Share = Type.Number({ minimum: 0, maximum: 1 })
const Answer = {
  result: Type.String({ description: 'The id of the label; empty without a decision.' }),
  result_label: Type.String(),
  confidence_score: Type.Number({ description: 'A percentage.' }),
  outlier_score: Type.Number(),
}
const Value = Type.Unsafe<unknown>({ description: 'As the model reads it; null for none.' })
const Scalar = Type.Unsafe<string | number | boolean>({ description: 'As it is stored.' })

export const ProbabilityByLabel = Type.Record(Type.String(), Type.Number(), { description: 'By name of the label.' })

export const ComputedAnswer = Type.Object(Answer)

export const StoredDecision = Type.Object({
  ...Answer,
  outlier: Type.Boolean(),
  source: Type.String(),
  model: nullable(Type.String()),
})

export const DecisionDifference = Type.Object({ field: Type.String(), stored: Scalar, computed: Scalar })

export const ComputedAgain = Type.Object({
  same: nullable(Type.Boolean({ description: 'The same bytes came out. Null: it could not be computed.' })),
  reason: nullable(Type.String({ description: 'Why it could not be computed, or may differ.' })),
  differences: Type.Array(DecisionDifference),
})

export const DecidingModel = Type.Object({
  id: Type.String(),
  version: Type.Integer(),
  algorithm: Type.String(),
  trained_at: Timestamp,
  active: Type.Boolean(),
  log_position: nullable(Type.Integer({ description: 'What it was trained from: the log up to here, microseconds.' })),
  seed: nullable(Type.Integer()),
})

export const DecisionFeature = Type.Object({ field: Type.String(), value: Value })

export const DecisionMember = Type.Object({
  name: Type.String(),
  weight: Type.Number({ description: 'Its share of the mixture.' }),
  temperature: Type.Number({ description: 'Above 1 its answer is softened before it is mixed.' }),
  probabilities: ProbabilityByLabel,
})

export const CalibrationStep = Type.Object({ step: Type.String(), probabilities: ProbabilityByLabel })

export const DecisionOutlier = Type.Object({
  score: Type.Number(),
  threshold: Type.Number({ description: 'The least score of an outlier when it was decided; 0 where votes decided.' }),
  outlier: Type.Boolean(),
})

export const KnownVotes = Type.Object({
  state: Type.Integer({ description: 'The number of this state of the votes.' }),
  consensus: nullable(Type.String()),
  split: ProbabilityByLabel,
  override: nullable(Type.String()),
  counted: Type.Boolean({ description: 'The model was trained on them, so they decide.' }),
  settled: Type.Boolean({ description: 'Their label stands whatever the model says.' }),
  model_weight: nullable(Type.Number({ description: 'Voted events that the answer of the model counts as.' })),
})

export const DecisionTrust = Type.Object({
  ageing: Type.Boolean(),
  doubt: Share,
  base_rate: Share,
  rule_off: Type.Boolean({
    description: 'The rule for macro F1 was off, so the most probable label was answered.',
  }),
})

export const DecisionParts = Type.Object({
  features: Type.Array(DecisionFeature),
  members: Type.Array(DecisionMember, { description: 'The answers of the members of the model.' }),
  calibration: Type.Array(CalibrationStep, { description: 'From the mixture to the calibrated probabilities.' }),
  answer: { ...ComputedAnswer, description: 'The answer of the model, before votes and doubt.' },
  outlier: DecisionOutlier,
  votes: nullable(KnownVotes),
  trust: DecisionTrust,
})

export const ComputedDecision = Type.Object({
  event_id: Type.String(),
  ingest_timestamp: Timestamp,
  decision: StoredDecision,
  computed_again: ComputedAgain,
  model: nullable(DecidingModel),
  parts: nullable(DecisionParts),
})
