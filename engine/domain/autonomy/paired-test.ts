/**
 * Whether a challenger is better or worse than the champion, from events that they decided differently and people
 * answered, at any time and for any number of looks.
 *
 * An answered disagreement counts where exactly one of both is right. Let p be the chance that this is the challenger.
 * For the hypothesis "p is p0 or less" the capital of a mixture of bets on q > p0 is
 *
 *   K = Σ w (q / p0)^wins ((1 - q) / (1 - p0))^losses
 *
 * It is a supermartingale that starts at 1, so it ever reaches 1/δ with a probability of at most δ (Ville). Each bet
 * takes the same factors for all answers, so K follows from two counts (Waudby-Smith and Ramdas, arXiv 2010.09686).
 *
 * | verdict     | refuted at δ                                                                         |
 * |-------------|--------------------------------------------------------------------------------------|
 * | `better`    | p is 1/2 or less                                                                     |
 * | `worse`     | p is 1/2 or more                                                                     |
 * | `not_worse` | p is 2/5 or less; or they hardly ever differ, so that it cannot matter               |
 */

/** Answered disagreements in which one of both was right. */
export interface PairedCounts {
  /** The challenger was right. */
  readonly wins: number
  /** The champion was right. */
  readonly losses: number
}

/** What both have decided. */
export interface PairedStream {
  readonly events: number
  readonly differ: number
}

export type PairedVerdict = 'undecided' | 'better' | 'worse' | 'not_worse'

export const pairedTest = {
  /** The chance of a wrong verdict, for each hypothesis. */
  delta: 0.05,
  /** A challenger that is right in less than this share of the disagreements is worse by more than is tolerated. */
  tolerated: 0.4,
  /** From so many events on, a share of disagreements up to this one cannot matter. */
  sameEvents: 1_000,
  sameShare: 0.005,
} as const

/** How far the bets lie between the hypothesis and certainty. They share the capital equally. */
const reaches = [0.2, 0.5, 0.8] as const

/** K against "p is p0 or less"; p0 is above 0 and below 1. Infinity where a double cannot hold it. */
export function capital(p0: number, { wins, losses }: PairedCounts): number {
  let sum = 0
  for (const reach of reaches) {
    const q = p0 + reach * (1 - p0)
    sum += Math.exp(wins * Math.log(q / p0) + losses * Math.log((1 - q) / (1 - p0)))
  }
  return sum / reaches.length
}

export function verdictOn(counts: PairedCounts, { events, differ }: PairedStream): PairedVerdict {
  const { delta, tolerated, sameEvents, sameShare } = pairedTest
  const mirrored = { wins: counts.losses, losses: counts.wins }
  if (capital(0.5, counts) >= 1 / delta) return 'better'
  if (capital(0.5, mirrored) >= 1 / delta) return 'worse'
  const isSame = events >= sameEvents && differ <= sameShare * events
  return isSame || capital(tolerated, counts) >= 1 / delta ? 'not_worse' : 'undecided'
}
