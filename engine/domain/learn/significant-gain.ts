/**
 * Whether one choice does better on held-out examples than another, beyond what chance may give.
 *
 * Gains are compared pair by pair; of their sum a share of its standard error is taken off, so that few examples change
 * little of what usually holds (the one-standard-error rule: Breiman, Friedman, Olshen, Stone, "Classification and
 * regression trees", 1984).
 */

/** How much less the losses are, less `doubt` standard errors of that. */
export function significantGain(before: ArrayLike<number>, after: ArrayLike<number>, doubt: number): number {
  let sum = 0
  let squares = 0
  for (let h = 0; h < before.length; h++) {
    const gain = (before[h] as number) - (after[h] as number)
    sum += gain
    squares += gain * gain
  }
  return sum - doubt * Math.sqrt(Math.max(0, squares - (sum * sum) / before.length))
}

/** Of the uniform, in every answer that is judged: no single event decides. */
const floor = 0.01

/** The loss of a held-out example of this weight, whose truth got this chance among so many classes. */
export function flooredLoss(weight: number, chance: number, classCount: number): number {
  return -weight * Math.log((1 - floor) * chance + floor / classCount)
}

/** Less than this is a handful: what was held out says less than what usually holds, and each example that is left out is missed. */
export const fewExamples = 20

/** With fewer held-out examples than this the usual choice stays: the best of some trials would be best by chance. */
const examplesMin = 60
/** Standard errors that a choice has to gain. */
const usualDoubt = 1

/** The index of the losses that gain most beside those of the usual choice; the usual one where none surely gains, or there are fewer than `least`. */
export function significantlyBest(
  losses: readonly ArrayLike<number>[],
  usual: number,
  doubt = usualDoubt,
  least = examplesMin,
): number {
  let best = usual
  if ((losses[usual] as ArrayLike<number>).length < least) return best
  let most = 0
  losses.forEach((after, i) => {
    const gain = significantGain(losses[usual] as ArrayLike<number>, after, doubt)
    if (i === usual || gain <= most) return
    most = gain
    best = i
  })
  return best
}
