/**
 * How unlike all labelled events an event is: minus the logarithm of the share of known events that are as unlike, in
 * nats. 2 % of the known events reach 3.91.
 *
 * There are two signals: the distance to the nearest labelled events, and the doubt of some members. The doubt of a
 * member is 1 - its top probability. Each member's doubts are ranked alone, because their scales differ; the mean of
 * the ranks counts. Each signal becomes the logarithm of its tail share. Their sum is ranked once more.
 *
 * Known events are the labelled ones, each as if it had not been seen, and recent events of the stream, labelled or
 * not. With few labels the stream alone says what is usual.
 *
 * Owns: the ranks of known events. Leaves out: the signals (outlier-references.ts, members.ts), and the threshold
 * (outlier-anchor.ts).
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

  /** From the distances of known events and the doubts about them, one list for each member. At least one of each. */
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

  /** `doubtCount` is the number of lists that it was made from. */
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

  /** The score in nats, 0 or more. `distance` is that of outlier-references.ts. */
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
