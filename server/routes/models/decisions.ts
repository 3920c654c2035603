/** A stored decision with all that it was made from, computed again. */
import { isoMicros, type AnswerShown, type ComputedDecision, type DecisionParts } from '../../../engine/index.js'
import { operation, type Route } from '../../http/route.js'
import { ComputedDecision as ComputedSchema } from '../../schemas/models/decisions.js'
import { jobFromPath } from '../job-reference.js'

function answerWire({ result, resultLabel, confidenceScore, outlierScore }: AnswerShown) {
  return { result, result_label: resultLabel, confidence_score: confidenceScore, outlier_score: outlierScore }
}

function partsWire({ features, members, calibration, answer, outlier, votes, trust }: DecisionParts) {
  const { ageing, doubt, baseRate, ruleOff } = trust
  return {
    features,
    members,
    calibration,
    answer: answerWire(answer),
    outlier,
    votes: votes === null ? null : votesWire(votes),
    trust: { ageing, doubt, base_rate: baseRate, rule_off: ruleOff },
  }
}

function votesWire({ modelWeight, ...votes }: NonNullable<DecisionParts['votes']>) {
  return { ...votes, model_weight: modelWeight }
}

function decisionWire({ eventId, ingestMicros, decision, computed, model, parts }: ComputedDecision) {
  return {
    event_id: eventId,
    ingest_timestamp: isoMicros(ingestMicros),
    decision: {
      ...answerWire(decision),
      outlier: decision.outlier,
      source: decision.source,
      model: decision.modelId,
    },
    computed_again: { same: computed.isSame, reason: computed.reason, differences: computed.differences },
    model:
      model === null
        ? null
        : {
            id: model.modelId,
            version: model.version,
            algorithm: model.algorithm,
            trained_at: isoMicros(model.trainedMicros),
            active: model.isActive,
            log_position: model.throughMicros,
            seed: model.seed,
          },
    parts: parts === null ? null : partsWire(parts),
  }
}

const compute = operation({
  method: 'GET',
  path: '/api/v2/events/{job_id}/{event_id}/decision',
  operationId: 'computeDecision',
  tag: 'Events',
  summary: 'Compute the decision of an event again',
  description:
    'From the stored event, the model in the registry and the votes as the decision knew them: the answers of the ' +
    'members, the calibration step by step, the outlier score, the votes. `same` says whether the stored decision ' +
    'comes out, to the byte.',
  scope: 'read:event_export',
  responses: { 200: { description: 'The decision, and what it was made from.', schema: ComputedSchema } },
  errors: [404],
  async handle({ app, principal, params, gone }) {
    const job = jobFromPath(app, principal, params[0]!)
    return decisionWire(await app.service.explanations.computed(job, params[1]!, gone()))
  },
})

export const decisionRoutes: readonly Route[] = [compute]
