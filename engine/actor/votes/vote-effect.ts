/**
 * What a vote changes: the consensus of its bucket, and how the next event of the bucket is answered.
 *
 * 1. Nothing is written here. Decisions that were made stay until their events are decided again.
 */
import type { Decision } from '../../domain/decide/decision.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { AnswerView, VoteEffect } from '../../api/decision-service.js'
import { noChange } from './vote-rows.js'
import type { ActorDeps } from '../actor-deps.js'
import { subjectOf, type FoundEvent } from '../event-table.js'
import { consensusName, readBallot, stateOf } from './ballots.js'
import { isMixedBallot } from './ballot-counts.js'
import { ownVoteView } from './voting.js'

/** Before a vote. */
export interface BeforeVote {
  readonly consensus: string | null
  readonly answer: AnswerView | null
}

export function beforeVote(deps: ActorDeps, event: FoundEvent): BeforeVote {
  const { store, settings } = deps
  const ballot = readBallot(store, settings.id, subjectOf(event.header, event.micros))
  return {
    consensus: ballot === null ? null : consensusName(settings.labels, ballot.consensus),
    answer: answerFor(deps, event),
  }
}

/** Whose vote it was, and whether it counted. */
export interface Cast {
  readonly analyst: string
  readonly applied: boolean
}

/** To be called when the vote is written. */
export function effectOf(deps: ActorDeps, event: FoundEvent, before: BeforeVote, cast: Cast): VoteEffect {
  const { store, settings, stats, buckets } = deps
  const { bucketId } = event.header
  const ballot = readBallot(store, settings.id, subjectOf(event.header, event.micros))
  const bucket = bucketId === null ? null : buckets.byId(store, bucketId)
  return {
    applied: cast.applied,
    vote: ownVoteView(deps, event, cast.analyst),
    bucketId: bucketId === null ? null : Buffer.from(bucketId).toString('hex'),
    appliesToEvents: bucket === null ? 1 : bucket.events,
    consensusBefore: before.consensus,
    consensus: ballot === null ? null : consensusName(settings.labels, ballot.consensus),
    split: splitOf(settings, ballot ?? noChange(settings.labels.length)),
    mixed: isMixedBallot(ballot),
    bucketState: stateOf(ballot, stats.row.trainedThroughSeq),
    answerBefore: before.answer,
    answer: answerFor(deps, event),
  }
}

/** Evidence by the names of the labels. */
export function splitOf(
  { labels }: Pick<JobSettings, 'labels'>,
  { counts }: { readonly counts: readonly number[] },
): Record<string, number> {
  return Object.fromEntries(labels.map(({ name }, label) => [name, counts[label] ?? 0]))
}

function answerFor({ store, settings, model, buckets }: ActorDeps, { header }: FoundEvent): AnswerView | null {
  const bucket = header.bucketId === null ? null : buckets.byId(store, header.bucketId)
  const decision = bucket === null ? null : model.answerFor(bucket)
  return decision === null ? null : answerView(settings, decision)
}

function answerView({ labels }: JobSettings, { label, confidence }: Decision): AnswerView {
  const named = labels[label]
  return { result: named?.id ?? '', resultLabel: named?.name ?? '', confidenceScore: confidence / 100 }
}
