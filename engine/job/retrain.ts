/**
 * Whether a job that is due to train by itself should wait.
 *
 * Owns: the blockers and their sentences. Leaves out: when it is due (resource/schedule.ts), how the facts are counted
 * (whoever asks).
 */
import type { AutoRetrain } from './job.js'

/** What happened in a job since its last training, as counts of buckets or events; what is not counted is 0. */
export interface RetrainFacts {
  readonly outliersSinceTraining: number
  readonly consensusFlips?: number
  readonly lowConfidenceDecisions?: number
  readonly undecidedConsensuses?: number
  readonly lowScoreConsensuses?: number
  readonly consensusChanges?: number
}

const blockers: readonly {
  readonly blocker: keyof AutoRetrain['blockers']
  readonly fact: keyof RetrainFacts
  readonly what: string
}[] = [
  { blocker: 'outliers', fact: 'outliersSinceTraining', what: 'outliers' },
  { blocker: 'consensusFlipping', fact: 'consensusFlips', what: 'consensuses that flip' },
  { blocker: 'lowConfidenceScore', fact: 'lowConfidenceDecisions', what: 'decisions of low confidence' },
  { blocker: 'undecidedConsensus', fact: 'undecidedConsensuses', what: 'undecided consensuses' },
  { blocker: 'consensusLowScore', fact: 'lowScoreConsensuses', what: 'consensuses of a low score' },
  { blocker: 'consensusChanges', fact: 'consensusChanges', what: 'changes of a consensus' },
]

/** Why the training must wait, for people, or null where nothing stands in its way. */
export function retrainBlockedBy(autoRetrain: AutoRetrain, facts: RetrainFacts): string | null {
  for (const { blocker, fact, what } of blockers) {
    const count = facts[fact] ?? 0
    if (autoRetrain.blockers[blocker] && count > 0) {
      return `the scheduled training waits: ${what} since the last training: ${count}`
    }
  }
  return null
}
