/**
 * Votes on an event that was not decided yet go with it into the bucket that it is decided in.
 *
 * The bucket that it waited in lacks what was looked up: nothing would ever be in it again, and what analysts said of the event
 * would be lost. Nobody has voted anew, so the audit log is told nothing.
 */
import { must } from '../../assert.js'
import { readBallot, vote, withdrawVotes } from './ballots.js'
import type { Bucket } from '../buckets/bucket-cache.js'
import { markBallot } from './voting.js'
import type { ActorDeps } from '../redecision.js'
import type { FoundEvent } from '../event-table.js'

/** Before the event is moved. An analyst who voted on the other bucket later keeps that vote. */
export function takeVotesAlong(
  { store, settings, stats, buckets }: ActorDeps,
  { header, micros }: FoundEvent,
  to: Bucket,
): void {
  if (header.bucketId === null || Buffer.compare(header.bucketId, to.id) === 0) return
  const given =
    readBallot(store, settings.id, header.bucketId)?.votes.filter(({ eventMicros }) => eventMicros === micros) ?? []
  if (given.length === 0) return
  withdrawVotes(store, settings.id, header.bucketId, micros, stats)
  const from = must(buckets.byId(store, header.bucketId), 'the bucket of a stored event')
  markBallot(buckets, from, readBallot(store, settings.id, header.bucketId) !== null)
  for (const one of given) vote(store, settings.id, to.id, one, stats)
  markBallot(buckets, to, true)
}
