/**
 * Feedback: who votes, how much analysts agree with each other and with the consensus, and how long it takes.
 *
 * Owns: counts of votes and ballots. Leaves out: reading ballots (services/report/), pseudonyms (pseudonyms.ts).
 *
 * 1. A vote counts in the period in which it was cast. Only an analyst's latest vote on an event is known.
 * 2. Agreement with the consensus is the share of an analyst's votes that name it. A subject counts if its consensus is
 *    a label, and if there is another vote or an override: otherwise the consensus is the analyst's own vote.
 * 3. The delay runs from the ingest of the event to the vote. Quantiles are by nearest rank.
 */
import { isLabel, UNDECIDED, type Consensus, type Vote } from '../learn/consensus.js'
import { Agreement } from './agreement.js'
import { ratio } from './confusion.js'

interface AnalystTally {
  votes: number
  readonly byLabel: number[]
  shared: number
  withConsensus: number
}

export interface AnalystFigures {
  readonly votes: number
  readonly votesPerDecision: ReadonlyMap<string, number>
  /** 0 to 1; null if no subject counts. */
  readonly agreementWithConsensus: number | null
}

export interface DelayFigures {
  readonly medianSeconds: number | null
  readonly p90Seconds: number | null
  readonly p99Seconds: number | null
}

export interface FeedbackFigures {
  readonly votes: number
  readonly votesPerDecision: ReadonlyMap<string, number>
  /** Subjects (buckets, or events in jobs without buckets) with a vote or an override in the period. */
  readonly subjects: number
  readonly subjectsWithConsensus: number
  readonly subjectsUndecided: number
  readonly subjectsOverridden: number
  readonly consensusPerDecision: ReadonlyMap<string, number>
  readonly analysts: ReadonlyMap<string, AnalystFigures>
  readonly agreement: {
    readonly subjects: number
    readonly unanimous: number
    readonly krippendorffAlpha: number | null
  }
  readonly labelDelay: DelayFigures
}

/** A vote and the ingest time of its event. */
export interface TimedVote extends Vote {
  readonly eventMicros: number
}

/** The votes on one subject. */
export interface BallotFact {
  readonly votes: readonly TimedVote[]
  readonly consensus: Consensus
  /** There is an override that was set in the period. */
  readonly overridden: boolean
}

/** Delays kept for quantiles. When there are more, every other one is dropped. */
const DELAYS_MAX = 65_536

export class FeedbackTally {
  readonly #labels: readonly string[]
  readonly #byLabel: number[]
  readonly #consensuses: number[]
  readonly #analysts = new Map<string, AnalystTally>()
  readonly #agreement: Agreement
  #delays: number[] = []
  #every = 1
  #votes = 0
  #subjects = 0
  #undecided = 0
  #overridden = 0

  /** `labels` are names. Jobs with other labels may be counted into one tally if they have as many. */
  constructor(labels: readonly string[]) {
    this.#labels = labels
    this.#byLabel = labels.map(() => 0)
    this.#consensuses = labels.map(() => 0)
    this.#agreement = new Agreement(labels.length)
  }

  /** Counts the votes for which `passes` holds, under the names from `nameOf`. `labelAt` maps a job's label to ours. */
  add(
    ballot: BallotFact,
    passes: (vote: TimedVote) => boolean,
    nameOf: (analyst: string) => string,
    labelAt: (label: number) => number = same,
  ): void {
    const votes = ballot.votes.filter(passes)
    if (votes.length === 0 && !ballot.overridden) return
    this.#subjects++
    if (ballot.overridden) this.#overridden++
    const consensus = isLabel(ballot.consensus) ? labelAt(ballot.consensus) : ballot.consensus
    if (consensus === UNDECIDED) this.#undecided++
    else if (isLabel(consensus)) this.#consensuses[consensus]! += 1
    const counts = this.#labels.map(() => 0)
    for (const vote of votes) {
      const label = labelAt(vote.label)
      counts[label] = (counts[label] ?? 0) + 1
      this.#addVote(
        nameOf(vote.analyst),
        label,
        isLabel(consensus) && (ballot.votes.length > 1 || ballot.overridden) ? consensus === label : null,
      )
      this.#addDelay(Math.max(0, vote.atMicros - vote.eventMicros) / 1e6)
    }
    this.#agreement.add(counts)
  }

  figures(): FeedbackFigures {
    const named = (counts: readonly number[]): Map<string, number> =>
      new Map(this.#labels.map((name, label) => [name, counts[label] ?? 0]))
    const { subjects, unanimous, alpha } = this.#agreement.figures()
    const analysts = [...this.#analysts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(
        ([name, tally]) =>
          [
            name,
            {
              votes: tally.votes,
              votesPerDecision: named(tally.byLabel),
              agreementWithConsensus: tally.shared === 0 ? null : ratio(tally.withConsensus, tally.shared),
            },
          ] as const,
      )
    return {
      votes: this.#votes,
      votesPerDecision: named(this.#byLabel),
      subjects: this.#subjects,
      subjectsWithConsensus: this.#consensuses.reduce((all, one) => all + one, 0),
      subjectsUndecided: this.#undecided,
      subjectsOverridden: this.#overridden,
      consensusPerDecision: named(this.#consensuses),
      analysts: new Map(analysts),
      agreement: { subjects, unanimous, krippendorffAlpha: alpha },
      labelDelay: delays(this.#delays),
    }
  }

  #addVote(name: string, label: number, withConsensus: boolean | null): void {
    this.#votes++
    this.#byLabel[label] = (this.#byLabel[label] ?? 0) + 1
    let tally = this.#analysts.get(name)
    if (tally === undefined)
      this.#analysts.set(name, (tally = { votes: 0, byLabel: this.#labels.map(() => 0), shared: 0, withConsensus: 0 }))
    tally.votes++
    tally.byLabel[label] = (tally.byLabel[label] ?? 0) + 1
    if (withConsensus === null) return
    tally.shared++
    if (withConsensus) tally.withConsensus++
  }

  #addDelay(seconds: number): void {
    if (this.#votes % this.#every !== 0) return
    this.#delays.push(seconds)
    if (this.#delays.length < DELAYS_MAX) return
    this.#delays = this.#delays.filter((_, at) => at % 2 === 1)
    this.#every *= 2
  }
}

const same = (label: number): number => label

function delays(seconds: readonly number[]): DelayFigures {
  const sorted = Float64Array.from(seconds).sort()
  const at = (share: number): number | null =>
    sorted.length === 0 ? null : (sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] as number)
  return { medianSeconds: at(0.5), p90Seconds: at(0.9), p99Seconds: at(0.99) }
}
