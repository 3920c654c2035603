/** A request that is followed on its way, as those see it who have it in hand: tracing.ts has the rest. */
import type { EventView, TurnTrace } from '../../engine/index.js'

export interface RequestTrace extends TurnTrace {
  /** What became of its event. */
  decided(view: EventView): void
  /** The answer has left; a status of 0: the client went before. */
  ended(status: number): void
}
