/**
 * What audits prove about the error rate of settled events, at any time and for any number of looks.
 *
 * An audit is an event that a gate would have settled and that people answered instead. X = 1 where they answered with
 * a protected label. For the hypothesis "the rate of X is ε or more", the capital of a mixture of bets is
 *
 *   K = Σ w r^failures ((1 - r ε) / (1 - ε))^clean      r = 0, 0.1, 0.25, 0.5
 *
 * Under the hypothesis K is a supermartingale that starts at 1, so it ever reaches 1/α with a probability of at most α
 * (Ville). K >= 1/α refutes the hypothesis at level α, whenever one looks. (Waudby-Smith and Ramdas, arXiv 2010.09686;
 * Xu et al., arXiv 2406.10490.) Each bet takes the same factors for all audits, so K follows from two counts.
 *
 * Capitals are natural logarithms here: 100,000 clean audits would overflow a double.
 */

/** Audits that have an outcome. Both are 0 or more. */
export interface AuditCounts {
  /** Answered with a label that is not protected. */
  readonly clean: number
  /** Answered with a protected label, or unanswered past the deadline. */
  readonly failures: number
}

/** A bet on rates of r ε, and its share of the capital at the start. */
interface Bet {
  readonly rate: number
  readonly weight: number
}

const bets: readonly Bet[] = [
  { rate: 0, weight: 0.4 },
  { rate: 0.1, weight: 0.2 },
  { rate: 0.25, weight: 0.2 },
  { rate: 0.5, weight: 0.2 },
]

/** Bets on rates above ε, as multiples of it. They share the capital equally. */
const alarms: readonly number[] = [2, 4, 8]

/** The logarithm of a sum of exponentials. -Infinity for no terms. */
function logSum(terms: readonly number[]): number {
  const largest = Math.max(...terms)
  if (largest === -Infinity) return -Infinity
  let sum = 0
  for (const term of terms) sum += Math.exp(term - largest)
  return largest + Math.log(sum)
}

/** The logarithm of what one bet on the rate q makes of its capital against the rate ε. Both are below 1. */
function logBet(q: number, epsilon: number, { clean, failures }: AuditCounts): number {
  const lost = failures === 0 ? 0 : failures * Math.log(q / epsilon)
  return lost + clean * (Math.log1p(-q) - Math.log1p(-epsilon))
}

/** ln K against "the rate is ε or more". ε is above 0 and below 1. */
export function logCapital(epsilon: number, counts: AuditCounts): number {
  return logSum(bets.map(({ rate, weight }) => Math.log(weight) + logBet(rate * epsilon, epsilon, counts)))
}

/**
 * The logarithm of the capital against "the rate is ε or less", from bets on 2, 4 and 8 ε as far as these are rates.
 */
export function logAlarm(epsilon: number, counts: AuditCounts): number {
  const rates = alarms.map((multiple) => multiple * epsilon).filter((rate) => rate < 1)
  if (rates.length === 0) return 0
  return logSum(rates.map((rate) => logBet(rate, epsilon, counts))) - Math.log(rates.length)
}

/** Steps of the grid of bounds in a factor of ten. 48 are 4.9 % apart. */
const gridSteps = 48
/** The grid begins at one in a million. */
const gridFrom = -6

/**
 * The least rate on the grid that the audits refute at level α: "with confidence 1 - α the rate is at most this".
 * Returns 1 where they refute none. The grid is one in a million to 1, 48 rates in each factor of ten.
 */
export function rateBound(alpha: number, counts: AuditCounts): number {
  const needed = -Math.log(alpha)
  const refuted = (step: number): boolean => logCapital(10 ** (gridFrom + step / gridSteps), counts) >= needed
  let low = 0
  let high = -gridFrom * gridSteps
  // K does not fall where ε rises, so the refuted rates are a tail of the grid.
  while (low < high) {
    const middle = (low + high) >> 1
    if (refuted(middle)) high = middle
    else low = middle + 1
  }
  return high === -gridFrom * gridSteps ? 1 : 10 ** (gridFrom + high / gridSteps)
}

/** Audits in which a forecast is certain to end: beyond them it says that there is no end. */
const auditsMax = 1 << 24

/**
 * The audits that refute ε at level α where the share `rate` of them fails, each kind in its mean number. Returns
 * Infinity where that takes more than 16 million, as it does for rates near ε and above.
 */
export function auditsNeeded(epsilon: number, alpha: number, rate: number): number {
  const needed = -Math.log(alpha)
  const enough = (audits: number): boolean =>
    logCapital(epsilon, { clean: audits * (1 - rate), failures: audits * rate }) >= needed
  let high = 1
  while (!enough(high)) {
    if (high >= auditsMax) return Infinity
    high *= 2
  }
  let low = high >> 1
  while (low + 1 < high) {
    const middle = (low + high) >> 1
    if (enough(middle)) high = middle
    else low = middle
  }
  return high
}
