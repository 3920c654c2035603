/**
 * Prequential quality: each voted event is scored once, by the decision that it had before anybody voted on it (S26).
 *
 * Owns: which of these decisions count, and in which part. Leaves out: keeping them (actor/votes/first-answers.ts), the
 * figures (quality.ts).
 *
 * | part          | events                                                                                       |
 * |---------------|----------------------------------------------------------------------------------------------|
 * | new buckets   | decided without any vote on their bucket: what the service does with what it has never seen  |
 * | known buckets | decided when votes on other events of the bucket were known, but none on the event itself    |
 *
 * An event counts if it had a decision, and its analysts are not tied. Source: Dawid 1984, The prequential approach.
 */
import { ScoredAnswers } from '../learn/scored-answers.js'
import { qualityOf, type QualityReport } from './quality.js'

/** The confidence 1 in hundredths of a percent. */
const CONFIDENCE_ONE = 10_000

/** What is known of one voted event. */
export interface FirstAnswer {
  /** Index of the label, -1 for no decision. */
  readonly label: number
  /** Hundredths of a percent. */
  readonly confidence: number
  readonly knownBucket: boolean
  /** Index of the label, -1 where analysts are tied or have withdrawn. */
  readonly truth: number
}

/** Prequential quality in answers. */
export interface PrequentialReport {
  readonly newBuckets: QualityReport
  readonly knownBuckets: QualityReport
}

export class PrequentialTally {
  readonly newBuckets: ScoredAnswers
  readonly knownBuckets: ScoredAnswers

  constructor(labelCount: number) {
    this.newBuckets = new ScoredAnswers(labelCount)
    this.knownBuckets = new ScoredAnswers(labelCount)
  }

  /** True where the event counts. */
  add({ label, confidence, knownBucket, truth }: FirstAnswer): boolean {
    if (label < 0 || truth < 0) return false
    ;(knownBucket ? this.knownBuckets : this.newBuckets).add(truth, label, confidence / CONFIDENCE_ONE)
    return true
  }

  /** Both parts. */
  all(): ScoredAnswers {
    const all = ScoredAnswers.of(this.newBuckets.labelCount, this.newBuckets.counts())
    all.addAll(this.knownBuckets.counts())
    return all
  }

  report(labels: readonly string[]): PrequentialReport {
    return { newBuckets: qualityOf(this.newBuckets, labels), knownBuckets: qualityOf(this.knownBuckets, labels) }
  }
}
