/**
 * From probabilities to an answer, by the objective of the job.
 *
 * Accuracy: the most probable label. Costs: the label of least expected cost. Macro F1: the label k with the greatest
 *
 *   (2 p_k - F_k) / D_k
 *
 * F_k is the F1 of label k. D_k is how often it is true plus how often it is answered. This label raises the sum of all
 * F1 most. It is the linearised optimum of the plug-in approach (Narasimhan, Ramaswamy, Saha, Agarwal, "Consistent
 * multiclass algorithms for complex performance measures", 2015).
 *
 * F and D are expected over the stream by the model's own probabilities, so it does not matter how labels were picked.
 * They depend on the rule, and the rule on them. So they are moved a little in each of some rounds. At once, the rule
 * would jump between all and nothing where events are much alike. The uniform share is left out: it is doubt, and would
 * add up to more than all events of a rare label. Rules of nearly the greatest expectation count too: the single best
 * of the rounds may be far from that of the next training. Labels of few examples get less of it (rule-blend.ts). F and
 * D are only expected, so the rule changes most of the answers that it would change, the surest first. Where it did not
 * pay on held-out examples it changes fewer (rule-guard.ts). Where the stream moves so that it would change far more,
 * it is off (rule-drift.ts).
 *
 * All three have one form: the answer k with the greatest  sum_t worth[k][t] p_t - offset[k].
 */
import type { Objective } from './classifier.js'
import type { ModelReader, ModelWriter } from './model-bytes.js'
import { between, byEvidence, meanRule, type DecisionRule, type Reached } from './rule-blend.js'
import { payingShare } from './rule-guard.js'

export type { DecisionRule }

const rounds = 60
/** How far F and D move in one round towards those of the last rule. */
const stepShare = 0.1
/** Added to D, as a share of the events: a label that hardly occurs is not answered on a faint hope. */
const rareShare = 0.01
/**
 * The rule for macro F1 changes this share of the answers that it would change, the surest first. The last ones hardly
 * gain F1 and cost as much accuracy as the others.
 */
const changedShare = 0.85
/** Bisection steps between the two rules. */
const halvings = 20

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

function costRule(costs: readonly (readonly number[])[], labelCount: number): DecisionRule {
  const worths = new Float64Array(labelCount * labelCount)
  for (let truth = 0; truth < labelCount; truth++) {
    for (let answer = 0; answer < labelCount; answer++)
      worths[answer * labelCount + truth] = -(costs[truth]?.[answer] ?? 0)
  }
  return { worths, offsets: new Float64Array(labelCount) }
}

/** The events that a rule is fitted to. */
export interface RuleStream {
  /** `labelCount` for each event, as if it was not labelled, and without the uniform share. */
  readonly probabilities: Float64Array
  /** The weights of the events. */
  readonly weights: Float64Array
  /** The labels that may be answered. */
  readonly among: Int32Array
  readonly labelCount: number
  /** The true labels of the first events, which are held-out examples. */
  readonly truths: Int32Array
  /** The number of examples of each label. */
  readonly examples: Int32Array
}

/** Expectations by label. */
interface Expected {
  readonly f1: Float64Array
  /** How often it is answered plus how often it is true, for each event. */
  readonly seen: Float64Array
}

/** The rule's answers, by event. */
function answersOf(rule: DecisionRule, { probabilities, weights, among, labelCount }: RuleStream): Int32Array {
  return Int32Array.from(weights, (_, i) =>
    chooseBy(rule, probabilities.subarray(i * labelCount, (i + 1) * labelCount), among),
  )
}

/** The expectations under these answers. */
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

/** The rules of all rounds, each fitted to what is expected under the one before. */
function rulesOf(stream: RuleStream): Reached[] {
  const { among, labelCount } = stream
  let rule = accuracyRule(labelCount)
  let reached: Expected | null = null
  return Array.from({ length: rounds }, () => {
    const now = expect(answersOf(rule, stream), stream)
    let sum = 0
    for (const k of among) sum += now.f1[k] as number
    const round = { rule, f1: sum / among.length }
    reached = reached === null ? now : { f1: towards(reached.f1, now.f1), seen: towards(reached.seen, now.seen) }
    const { f1, seen } = reached
    const worths = new Float64Array(labelCount * labelCount)
    for (let k = 0; k < labelCount; k++) worths[k * labelCount + k] = 2 / (seen[k] as number)
    rule = { worths, offsets: f1.map((f, k) => f / (seen[k] as number)) }
    return round
  })
}

/** The rule for macro F1: part of the way to the best one, and nearer where it does not pay on held-out examples. */
function macroF1Rule(stream: RuleStream): DecisionRule {
  const { among, labelCount, truths, weights, examples } = stream
  const rule = partWay(byEvidence(meanRule(rulesOf(stream), among, labelCount), examples, among), stream)
  const [plain, ruled] = [answersOf(accuracyRule(labelCount), stream), answersOf(rule, stream)]
  const share = payingShare({ truths, weights, labelCount }, plain, ruled)
  return share === 1 ? rule : between(rule, share, among, labelCount)
}

/** One step from one expectation towards another. */
function towards(from: Float64Array, to: Float64Array): Float64Array {
  return from.map((value, k) => value + stepShare * ((to[k] as number) - value))
}

/** The weight of the events whose answer the rule changes; `usual` has the most probable labels. */
function changedBy(rule: DecisionRule, usual: Int32Array, stream: RuleStream): number {
  let sum = 0
  answersOf(rule, stream).forEach((answer, i) => {
    if (answer !== usual[i]) sum += stream.weights[i] as number
  })
  return sum
}

/** The rule between accuracy and `best` that changes `changedShare` of the answers that `best` changes. */
function partWay(best: DecisionRule, stream: RuleStream): DecisionRule {
  const { among, labelCount } = stream
  const usual = answersOf(accuracyRule(labelCount), stream)
  const wanted = changedShare * changedBy(best, usual, stream)
  let near = 0
  let far = 1
  for (let halving = 0; halving < halvings; halving++) {
    const middle = (near + far) / 2
    if (changedBy(between(best, middle, among, labelCount), usual, stream) < wanted) near = middle
    else far = middle
  }
  return between(best, far, among, labelCount)
}

/** The rule for probabilities with a uniform share, from one for probabilities without. */
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

/** A rule, and what is known of it. */
export interface FittedRule {
  readonly rule: DecisionRule
  /** The share of the stream's most probable labels that a rule for macro F1 changes, 0 to 1; null for other rules. */
  readonly ruleChanges: number | null
}

/** The rule for an objective. */
export function fitRule(objective: Objective, stream: RuleStream, uniformShare: number): FittedRule {
  const { labelCount, weights } = stream
  if (typeof objective !== 'string') return { rule: costRule(objective.costs, labelCount), ruleChanges: null }
  const plain = accuracyRule(labelCount)
  if (objective === 'accuracy' || weights.length === 0) return { rule: plain, ruleChanges: null }
  const rule = macroF1Rule(stream)
  const total = weights.reduce((a, b) => a + b, 0)
  const ruleChanges = changedBy(rule, answersOf(plain, stream), stream) / total
  return { rule: withUniform(rule, uniformShare, labelCount), ruleChanges }
}

export function writeRule(rule: DecisionRule, to: ModelWriter): void {
  to.f64s(rule.worths)
  to.f64s(rule.offsets)
}

export function readRule(from: ModelReader): DecisionRule {
  return { worths: from.f64s(), offsets: from.f64s() }
}
