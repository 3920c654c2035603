/**
 * Whether one choice does significantly better on held-out examples than another.
 *
 * Gains are compared pair by pair. Some standard errors are subtracted from their sum, so that few examples hardly
 * change the usual choice. This is the one-standard-error rule (Breiman, Friedman, Olshen, Stone, "Classification and
 * regression trees", 1984).
 */

/** The decrease of the losses, minus some standard errors of it. */
export function significantGain(before: ArrayLike<number>, after: ArrayLike<number>, errors: number): number {
  let sum = 0
  let squares = 0
  for (let h = 0; h < before.length; h++) {
    const gain = (before[h] as number) - (after[h] as number)
    sum += gain
    squares += gain * gain
  }
  return sum - errors * Math.sqrt(Math.max(0, squares - (sum * sum) / before.length))
}

/** The uniform share of every answer in a comparison: no single event decides. */
const floor = 0.01

/** The loss of a held-out example; `chance` is the probability of its true class. */
export function flooredLoss(weight: number, chance: number, classCount: number): number {
  return -weight * Math.log((1 - floor) * chance + floor / classCount)
}

/**
 * Fewer examples than this are few: held-out ones say less than the usual choice, and each is missed in the training.
 */
export const fewExamples = 20

/** With fewer held-out examples the usual choice stays: the best of some trials would be best by chance. */
const examplesMin = 60
/** The standard errors that a choice has to gain. */
const usualErrors = 1

/**
 * The index of the losses with the greatest significant gain over the usual choice; else the usual one, as with fewer
 * than `least`.
 */
export function significantlyBest(
  losses: readonly ArrayLike<number>[],
  usual: number,
  errors = usualErrors,
  least = examplesMin,
): number {
  let best = usual
  if ((losses[usual] as ArrayLike<number>).length < least) return best
  let most = 0
  losses.forEach((after, i) => {
    const gain = significantGain(losses[usual] as ArrayLike<number>, after, errors)
    if (i === usual || gain <= most) return
    most = gain
    best = i
  })
  return best
}

/**
 * The shares of the choices in a mean of them: the exponentials of their significant gains over the usual one, which
 * are nats. Null with fewer than `examplesMin`: then the usual choice stays.
 */
export function gainShares(losses: readonly ArrayLike<number>[], usual: number): Float64Array | null {
  const before = losses[usual] as ArrayLike<number>
  if (before.length < examplesMin) return null
  const gains = Float64Array.from(losses, (after, i) => (i === usual ? 0 : significantGain(before, after, usualErrors)))
  const most = gains.reduce((a, b) => Math.max(a, b))
  const odds = gains.map((gain) => Math.exp(gain - most))
  const total = odds.reduce((a, b) => a + b)
  return odds.map((one) => one / total)
}
