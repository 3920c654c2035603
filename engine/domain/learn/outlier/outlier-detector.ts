/**
 * How unlike everything labelled an event is, in nats: minus the logarithm of the share of known events that are as
 * unlike. 3.91 is what 2 % of the known events reach.
 *
 * Two signals, each counted as the logarithm of its tail share, added and ranked once more: the distance to the
 * nearest labelled events, and doubt, the mean over some members of the classifier (1 - the top probability of each, ranked by
 * itself: what is much doubt differs between them). Known are the labelled events, each as if it had not been seen, and the
 * recent events of the stream, labelled or not: with few labels these alone say what is usual.
 *
 * Owns: what is usual of the two. Leaves out: the signals themselves (outlier-references.ts, members.ts), and at which
 * score an event is called an outlier (outlier-anchor.ts).
 */
import type { ModelReader, ModelWriter } from '../model-bytes.js'
import { OutlierTail } from './outlier-tail.js'

export class OutlierDetector {
  readonly #distance: OutlierTail
  readonly #doubts: readonly OutlierTail[]
  readonly #both: OutlierTail

  private constructor(distance: OutlierTail, doubts: readonly OutlierTail[], both: OutlierTail) {
    this.#distance = distance
    this.#doubts = doubts
    this.#both = both
  }

  /** From the distances of known events, and the doubts about them, a list for each doubt; all in one order; at least one event and one doubt. */
  static of(distances: Float64Array, doubts: readonly Float64Array[]): OutlierDetector {
    const distance = OutlierTail.of(distances)
    const tails = doubts.map((list) => OutlierTail.of(list))
    const both = distances.map((d, i) =>
      added(
        distance,
        d,
        tails,
        doubts.map((list) => list[i] as number),
      ),
    )
    return new OutlierDetector(distance, tails, OutlierTail.of(both))
  }

  /** `doubtCount` is how many doubts it was made from. */
  static read(from: ModelReader, doubtCount: number): OutlierDetector {
    const distance = OutlierTail.read(from)
    const doubts = Array.from({ length: doubtCount }, () => OutlierTail.read(from))
    return new OutlierDetector(distance, doubts, OutlierTail.read(from))
  }

  write(to: ModelWriter): void {
    this.#distance.write(to)
    for (const doubt of this.#doubts) doubt.write(to)
    this.#both.write(to)
  }

  /** Nats, 0 or more, of an event so far from the nearest references (outlier-references.ts) with such doubts about it. */
  score(distance: number, doubts: ArrayLike<number>): number {
    return this.#both.surprise(added(this.#distance, distance, this.#doubts, doubts))
  }
}

function added(
  distances: OutlierTail,
  distance: number,
  tails: readonly OutlierTail[],
  doubts: ArrayLike<number>,
): number {
  let doubt = 0
  for (let d = 0; d < tails.length; d++) doubt += (tails[d] as OutlierTail).surprise(doubts[d] as number)
  return distances.surprise(distance) + doubt / tails.length
}
