/**
 * How far the votes behind a model carry its confidence: whether "of 100 such answers about 90 are right" may be said.
 *
 * 1. It may be said from `heldOutVotesMin` held-out votes of each label on. From 30 votes the 95 % interval of Wilson
 *    for a share of 90 % is 74 to 97 %, from 10 it is 60 to 98 %: that says hardly more than "mostly". It is also the
 *    number from which figures of quality are told (S26).
 * 2. It counts for each label, because what is missed is of the others: 500 clean votes for Drop say nothing of the
 *    share of Escalate among answers with Drop, if nobody ever voted Escalate.
 * 3. A label that its job says it does not use is left out, until somebody votes for it.
 */
import type { ModelSummary } from '../learn/classifier.js'
import type { ModelOrigin } from '../learn/model-origin.js'
import { CONFIDENCE_BINS, type ScoredCounts } from '../learn/scored-answers.js'

/** Held-out votes of each label, from which on a confidence is a share that was measured. */
export const heldOutVotesMin = 30

/** `none`: no model. `thin`: a label has too few held-out votes. `enough`: each has enough. */
export type EvidenceLevel = 'none' | 'thin' | 'enough'

/** What a model was made from, by label. */
export interface ModelVotes {
  /** Voted events that it learned from. */
  readonly examples: readonly number[]
  /** Those that were held out in turn, so that it could be asked about them. */
  readonly heldOut: readonly number[]
}

/** Held-out events by the label that analysts gave them. */
export function heldOutByLabel(labelCount: number, scored: ScoredCounts | null): number[] {
  const counts = new Array<number>(labelCount).fill(0)
  for (const [at, count] of (scored?.events ?? []).entries()) {
    const truth = Math.floor(at / (labelCount * CONFIDENCE_BINS))
    if (truth < labelCount) counts[truth] = (counts[truth] as number) + count
  }
  return counts
}

/** What a model was made from, by what is stored of it. */
export function votesBehind(
  { summary, origin }: { readonly summary: Pick<ModelSummary, 'scored'>; readonly origin?: ModelOrigin | null },
  labelCount: number,
): ModelVotes {
  const heldOut = heldOutByLabel(labelCount, summary.scored)
  return { examples: origin?.labelCounts ?? heldOut, heldOut }
}

/** `isUsed`: by label, whether the job uses it. */
export function evidenceLevel(votes: ModelVotes | null, isUsed: readonly boolean[]): EvidenceLevel {
  if (votes === null) return 'none'
  const isThin = isUsed.some((used, label) => used && (votes.heldOut[label] ?? 0) < heldOutVotesMin)
  return isThin ? 'thin' : 'enough'
}
