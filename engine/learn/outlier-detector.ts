/**
 * How unlike everything labelled an event is, in nats: minus the logarithm of the share of known events that are as
 * unlike. 3.91 is what 2 % of the known events reach.
 *
 * Two signals, each counted as the logarithm of its tail share, added and ranked once more: the distance to the
 * nearest labelled events, and the classifier's doubt (1 - the top probability). Known are the labelled events, each as
 * if it had not been seen, and the recent events of the stream, labelled or not: with few labels these alone say what is
 * usual.
 *
 * Owns: what is usual of the two. Leaves out: the signals themselves (outlier-references.ts, members.ts), and at which
 * score an event is called an outlier (outlier-anchor.ts).
 */
import type { ModelReader, ModelWriter } from './model-bytes.js'
import { OutlierTail } from './outlier-tail.js'

export class OutlierDetector {
  readonly #distance: OutlierTail
  readonly #doubt: OutlierTail
  readonly #both: OutlierTail

  private constructor(distance: OutlierTail, doubt: OutlierTail, both: OutlierTail) {
    this.#distance = distance
    this.#doubt = doubt
    this.#both = both
  }

  /** From the distances of known events and the doubts about them, in one order; at least one. */
  static of(distances: Float64Array, doubts: Float64Array): OutlierDetector {
    const distance = OutlierTail.of(distances)
    const doubt = OutlierTail.of(doubts)
    const both = distances.map((d, i) => distance.surprise(d) + doubt.surprise(doubts[i] as number))
    return new OutlierDetector(distance, doubt, OutlierTail.of(both))
  }

  static read(from: ModelReader): OutlierDetector {
    return new OutlierDetector(OutlierTail.read(from), OutlierTail.read(from), OutlierTail.read(from))
  }

  write(to: ModelWriter): void {
    this.#distance.write(to)
    this.#doubt.write(to)
    this.#both.write(to)
  }

  /** Nats, 0 or more, of an event so far from the nearest references (outlier-references.ts) with so much doubt about it. */
  score(distance: number, doubt: number): number {
    return this.#both.surprise(this.#distance.surprise(distance) + this.#doubt.surprise(doubt))
  }
}
