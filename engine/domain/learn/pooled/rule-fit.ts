/**
 * Fits the decision rule of an objective. Accuracy: the most probable label. Costs: the label of least expected cost.
 * Macro F1: the label that raises the sum of all F1 most, on the stream: unlabelled events, and held-out answers on
 * labelled ones.
 */
import type { Objective, TrainingSet } from '../classifier.js'
import { accuracyRule, costRule, type DecisionRule } from '../decision-rule.js'
import type { AtomRows } from '../features/pair-choice.js'
import { macroF1Rule, shareChanged, type RuleStream } from '../macro-f1-rule.js'
import { evenly } from '../trees/row-draw.js'
import { cellHash } from './cells.js'
import type { HeldOutAnswers } from './corrections.js'
import { PooledAnswer, type AnswerParts } from './pooled-answer.js'
import { spread } from './uniform-share.js'

/** The most unlabelled events. */
const eventsMax = 2_000

export interface RuleInput {
  readonly answer: AnswerParts
  /** The whole values of all examples. */
  readonly atoms: AtomRows
  readonly answers: HeldOutAnswers | null
}

/** Held-out answers as probabilities of all labels, without the uniform share. */
function heldOutProbabilities({ held, chances }: HeldOutAnswers, labels: Int32Array, labelCount: number): Float64Array {
  const all = new Float64Array(held.classes.length * labelCount)
  for (let h = 0; h < held.classes.length; h++)
    spread(
      { labels, uniformShare: 0 },
      chances,
      h * held.classCount,
      all.subarray(h * labelCount, (h + 1) * labelCount),
    )
  return all
}

/** Held-out examples, and events of the stream that are no examples. */
function streamOf(set: TrainingSet, { answer: parts, atoms, answers }: RuleInput): RuleStream {
  const { background, labelCount } = set
  const { labels, uniformShare } = parts
  const answer = new PooledAnswer(parts)
  const uniform = uniformShare / labelCount
  const all = Int32Array.from({ length: atoms.pointCount }, (_, point) => point)
  const labelled = new Set<number>()
  for (let i = 0; i < atoms.classes.length; i++) labelled.add(cellHash(all, atoms.atoms, i * atoms.pointCount))
  const stream = answers === null ? [] : [...heldOutProbabilities(answers, labels, labelCount)]
  const weights = answers === null ? [] : [...answers.held.weights]
  const probabilities = new Float64Array(labelCount)
  for (const values of evenly(background, eventsMax)) {
    answer.code(values)
    if (labelled.has(cellHash(all, answer.coder.encoder.atoms, 0))) continue
    answer.answer(probabilities)
    for (const probability of probabilities) stream.push((probability - uniform) / (1 - uniformShare))
    weights.push(1)
  }
  const truths = Int32Array.from(answers?.held.classes ?? [], (k) => labels[k] as number)
  const [chances, counts] = [Float64Array.from(stream), Float64Array.from(weights)]
  return { probabilities: chances, weights: counts, among: labels, labelCount, truths, examples: countLabels(set) }
}

/** The number of examples of each label. */
function countLabels({ examples, labelCount }: TrainingSet): Int32Array {
  const counts = new Int32Array(labelCount)
  for (const { label } of examples) counts[label] = (counts[label] as number) + 1
  return counts
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
  return { rule: withUniform(rule, uniformShare, labelCount), ruleChanges: shareChanged(rule, stream) }
}

export function fitStreamRule(set: TrainingSet, input: RuleInput): FittedRule {
  const { labelCount, objective = 'accuracy' } = set
  const { labels: among, uniformShare } = input.answer
  const none = new Float64Array(0)
  const nobody = new Int32Array(0)
  const nothing = { probabilities: none, weights: none, among, labelCount, truths: nobody, examples: nobody }
  return fitRule(objective, objective === 'macro_f1' ? streamOf(set, input) : nothing, uniformShare)
}
