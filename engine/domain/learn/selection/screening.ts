/**
 * Which buckets become candidates where a job has more than can be compared with each other.
 *
 * 1. Most are those with the largest mass times doubt. Some are the most doubtful whatever their mass, and some are
 *    drawn at random by event, so that no part of the stream is left out.
 * 2. The draw follows from the seed and the bucket's key: the same buckets give the same candidates.
 */
import { hashNumber } from '../hash.js'
import { candidatesMax } from './candidates.js'

const doubtfulShare = 3 / 16
const drawnShare = 3 / 16

/** A bucket that may become a candidate. */
export interface Screened {
  readonly events: number
  /** From 0 to 1; 1 where nothing is known. */
  readonly doubt: number
  /** Any number that tells the bucket from others, and stays. */
  readonly key: number
}

/**
 * Puts subjects in the order of a draw by event: the more events, the sooner. Smallest first. (Efraimidis, Spirakis,
 * "Weighted random sampling with a reservoir", 2006.)
 */
export function drawKey(seed: number, { key, events }: Pick<Screened, 'key' | 'events'>): number {
  const share = ((hashNumber(seed, key) >>> 0) + 0.5) / 2 ** 32
  return -Math.log(share) / Math.max(1, events)
}

/** The places of the `count` greatest figures, the greatest first; of equal ones the first. */
function greatest(figures: Float64Array, count: number): number[] {
  // Numbers are sorted far faster than places by a function, and few places are wanted.
  const least = figures.slice().sort()[figures.length - count] as number
  const [above, equal]: [number[], number[]] = [[], []]
  for (let place = 0; place < figures.length; place++) {
    const figure = figures[place] as number
    if (figure > least) above.push(place)
    else if (figure === least && equal.length < count) equal.push(place)
  }
  above.sort((a, b) => (figures[b] as number) - (figures[a] as number) || a - b)
  return [...above, ...equal].slice(0, count)
}

/** Places of at most `max` candidates, ascending. */
export function screen(all: readonly Screened[], seed: number, max = candidatesMax): number[] {
  if (all.length <= max) return [...all.keys()]
  const chosen = new Set<number>()
  const takeBy = (figure: (one: Screened) => number, upTo: number): void => {
    for (const place of greatest(Float64Array.from(all, figure), upTo)) {
      if (chosen.size >= upTo) return
      chosen.add(place)
    }
  }
  const [drawn, doubtful] = [Math.round(drawnShare * max), Math.round(doubtfulShare * max)]
  takeBy((one) => -drawKey(seed, one), drawn)
  takeBy(({ doubt }) => doubt, drawn + doubtful)
  takeBy(({ events, doubt }) => Math.sqrt(events) * doubt, max)
  return [...chosen].sort((a, b) => a - b)
}
