/**
 * From probabilities to an answer, by what the job wants.
 *
 * Accuracy: the most probable label. Costs: the label of least expected cost. Macro F1: with 2 p_k - F_k over D_k, where
 * F_k is the F1 that label k reaches and D_k how often it is true plus how often it is answered, the label is answered
 * that raises the sum of all F1 most: the linearised optimum of the plug-in approach (Narasimhan, Ramaswamy, Saha,
 * Agarwal, "Consistent multiclass algorithms for complex performance measures", 2015). F and D are expected over the
 * stream by the model's own probabilities, so that how labels were picked does not matter; they depend on the rule and
 * the rule on them, so they are moved a little in each of some rounds: at once, rules would jump between all and nothing where
 * events are much alike. The share of the uniform in every answer is left out of that: it is doubt, and
 * would add up to more than a rare label ever comes. What is expected is no truth either, so of the answers that the rule would
 * change most are changed, those that it is surest of.
 *
 * All three are one form: answer k with the greatest sum_t worth[k][t] p_t - offset[k].
 */
import type { Objective } from './classifier.js'
import type { ModelReader, ModelWriter } from './model-bytes.js'

export interface DecisionRule {
  /** Row by row, one row an answer: what it is worth for each truth. */
  readonly worths: Float64Array
  readonly offsets: Float64Array
}

const rounds = 60
/** How far F and D go, in one round, towards what the rule of before leads to. */
const stepShare = 0.1
/** Added to D, as a share of the events: a label that hardly comes is not answered for a hope. */
const rareShare = 0.01
/**
 * The rule for macro F1 changes this share of the answers that it would change, the surest first. The last ones bring
 * hardly any F1 and cost as much accuracy as the others.
 */
const changedShare = 0.85
/** Halvings of the way between the two rules. */
const halvings = 20

/** The class that the rule answers with; `among` says which may be. */
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

/** The rule that answers with the most probable label. */
export function accuracyRule(labelCount: number): DecisionRule {
  const worths = new Float64Array(labelCount * labelCount)
  for (let k = 0; k < labelCount; k++) worths[k * labelCount + k] = 1
  return { worths, offsets: new Float64Array(labelCount) }
}

function costRule(costs: readonly (readonly number[])[], labelCount: number): DecisionRule {
  const worths = new Float64Array(labelCount * labelCount)
  for (let truth = 0; truth < labelCount; truth++) {
    for (let answer = 0; answer < labelCount; answer++)
      worths[answer * labelCount + truth] = -(costs[truth]?.[answer] ?? 0)
  }
  return { worths, offsets: new Float64Array(labelCount) }
}

/** Events that a rule is fitted to, as the stream has them. */
export interface RuleStream {
  /** `labelCount` an event, side by side, each as if it was not labelled and without the uniform's share, which the rule will be asked with. */
  readonly probabilities: Float64Array
  /** How much each event counts. */
  readonly weights: Float64Array
  /** The labels that may be answered. */
  readonly among: Int32Array
  readonly labelCount: number
}

/** By label. */
interface Expected {
  readonly f1: Float64Array
  /** How often it is answered plus how often it is true, by event. */
  readonly seen: Float64Array
}

/** What the rule answers, event by event. */
function answersOf(rule: DecisionRule, { probabilities, weights, among, labelCount }: RuleStream): Int32Array {
  return Int32Array.from(weights, (_, i) =>
    chooseBy(rule, probabilities.subarray(i * labelCount, (i + 1) * labelCount), among),
  )
}

/** What is expected where the events are answered so. */
function expect(answers: Int32Array, { probabilities, weights, labelCount }: RuleStream): Expected {
  const hits = new Float64Array(labelCount)
  const seen = new Float64Array(labelCount)
  let total = 0
  for (let i = 0; i < weights.length; i++) {
    const weight = weights[i] as number
    const answer = answers[i] as number
    const at = i * labelCount
    hits[answer] = (hits[answer] as number) + weight * (probabilities[at + answer] as number)
    seen[answer] = (seen[answer] as number) + weight
    for (let k = 0; k < labelCount; k++) seen[k] = (seen[k] as number) + weight * (probabilities[at + k] as number)
    total += weight
  }
  for (let k = 0; k < labelCount; k++) seen[k] = ((seen[k] as number) + rareShare * total) / total
  return { f1: hits.map((hit, k) => (2 * hit) / total / (seen[k] as number)), seen }
}

