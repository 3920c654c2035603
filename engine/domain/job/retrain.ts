/**
 * Whether a scheduled training must wait (C3.7).
 *
 * Owns: the blockers, when each of them blocks, and their sentences. Leaves out: when a training is due
 * (resource/schedule.ts), how the facts are counted (actor/).
 *
 * 1. Only blockers that are set can block. Before the first model only ties and small majorities block, because the
 *    other facts are counted from a training on.
 * 2. The message names every blocker that blocks.
 */
import { limits } from '../../limits.js'
import type { AutoRetrain } from './job.js'

/** The counters that blockers look at. "Since the training" means since the model in use was installed. */
export interface RetrainFacts {
  /** Decisions since the training. */
  readonly decided: number
  /** Outliers among them. */
  readonly outliers: number
  /** Those among them with a low confidence. */
  readonly lowConfidence: number
  /** Changes of a consensus since the training. */
  readonly consensusChanges: number
  /** Those among them that went back to a label that the consensus had left. */
  readonly consensusFlips: number
  /** Buckets (events, if the job has no buckets) whose votes are tied now. */
  readonly undecided: number
  /** Those with a small majority now. */
  readonly lowScore: number
}

/** Names what blocks, or returns null. */
type Blocker = (facts: RetrainFacts) => string | null

function share(what: string, count: number, all: number, most: number): string | null {
  if (all === 0 || count <= most * all) return null
  return `${what}: ${count} of ${all} since the last training, more than ${most * 100} %`
}

function any(what: string, count: number): string | null {
  return count > 0 ? `${what}: ${count}` : null
}

const since = 'since the last training'
const small = `of less than ${limits.lowConsensusShare * 100} % of the voted events`

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

/** A sentence for people: why the training must wait. Null if nothing blocks it. */
export function retrainBlockedBy(autoRetrain: AutoRetrain, facts: RetrainFacts): string | null {
  const names = Object.keys(blockers) as (keyof typeof blockers)[]
  const reasons = names.filter((name) => autoRetrain.blockers[name]).map((name) => blockers[name](facts))
  const standing = reasons.filter((reason) => reason !== null)
  return standing.length === 0 ? null : `The scheduled training waits: ${standing.join('; ')}.`
}
