/** The model's own figures: log-loss of its answers to held-out examples, and these answers counted. */
import { chooseBy, type DecisionRule } from '../decision-rule.js'
import type { HeldOutAnswer } from '../selection/doubted-labels.js'
import { ScoredAnswers, type ScoredCounts } from '../scored-answers.js'
import type { HeldOutAnswers } from './corrections.js'
import type { AnswerParts } from './pooled-answer.js'
import { spread } from './uniform-share.js'

export interface AnsweringModel {
  readonly answer: Pick<AnswerParts, 'labels' | 'uniformShare'>
  readonly rule: DecisionRule
  readonly labelCount: number
}

export interface HeldOutFigures {
  /** Mean log-loss over the labels with an example, natural logarithm; null where no example was held out. */
  readonly logLoss: number | null
  /** The weighted share of examples that the rule answers rightly; null likewise. */
  readonly accuracy: number | null
  /** Each held-out example once; null likewise. */
  readonly scored: ScoredCounts | null
}

/** The answers by the places of their examples. */
export function heldOutAnswers(
  { held, chances }: HeldOutAnswers,
  { answer, labelCount }: Omit<AnsweringModel, 'rule'>,
): HeldOutAnswer[] {
  const { classCount, classes, examples } = held
  return Array.from(examples, (example, h) => {
    const probabilities = new Float64Array(labelCount)
    spread(answer, chances, h * classCount, probabilities)
    return { example, label: answer.labels[classes[h] as number] as number, probabilities }
  })
}

/** The figures of the answers that the rule chooses. */
export function heldOutFigures(
  answers: HeldOutAnswers | null,
  { answer, rule, labelCount }: AnsweringModel,
): HeldOutFigures {
  if (answers === null) return { logLoss: null, accuracy: null, scored: null }
  const { chances } = answers
  const { classCount, classes, weights } = answers.held
  const { labels, uniformShare } = answer
  const probabilities = new Float64Array(labelCount)
  let loss = 0
  let right = 0
  const scored = new ScoredAnswers(labelCount)
  for (let h = 0; h < classes.length; h++) {
    const [at, k, weight] = [h * classCount, classes[h] as number, weights[h] as number]
    const share = (1 - uniformShare) * (chances[at + k] as number) + uniformShare / classCount
    loss -= weight * Math.log(share)
    spread(answer, chances, at, probabilities)
    const chosen = chooseBy(rule, probabilities, labels)
    if (chosen === labels[k]) right += weight
    scored.add(labels[k] as number, chosen, probabilities[chosen] as number)
  }
  return { logLoss: loss / classes.length, accuracy: right / classes.length, scored: scored.counts() }
}
