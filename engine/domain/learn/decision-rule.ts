/**
 * From probabilities to an answer. The answer is the label k with the greatest
 *
 *   sum_t worth[k][t] p_t - offset[k]
 *
 * The most probable label, the label of least expected cost and the one that raises macro F1 most all have this form.
 *
 * Owns: the form, and its bytes. Leaves out: which rule an objective has (pooled/rule-fit.ts, macro-f1-rule.ts).
 */
import type { ModelReader, ModelWriter } from './model-bytes.js'

export interface DecisionRule {
  /** One row for each answer: its worth for each true label. */
  readonly worths: Float64Array
  readonly offsets: Float64Array
}

/** The label that the rule answers with, one of `among`. */
export function chooseBy(rule: DecisionRule, probabilities: Float64Array, among: Int32Array): number {
  const count = probabilities.length
  let best = among[0] as number
  let most = -Infinity
  for (let i = 0; i < among.length; i++) {
    const answer = among[i] as number
    let value = -(rule.offsets[answer] as number)
    for (let truth = 0; truth < count; truth++)
      value += (rule.worths[answer * count + truth] as number) * (probabilities[truth] as number)
    if (value <= most) continue
    most = value
    best = answer
  }
  return best
}

/** The most probable one of `among`. */
export function mostProbable(probabilities: Float64Array, among: Int32Array): number {
  let best = among[0] as number
  for (let i = 1; i < among.length; i++) {
    const label = among[i] as number
    if ((probabilities[label] as number) > (probabilities[best] as number)) best = label
  }
  return best
}

/** The rule that answers with the most probable label. */
export function accuracyRule(labelCount: number): DecisionRule {
  const worths = new Float64Array(labelCount * labelCount)
  for (let k = 0; k < labelCount; k++) worths[k * labelCount + k] = 1
  return { worths, offsets: new Float64Array(labelCount) }
}

/** The rule that answers with the label of least expected cost; a row for each true label, an item for each answer. */
export function costRule(costs: readonly (readonly number[])[], labelCount: number): DecisionRule {
  const worths = new Float64Array(labelCount * labelCount)
  for (let truth = 0; truth < labelCount; truth++) {
    for (let answer = 0; answer < labelCount; answer++)
      worths[answer * labelCount + truth] = -(costs[truth]?.[answer] ?? 0)
  }
  return { worths, offsets: new Float64Array(labelCount) }
}

export function writeRule(rule: DecisionRule, to: ModelWriter): void {
  to.f64s(rule.worths)
  to.f64s(rule.offsets)
}

export function readRule(from: ModelReader): DecisionRule {
  return { worths: from.f64s(), offsets: from.f64s() }
}
