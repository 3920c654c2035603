/**
 * The rule for macro F1. It answers with the label k that has the greatest
 *
 *   (2 p_k - F_k) / D_k
 *
 * F_k is the F1 of label k. D_k is how often it is true plus how often it is answered. This label raises the sum of all
 * F1 most. It is the linearised optimum of the plug-in approach (Narasimhan, Ramaswamy, Saha, Agarwal, "Consistent
 * multiclass algorithms for complex performance measures", 2015).
 *
 * F and D are expected over the stream by the model's own probabilities, so it does not matter how labels were
 * picked. They depend on the rule, and the rule on them. So they are moved a little in each of some rounds. At
 * once, the rule would jump between all and nothing where events are much alike. The uniform share is left out: it
 * is doubt, and would add up to more than all events of a rare label. Rules of nearly the greatest expectation
 * count too: the single best of the rounds may be far from that of the next training. Labels of few examples get
 * less of it (rule-blend.ts). F and D are only expected, so the rule changes most of the answers that it would
 * change, the surest first. It changes fewer where it did not pay on held-out examples (rule-guard.ts), and where
 * these cannot judge it, as it changes far fewer of them. Where the stream moves so that it would change far more,
 * it is off (rule-drift.ts).
 */
import { accuracyRule, chooseBy, type DecisionRule } from './decision-rule.js'
import { between, byEvidence, meanRule, type RatedRule } from './rule-blend.js'
import { unjudgedChanges } from './rule-drift.js'
import { payingShare } from './rule-guard.js'

const rounds = 60
/** How far F and D move in one round towards those of the last rule. */
const stepShare = 0.1
/** Added to D, as a share of the events: a label that hardly occurs is not answered on a faint hope. */
const rareShare = 0.01
/**
 * This share of the answers that the rule would change is changed, the surest first. The last ones hardly gain F1 and
 * cost as much accuracy as the others.
 */
const changedShare = 0.85
/** Bisection steps between the two rules. */
const halvings = 20

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
function rulesOf(stream: RuleStream): RatedRule[] {
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
export function macroF1Rule(stream: RuleStream): DecisionRule {
  const { among, labelCount, truths, weights, examples } = stream
  const best = byEvidence(meanRule(rulesOf(stream), among, labelCount), examples, among)
  const rule = asJudged(partWay(best, stream), stream)
  const [plain, ruled] = [answersOf(accuracyRule(labelCount), stream), answersOf(rule, stream)]
  const share = payingShare({ truths, weights, labelCount }, plain, ruled)
  return share === 1 ? rule : between(rule, share, among, labelCount)
}

/** One step from one expectation towards another. */
function towards(from: Float64Array, to: Float64Array): Float64Array {
  return from.map((value, k) => value + stepShare * ((to[k] as number) - value))
}

/** The weight of the events from `from` on whose answer the rule changes; `usual` has the most probable labels. */
function changedBy(rule: DecisionRule, usual: Int32Array, stream: RuleStream, from = 0): number {
  let sum = 0
  answersOf(rule, stream).forEach((answer, i) => {
    if (i >= from && answer !== usual[i]) sum += stream.weights[i] as number
  })
  return sum
}

/** Between which shares of the way to a rule this begins to hold. It holds for all of the way. */
function turnOf(holds: (share: number) => boolean): { readonly low: number; readonly high: number } {
  let low = 0
  let high = 1
  for (let halving = 0; halving < halvings; halving++) {
    const middle = (low + high) / 2
    if (holds(middle)) high = middle
    else low = middle
  }
  return { low, high }
}

/**
 * The rule between accuracy and `best` that changes `changedShare` of the answers that `best` changes. It is `best`
 * itself where that changes none: then the stream has no such events, and nothing speaks against the rule.
 */
function partWay(best: DecisionRule, stream: RuleStream): DecisionRule {
  const { among, labelCount } = stream
  const usual = answersOf(accuracyRule(labelCount), stream)
  const wanted = changedShare * changedBy(best, usual, stream)
  if (wanted === 0) return best
  const enough = (share: number): boolean => changedBy(between(best, share, among, labelCount), usual, stream) >= wanted
  return between(best, turnOf(enough).high, among, labelCount)
}

/**
 * The rule as far as held-out examples can judge it. It changes at most `unjudgedChanges` more of the other events than
 * of these. Without either there is nothing to compare.
 */
function asJudged(rule: DecisionRule, stream: RuleStream): DecisionRule {
  const { among, labelCount, truths, weights } = stream
  const usual = answersOf(accuracyRule(labelCount), stream)
  const [all, others] = [0, truths.length].map((from) => weights.subarray(from).reduce((a, b) => a + b, 0)) as [
    number,
    number,
  ]
  if (others === 0 || others === all) return rule
  const isBeyond = (share: number): boolean => {
    const one = between(rule, share, among, labelCount)
    const changed = changedBy(one, usual, stream)
    const ofOthers = changedBy(one, usual, stream, truths.length)
    return ofOthers / others > (changed - ofOthers) / (all - others) + unjudgedChanges
  }
  return isBeyond(1) ? between(rule, turnOf(isBeyond).low, among, labelCount) : rule
}

/** The share of the stream's most probable labels that a rule changes, 0 to 1. */
export function shareChanged(rule: DecisionRule, stream: RuleStream): number {
  const total = stream.weights.reduce((a, b) => a + b, 0)
  return changedBy(rule, answersOf(accuracyRule(stream.labelCount), stream), stream) / total
}
