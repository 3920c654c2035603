/**
 * The knowledge base: where a ballot stands towards the model in use. A training touches no ballot.
 *
 * A ballot is that of a bucket, or of one event where there are no buckets. It keeps the changes of its consensus, each
 * with the job's feedback sequence number, which only grows. A job keeps `trainedThroughSeq`, the last number that the
 * model in use has seen; 0 before any training. The consensus at the training is the last change up to that number.
 *
 * 1. Changes ascend by `seq`; neighbours have different consensus.
 * 2. States follow from the changes and `trainedThroughSeq` alone: installing a model writes no ballot (S13).
 */
import { limits } from '../../limits.js'
import { isLabel, NO_CONSENSUS, type Consensus } from './consensus.js'

/** The state of a ballot; events show it as the state of their bucket. */
export type BucketState = 'new' | 'pending' | 'in_knowledge_base' | 'retrain'

/** The consensus of a ballot from this feedback on. */
export interface ConsensusChange {
  /** 1 or more. */
  readonly seq: number
  readonly consensus: Consensus
}

/** The consensus at a sequence number. */
export function consensusAt(changes: readonly ConsensusChange[], seq: number): Consensus {
  for (let i = changes.length - 1; i >= 0; i--) {
    const change = changes[i] as ConsensusChange
    if (change.seq <= seq) return change.consensus
  }
  return NO_CONSENSUS
}

/** The consensus now. */
export function currentConsensus(changes: readonly ConsensusChange[]): Consensus {
  return changes.at(-1)?.consensus ?? NO_CONSENSUS
}

/**
 * The state of a ballot (S13). `new`: no feedback. `in_knowledge_base`: trained on, and the same since. `retrain`:
 * trained on, and different now. `pending`: with feedback, but not trained on, since it is newer than the training or
 * was tied.
 */
export function knowledgeState(changes: readonly ConsensusChange[], trainedThroughSeq: number): BucketState {
  const now = currentConsensus(changes)
  const then = consensusAt(changes, trainedThroughSeq)
  if (isLabel(then)) return then === now ? 'in_knowledge_base' : 'retrain'
  return now === NO_CONSENSUS ? 'new' : 'pending'
}

/**
 * The changes with one more. Of those up to `keepFromSeq` only the last is kept. A running training refers to the
 * sequence number of its start, and an earlier model may become active again. So `keepFromSeq` is at most that of the
 * oldest model that is kept. Above limits.ballotChangesMax the oldest are dropped, but not the first, nor the one at
 * the latest training, so the state still shows what was trained on.
 */
export function withChange(
  changes: readonly ConsensusChange[],
  change: ConsensusChange,
  { keepFromSeq, trainedThroughSeq }: { readonly keepFromSeq: number; readonly trainedThroughSeq: number },
): readonly ConsensusChange[] {
  const next = currentConsensus(changes) === change.consensus ? [...changes] : [...changes, change]
  let first = 0
  while (first + 1 < next.length && (next[first + 1] as ConsensusChange).seq <= keepFromSeq) first++
  const kept = next.slice(first)
  while (kept.length > limits.ballotChangesMax)
    kept.splice(kept.findLastIndex(({ seq }) => seq <= trainedThroughSeq) === 1 ? 2 : 1, 1)
  return kept
}

/**
 * True where a change to `next` returns to a label that the consensus had at the training or since, after another
 * label. Ties in between do not count: waiting for one more vote is no change of mind.
 */
export function flipsBack(changes: readonly ConsensusChange[], trainedThroughSeq: number, next: Consensus): boolean {
  const atTraining = changes.findLastIndex(({ seq }) => seq <= trainedThroughSeq)
  const labels = changes
    .slice(Math.max(0, atTraining))
    .map(({ consensus }) => consensus)
    .filter(isLabel)
  return isLabel(next) && labels.at(-1) !== next && labels.includes(next)
}

/**
 * What a training still lacks, as a sentence; null where it can start. It needs votes on events for at least two labels
 * (S14), whatever their buckets agree on. `labelled` are the voted events, in the order of `labels`, the names of the
 * labels.
 */
export function missingForTraining(labelled: readonly number[], labels: readonly string[]): string | null {
  const having = labels.filter((_, label) => (labelled[label] ?? 0) > 0)
  if (having.length >= 2) return null
  const events = labelled.reduce((sum, count) => sum + count, 0)
  const known =
    having.length === 0
      ? 'no event has a vote yet'
      : `so far ${events === 1 ? 'the only voted event is' : `all ${events} voted events are`} ${having.join('')}`
  return `A training needs votes for at least two labels; ${known}.`
}
