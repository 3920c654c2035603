/**
 * Whether a model is ageing, by two streams from its installation on.
 *
 * 1. Feedback after a decision: x = p - (1 where it was right). For a calibrated model its mean is 0, whichever events
 *    an analyst picks without knowing what is right. The test is a one-sided CUSUM: S = max(0, S + x - δ). S > λ says
 *    that the model is too sure. (Page, "Continuous inspection schemes", 1954.) An analyst who votes on wrong answers
 *    only makes every model look too sure, so the share of events that analysts picked themselves is kept.
 * 2. The confidence p of all decisions. The test is that of Page and Hinkley: S = max(0, S + mean p - p - δ). S > λ
 *    says that the mean has fallen. (Hinkley, "Inference about the change-point from cumulative sum tests", 1971; Gama
 *    et al., "A survey on concept drift adaptation", 2014.)
 *
 * The answers of an ageing model are mixed with the base rates: p' = (1 - share) p + share base. Recent feedback sets
 * the share:
 *
 *   share = (mean p - right) / (mean p - mean base)
 *
 * Without enough feedback it is the fall of the confidence. A new model starts afresh. It is all plain data and
 * arithmetic: the same decisions and feedback in the same order give the same doubt (S17).
 */

/** Why a model counts as ageing. */
export type Ageing = 'no' | 'feedback' | 'confidence'

/** The state; updated in place, as it changes with every event. */
export interface DriftState {
  ageing: Ageing
  /** The time of the message that showed it, microseconds; 0 for none. */
  sinceMicros: number
  /** Decisions, their mean confidence, and the recent mean. */
  decided: number
  meanConfidence: number
  lateConfidence: number
  /** The Page-Hinkley sum, 0 or more. */
  fall: number
  /** The CUSUM of feedback, 0 or more. */
  excess: number
  /** Recent feedback: its weight, and the sums of confidence, right answers and base rates. */
  weight: number
  confidence: number
  right: number
  base: number
  /** Of that weight: events that nobody was asked about. Absent in what was stored before this was kept. */
  chosen?: number
}

/** The parameters of a test by cumulative sums. */
interface ChangeTest {
  /** δ: the mean difference that is tolerated; in a CUSUM also called the allowance k. */
  readonly delta: number
  /** λ: the sum above which there is a change; in a CUSUM also called the decision interval h. */
  readonly lambda: number
}

/** For a fall of the mean confidence. */
const pageHinkley: ChangeTest = { delta: 0.05, lambda: 10 }
/** For confidence that feedback does not bear out. */
const cusum: ChangeTest = { delta: 0.04, lambda: 8 }
/** The least decisions for a mean confidence. */
const decidedMin = 200
/** Events in `lateConfidence`. */
const lateEvents = 300
/** The decay of older feedback, and the weight of the prior that it has to outweigh. */
const fade = 1 - 1 / 150
const feedbackPrior = 15
const shareMax = 0.9
/** The share of the fall in confidence that counts as doubt. */
const unseenFall = 1

export function freshDrift(): DriftState {
  return {
    ageing: 'no',
    sinceMicros: 0,
    decided: 0,
    meanConfidence: 0,
    lateConfidence: 0,
    fall: 0,
    excess: 0,
    weight: 0,
    confidence: 0,
    right: 0,
    base: 0,
    chosen: 0,
  }
}

/** Adds a decision of the model, with its confidence before any doubt, 0 to 1. */
export function seeConfidence(state: DriftState, confidence: number, micros: number): void {
  state.decided++
  state.meanConfidence += (confidence - state.meanConfidence) / state.decided
  state.lateConfidence += (confidence - state.lateConfidence) / Math.min(state.decided, lateEvents)
  if (state.decided < decidedMin) return
  state.fall = Math.max(0, state.fall + state.meanConfidence - confidence - pageHinkley.delta)
  if (state.ageing === 'no' && state.fall > pageHinkley.lambda) age(state, 'confidence', micros)
}

/** An analyst's feedback on a decision. */
export interface JudgedDecision {
  /** The model's own confidence, 0 to 1. */
  readonly confidence: number
  /** The base rate of the label that it decided for, 0 to 1. */
  readonly base: number
  readonly right: boolean
  /** An analyst picked the event. False: the service asked about it. */
  readonly isChosen: boolean
}

/** Adds an analyst's feedback on a decision. */
export function seeFeedback(state: DriftState, judged: JudgedDecision, micros: number): void {
  const { confidence, base, right, isChosen } = judged
  const hit = right ? 1 : 0
  state.weight = state.weight * fade + 1
  state.confidence = state.confidence * fade + confidence
  state.right = state.right * fade + hit
  state.base = state.base * fade + base
  state.chosen = (state.chosen ?? 0) * fade + (isChosen ? 1 : 0)
  state.excess = Math.max(0, state.excess + confidence - hit - cusum.delta)
  if (state.ageing !== 'feedback' && state.excess > cusum.lambda) age(state, 'feedback', micros)
}

function age(state: DriftState, why: Ageing, micros: number): void {
  if (state.ageing === 'no') state.sinceMicros = micros
  state.ageing = why
}

/** The share of recent feedback that is about events that analysts picked themselves, 0 to 1. */
export function chosenShare({ weight, chosen = 0 }: DriftState): number {
  return weight === 0 ? 0 : chosen / weight
}

/** The share of the base rates in the model's answers, 0 to 0.9; 0 where it is not ageing. */
export function doubtShare(state: DriftState): number {
  if (state.ageing === 'no') return 0
  const fallen = Math.max(0, state.meanConfidence - state.lateConfidence) * unseenFall
  const { weight, confidence, right, base } = state
  if (weight === 0) return Math.min(shareMax, fallen)
  const room = confidence - base
  const overconfidence = room <= 0 ? 0 : Math.max(0, (confidence - right) / room)
  const trust = weight / (weight + feedbackPrior)
  return Math.min(shareMax, trust * overconfidence + (1 - trust) * fallen)
}

/** A probability of the model, mixed with the base rate by this share. */
export function withDoubt(probability: number, base: number, share: number): number {
  return share === 0 ? probability : (1 - share) * probability + share * base
}
