/**
 * Whether a job that is due to train by itself should wait (C3.7).
 *
 * Owns: the blockers, when each of them blocks, and their sentences. Leaves out: when a training is due
 * (resource/schedule.ts), how the facts are counted (actor/).
 *
 * 1. A blocker that is not set blocks nothing. Before the first model only ties and small majorities can block, since
 *    the rest is counted from a training on.
 * 2. Every blocker that stands in the way is named, so that one look tells all that is to be done.
 */
import { limits } from '../../limits.js'
import type { AutoRetrain } from './job.js'

/** What is so in a job now, and what happened in it since its model was installed. */
export interface RetrainFacts {
  /** Decisions since the training; and those of them that were outliers, or of low confidence. */
  readonly decided: number
  readonly outliers: number
  readonly lowConfidence: number
  /** Changes of a consensus since the training; and those of them back to a label that it had left. */
  readonly consensusChanges: number
  readonly consensusFlips: number
  /** Buckets, or events where there are none, whose votes are tied now; and whose majority is small now. */
  readonly undecided: number
  readonly lowScore: number
}

/** Says what blocks, or null. */
type Blocker = (facts: RetrainFacts) => string | null

function share(what: string, count: number, all: number, most: number): string | null {
  if (all === 0 || count <= most * all) return null
  return `${what}: ${count} of ${all} since the last training, more than ${most * 100} %`
}

function any(what: string, count: number): string | null {
  return count > 0 ? `${what}: ${count}` : null
}

const since = 'since the last training'
const small = `of less than ${limits.lowConsensusShare * 100} % of the votes`

const blockers: Readonly<Record<keyof AutoRetrain['blockers'], Blocker>> = {
  outliers: ({ outliers, decided }) => share('outliers', outliers, decided, limits.blockingOutlierShare),
  lowConfidenceScore: ({ lowConfidence, decided }) => {
    return share('decisions of low confidence', lowConfidence, decided, limits.blockingLowConfidenceShare)
  },
  undecidedConsensus: ({ undecided }) => any('consensuses that are undecided', undecided),
  consensusLowScore: ({ lowScore }) => any(`consensuses ${small}`, lowScore),
  consensusFlipping: ({ consensusFlips }) => any(`consensuses that went back and forth ${since}`, consensusFlips),
  consensusChanges: ({ consensusChanges }) => any(`changes of a consensus ${since}`, consensusChanges),
}

/** Why the training must wait, for people, or null where nothing stands in its way. */
export function retrainBlockedBy(autoRetrain: AutoRetrain, facts: RetrainFacts): string | null {
  const names = Object.keys(blockers) as (keyof typeof blockers)[]
  const reasons = names.filter((name) => autoRetrain.blockers[name]).map((name) => blockers[name](facts))
  const standing = reasons.filter((reason) => reason !== null)
  return standing.length === 0 ? null : `The scheduled training waits: ${standing.join('; ')}.`
}
