/** Streams of audits whose true rate of failures is known, and what a rule does with them. */
import type { AuditCounts } from '../../engine/domain/autonomy/evidence.js'
import type { SeededRandom } from '../../engine/rng.js'

/** Whether a rule would have the gate open after these audits, of which the last failed or did not. */
export type Rule = (counts: AuditCounts, failed: boolean) => boolean

/** The audits after which the rule first opens, or null where it does not within `most`. */
export function firstOpening(rule: Rule, random: SeededRandom, rate: number, most: number): number | null {
  let clean = 0
  let failures = 0
  for (let audits = 1; audits <= most; audits++) {
    const failed = random.nextFloat() < rate
    if (failed) failures++
    else clean++
    if (rule({ clean, failures }, failed)) return audits
  }
  return null
}

/** How people answer: clean audits at once, and those that fail only so many audits later. */
export interface LateFailures {
  readonly delay: number
  /** A clean answer counts when all audits before it are answered, as in the service; else as it comes. */
  readonly inOrder: boolean
}

/** Whether the rule ever opens within `most` audits where people leave failures for later. */
export function opensWithLateFailures(
  rule: Rule,
  random: SeededRandom,
  { rate, most }: { readonly rate: number; readonly most: number },
  { delay, inOrder }: LateFailures,
): boolean {
  /** Places of audits that failed and are not answered. */
  const open: number[] = []
  let failures = 0
  for (let audit = 1; audit <= most; audit++) {
    if (random.nextFloat() < rate) open.push(audit)
    if (open[0] !== undefined && open[0] <= audit - delay) {
      open.shift()
      failures++
    }
    // Before the first open one all clean audits are answered.
    const seen = inOrder && open[0] !== undefined ? open[0] - 1 : audit - open.length
    if (rule({ clean: seen - failures, failures }, false)) return true
  }
  return false
}

/** The audits from a jump of the rate until the rule closes, for a gate that has just opened on clean audits. */
export function closingAfter(rule: Rule, random: SeededRandom, rate: number, opened: number): number {
  let clean = opened
  let failures = 0
  for (let audits = 1; audits <= 100_000; audits++) {
    const failed = random.nextFloat() < rate
    if (failed) failures++
    else clean++
    if (!rule({ clean, failures }, failed)) return audits
  }
  return Infinity
}

/**
 * Clopper and Pearson's upper bound at level α: the rate p at which so few failures have the chance α. It holds for one
 * look at a number of audits that was fixed beforehand.
 */
export function clopperPearson(alpha: number, { clean, failures }: AuditCounts): number {
  const audits = clean + failures
  if (clean === 0) return 1
  let low = 0
  let high = 1
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (atMost(failures, audits, middle) > alpha) low = middle
    else high = middle
  }
  return high
}

/** The chance of at most `failures` failures in `audits` audits at the rate p. */
function atMost(failures: number, audits: number, p: number): number {
  if (p <= 0) return 1
  if (p >= 1) return failures >= audits ? 1 : 0
  let term = audits * Math.log1p(-p)
  let sum = Math.exp(term)
  for (let at = 0; at < failures; at++) {
    term += Math.log((audits - at) / (at + 1)) + Math.log(p) - Math.log1p(-p)
    sum += Math.exp(term)
  }
  return Math.min(1, sum)
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/**
 * A fresh betting process against "the rate is ε or more" with predictable plug-in bets (Waudby-Smith and Ramdas,
 * 2010.09686, section 4.2): the bet on the next audit follows from the mean and variance of those before. Fed one audit
 * at a time.
 */
export function plugInBets(epsilon: number, alpha: number): (failed: boolean) => boolean {
  let audits = 0
  let sum = 0.5
  let squares = 0.25
  let logCapital = 0
  return (failed) => {
    audits++
    const x = failed ? 1 : 0
    const variance = squares / audits
    const size = Math.sqrt((2 * Math.log(1 / alpha)) / (variance * audits * Math.log(1 + audits)))
    const bet = Math.min(size, 0.5 / (1 - epsilon))
    logCapital += Math.log1p(-bet * (x - epsilon))
    sum += x
    squares += (x - sum / (audits + 1)) ** 2
    return logCapital >= -Math.log(alpha)
  }
}
