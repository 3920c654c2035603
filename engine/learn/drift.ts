/**
 * Whether a model still means what it says: two streams are watched from its installation on.
 *
 * - Feedback after a decision: p - (1 where it was right). Of an honest model this is 0 on the average, whichever
 *   events an analyst picks. Its sum over what is tolerated (CUSUM; Page, "Continuous inspection schemes", 1954) past
 *   a bound says that
 *   the model is surer than it is right.
 * - The confidence of all decisions: the Page-Hinkley test (Hinkley, "Inference about the change-point from
 *   cumulative sum
 *   tests", 1971; Gama et al., "A survey on concept drift adaptation", 2014) for a fall of its mean.
 *
 * A model found to be ageing gives part of its say to the base rates, p' = (1 - share) p + share base: as much as the
 * feedback of late asks for, share = (mean p - right) / (mean p - mean base); without enough feedback as much as the
 * confidence has fallen. A new model starts afresh.
 *
 * 1. Plain data and arithmetic: the same decisions and feedback in the same order give the same doubt (S17).
 */

/** Why a model counts as ageing. */
export type Ageing = 'no' | 'feedback' | 'confidence'

/** What is kept of the streams; changed in place, since it changes with every event. */
export interface DriftState {
  ageing: Ageing
  /** Time of the message that showed it, microseconds; 0 while it has not. */
  sinceMicros: number
  /** Decisions, their mean confidence, and that of late. */
  decided: number
  meanConfidence: number
  lateConfidence: number
  /** The Page-Hinkley sum, 0 or more. */
  fall: number
  /** The CUSUM of feedback, 0 or more. */
  excess: number
  /** Feedback of late: how much there is, and the sums of confidence, right answers and base rates. */
  weight: number
  confidence: number
  right: number
  base: number
}

/** Mean differences that are no drift. */
const confidenceTolerance = 0.05
const feedbackTolerance = 0.04
const fallBound = 10
const excessBound = 8
/** Decisions before the mean confidence is one. */
const decidedMin = 200
/** Events that `lateConfidence` is about. */
const lateEvents = 300
/** How fast older feedback fades, and how much of it has to be there before it counts fully. */
const fade = 1 - 1 / 150
const feedbackPrior = 15
const shareMax = 0.9
/** The share of the fall in confidence that is taken to be unseen yet. */
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
  }
}

/** Takes in a decision of the model: its own confidence, 0 to 1, before any doubt. */
export function seeConfidence(state: DriftState, confidence: number, micros: number): void {
  state.decided++
  state.meanConfidence += (confidence - state.meanConfidence) / state.decided
  state.lateConfidence += (confidence - state.lateConfidence) / Math.min(state.decided, lateEvents)
  if (state.decided < decidedMin) return
  state.fall = Math.max(0, state.fall + state.meanConfidence - confidence - confidenceTolerance)
  if (state.ageing === 'no' && state.fall > fallBound) age(state, 'confidence', micros)
}

/**
 * Takes in what an analyst said of a decision: the model's own confidence, the base rate of its label, and whether it
 * was right.
 */
export function seeFeedback(state: DriftState, confidence: number, base: number, right: boolean, micros: number): void {
  const hit = right ? 1 : 0
  state.weight = state.weight * fade + 1
  state.confidence = state.confidence * fade + confidence
  state.right = state.right * fade + hit
  state.base = state.base * fade + base
  state.excess = Math.max(0, state.excess + confidence - hit - feedbackTolerance)
  if (state.ageing !== 'feedback' && state.excess > excessBound) age(state, 'feedback', micros)
}

function age(state: DriftState, why: Ageing, micros: number): void {
  if (state.ageing === 'no') state.sinceMicros = micros
  state.ageing = why
}

/** The share of its say that the model gives to the base rates, 0 to 0.9; 0 where it is not ageing. */
export function doubtShare(state: DriftState): number {
  if (state.ageing === 'no') return 0
  const fallen = Math.max(0, state.meanConfidence - state.lateConfidence) * unseenFall
  const { weight, confidence, right, base } = state
  if (weight === 0) return Math.min(shareMax, fallen)
  const room = confidence - base
  const asked = room <= 0 ? 0 : Math.max(0, (confidence - right) / room)
  const trust = weight / (weight + feedbackPrior)
  return Math.min(shareMax, trust * asked + (1 - trust) * fallen)
}

/** A probability of a model with this share of doubt. */
export function withDoubt(probability: number, base: number, share: number): number {
  return share === 0 ? probability : (1 - share) * probability + share * base
}
