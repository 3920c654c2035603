/**
 * What becomes of turns that came back without a result.
 *
 * 1. A turn runs again under its own times, so that it is recognised where it was applied or appended before. Another
 *    process would give its messages new times. So a turn that the log may have is looked for there before it goes to
 *    another process (turn.ts, 3). Where it is not known from where on, each of its messages has to be recognised
 *    without (repeatable.ts).
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { isRepeatable } from '../log/spread/repeatable.js'
import type { Turn } from '../turn/turn.js'
import type { TurnQueues } from './turn-queues.js'

/** What turns are refused with that fail each time they run. */
export const turnFailed = new Refusal('turn_failed', 'the service failed on this request')

/** What turns are refused with that the log may have, where another process runs the shard now. */
export const turnUnclear = new Refusal(
  'log_unavailable',
  'another process runs this shard now; the request may take effect; try again',
  { retryAfterSeconds: 2 },
)

/**
 * Sorts failed turns into those that run again, in order, and those that are given up. A turn that keeps failing is
 * first split into turns of one message.
 */
export function sortFailed(failed: readonly Turn[]): { readonly again: Turn[]; readonly givenUp: Turn[] } {
  const [again, givenUp]: [Turn[], Turn[]] = [[], []]
  for (const turn of [...failed].sort((a, b) => a.place - b.place)) {
    // Not to blame: an earlier turn failed, or it was waiting when the thread died, or it is committed already.
    if (!turn.failed()) again.push(turn)
    else if (++turn.attempts < limits.turnAttemptsMax) again.push(turn)
    else if (turn.count > 1) again.push(...turn.split())
    else givenUp.push(turn)
  }
  return { again, givenUp }
}

/** Takes those turns out of `again` that another process might apply a second time. */
export function takeUnclear(again: Turn[]): Turn[] {
  const unclear = again.filter((turn) => !turn.doubt.mayMove() && !isRepeatable(turn))
  again.splice(0, again.length, ...again.filter((turn) => !unclear.includes(turn)))
  return unclear
}

/** Takes out what came from other nodes: of turns that run again, and of those that wait. */
export function takeForeign(again: Turn[], queues: Pick<TurnQueues, 'takeForeign'>): Turn[] {
  const foreign = again.flatMap((turn) => turn.takeForeign() ?? [])
  again.splice(0, again.length, ...again.filter(({ count }) => count > 0))
  return [...foreign, ...queues.takeForeign()]
}
