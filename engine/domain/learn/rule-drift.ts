/**
 * Whether the rule for macro F1 is used on the stream, or is off. No feedback is needed.
 *
 * The guard of the rule (rule-guard.ts) judges what it costs by held-out examples. That holds as long as the rule
 * changes about as many answers as it did there. Where a model sees a rare label everywhere in a stream that has moved,
 * the rule answers with it everywhere, and each of these answers may be wrong. So the rule is off while it would change
 * `unjudgedChanges` more of all answers than in its training: at most so much accuracy is lost beyond what was judged.
 *
 * 1. It is off after the event at which a likelihood ratio test says so, and is used again when the share of recent
 *    events is back at the bound. So it does not go to and fro.
 * 2. It is watched while it is off: what it would change is counted.
 * 3. Two sums and a mark, whatever the length of the stream. The same answers in the same order give the same state
 *    (S17).
 */
import { excessEvidence, significantMove } from './stream-shift.js'

/** Recent answers of the model, each the less the longer ago; updated in place. */
export interface RuleDrift {
  /** The weight of all of them, and of those that the rule would change. */
  weight: number
  changed: number
  isOff: boolean
  /** The time of the message since which it is off, microseconds; 0 while it is used. */
  sinceMicros: number
}

const fade = 1 - 1 / 500
/** By how much the share of changed answers may be above that where the rule was judged. */
export const unjudgedChanges = 0.1
/** A burst of a few equal events is no stream. */
const weightMin = 50

export function freshRuleDrift(): RuleDrift {
  return { weight: 0, changed: 0, isOff: false, sinceMicros: 0 }
}

/** An answer of the model. */
export interface RuledAnswer {
  /** The rule changes it. */
  readonly isChanged: boolean
  /** The share of answers that the rule changed in its training. */
  readonly usual: number
  readonly micros: number
}

/** Adds an answer to a new event. */
export function seeRule(state: RuleDrift, { isChanged, usual, micros }: RuledAnswer): void {
  state.weight = state.weight * fade + 1
  state.changed = state.changed * fade + (isChanged ? 1 : 0)
  const { weight, changed, isOff } = state
  const bound = usual + unjudgedChanges
  if (isOff ? changed > bound * weight : !movedAbove(state, bound)) return
  state.isOff = !isOff
  state.sinceMicros = isOff ? 0 : micros
}

function movedAbove({ weight, changed }: RuleDrift, bound: number): boolean {
  return weight >= weightMin && bound < 1 && excessEvidence(changed, weight, bound) > significantMove
}
