/**
 * A cache of contexts, since alerts are in like contexts again and again.
 *
 * Owns: one array of values for all alerts with equal contextValues, found by a short text of numbers.
 * Leaves out: the values (context.ts), and the model's answers, which are cached by the array (cause-model.ts).
 *
 * 1. Equal texts have equal values while the numbers of kinds mean the same: one instance serves one job.
 */
import type { PointValues } from '../event/point-value.js'
import { causeBounds } from './bounds.js'
import { PREDECESSOR_FIELDS, type AlertRow } from './cause-rows.js'
import { contextValues, step, twentieths, type KindFacts, type StructuralAnswer } from './context.js'

export class ContextCache {
  readonly #facts: KindFacts
  readonly #known = new Map<string, PointValues>()

  constructor(facts: KindFacts) {
    this.#facts = facts
  }

  /** The values of contextValues; mostly the same array for equal ones. */
  valuesOf(alert: AlertRow, structure: StructuralAnswer, own: PointValues): PointValues {
    const prefix = this.#keyOf(alert, structure)
    const text = own.length === 0 ? prefix : prefix + JSON.stringify(own)
    const known = this.#known.get(text)
    if (known !== undefined) return known
    if (this.#known.size >= causeBounds.causeAnswersMax) this.#known.clear()
    const values = contextValues(alert, structure, this.#facts, own)
    this.#known.set(text, values)
    return values
  }

  /** All that contextValues reads beside the alert's own values, one code unit each: the numbers are small. */
  #keyOf(alert: AlertRow, { answer, belief, follows }: StructuralAnswer): string {
    const { kind, parent, parentKind, followers, predecessors } = alert
    const hasParent = parent !== 0
    const hasFollower = followers !== 0
    const isNearest = predecessors.length < PREDECESSOR_FIELDS || predecessors[0] === parentKind
    return String.fromCharCode(
      answer,
      twentieths(belief),
      twentieths(follows),
      kind,
      hasParent ? 1 + parentKind : 0,
      hasParent ? alert.side : 0,
      hasParent ? step(alert.delayMs / 1000) : 0,
      step(followers),
      hasFollower ? 1 + alert.followerKind : 0,
      hasFollower ? alert.followerSide : 0,
      twentieths(alert.followerBelief),
      twentieths(this.#facts.startRate(kind)),
      step(alert.rank),
      step(alert.sinceMs / 1000),
      step(alert.lists),
      isNearest ? 0 : 1 + (predecessors[0] as number),
    )
  }
}