/** The rule that raises what is expected of macro F1 most, of those that come up, and then not quite all the way. */
function macroF1Rule(stream: RuleStream): DecisionRule {
  const { among, labelCount } = stream
  let rule = accuracyRule(labelCount)
  let best = rule
  let most = -Infinity
  let reached: Expected | null = null
  for (let round = 0; round < rounds; round++) {
    const now = expect(answersOf(rule, stream), stream)
    let sum = 0
    for (const k of among) sum += now.f1[k] as number
    if (sum > most + 1e-9) {
      most = sum
      best = rule
    }
    reached = reached === null ? now : { f1: towards(reached.f1, now.f1), seen: towards(reached.seen, now.seen) }
    const { f1, seen } = reached
    const worths = new Float64Array(labelCount * labelCount)
    for (let k = 0; k < labelCount; k++) worths[k * labelCount + k] = 2 / (seen[k] as number)
    rule = { worths, offsets: f1.map((f, k) => f / (seen[k] as number)) }
  }
  return partWay(best, stream)
}

/** One step from what was reached to what a rule leads to. */
function towards(from: Float64Array, to: Float64Array): Float64Array {
  return from.map((value, k) => value + stepShare * ((to[k] as number) - value))
}

/** The rule on the way from the most probable label to `best` that changes `changedShare` of the answers that `best` changes. */
function partWay(best: DecisionRule, stream: RuleStream): DecisionRule {
  const { weights, among, labelCount } = stream
  const usual = answersOf(accuracyRule(labelCount), stream)
  const changed = (rule: DecisionRule): number => {
    let sum = 0
    answersOf(rule, stream).forEach((answer, i) => {
      if (answer !== usual[i]) sum += weights[i] as number
    })
    return sum
  }
  const wanted = changedShare * changed(best)
  let near = 0
  let far = 1
  for (let halving = 0; halving < halvings; halving++) {
    const middle = (near + far) / 2
    if (changed(between(best, middle, among, labelCount)) < wanted) near = middle
    else far = middle
  }
  return between(best, far, among, labelCount)
}

/** So far on the way from the rule for accuracy, 0, to this one, 1: worths by the logarithm, on the scale where their geometric mean is 1. */
function between(rule: DecisionRule, share: number, among: Int32Array, labelCount: number): DecisionRule {
  let logs = 0
  for (const k of among) logs += Math.log(rule.worths[k * labelCount + k] as number)
  const scale = Math.exp(logs / among.length)
  const worths = rule.worths.map((worth) => (worth > 0 ? (worth / scale) ** share : 0))
  return { worths, offsets: rule.offsets.map((offset) => (share * offset) / scale) }
}

/** The rule for probabilities of which `share` is uniform, from the one for those without it. */
function withUniform(rule: DecisionRule, share: number, labelCount: number): DecisionRule {
  const offsets = rule.offsets.map((offset, answer) => {
    let worth = 0
    for (let truth = 0; truth < labelCount; truth++) worth += rule.worths[answer * labelCount + truth] as number
    return (1 - share) * offset + (worth * share) / labelCount
  })
  return { worths: rule.worths, offsets }
}

/** True where a rule for the objective depends on the stream. */
export function needsStream(objective: Objective): boolean {
  return objective === 'macro_f1'
}

/** The rule for an objective. */
export function fitRule(objective: Objective, stream: RuleStream, uniformShare: number): DecisionRule {
  const { labelCount, weights } = stream
  if (typeof objective !== 'string') return costRule(objective.costs, labelCount)
  if (objective === 'accuracy' || weights.length === 0) return accuracyRule(labelCount)
  return withUniform(macroF1Rule(stream), uniformShare, labelCount)
}

export function writeRule(rule: DecisionRule, to: ModelWriter): void {
  to.f64s(rule.worths)
  to.f64s(rule.offsets)
}

export function readRule(from: ModelReader): DecisionRule {
  return { worths: from.f64s(), offsets: from.f64s() }
}
