/** Deleting a stored event: its record, what is stored beside it, its own votes, and its share of the counters. */
import { must } from '../assert.js'
import { hasNotes } from '../store/event-record.js'
import { timeKey } from '../store/tables.js'
import type { ActorDeps } from './actor-deps.js'
import { subjectOf, type FoundEvent } from './event-table.js'
import { leave, waitingTable } from './redecision.js'
import { dropStates } from './votes/ballot-states.js'
import { dropBallot } from './votes/ballots.js'
import { dropFirstAnswer } from './votes/first-answers.js'

/** Leaves an entry in `ids` to the caller: another version of the event may take it over (S6). */
export function deleteEvent(deps: ActorDeps, event: FoundEvent): void {
  const { store, settings, stats, buckets, points, cause, trial } = deps
  const { header, micros } = event
  const key = timeKey(settings.id, micros)
  store.delete('events', key)
  cause?.remove(micros)
  trial.gone(micros)
  if (header.pending) store.delete(waitingTable(header), key)
  if (header.enrichments === 'stored') store.delete('lookups', key)
  if (hasNotes(event.record)) store.delete('notes', key)
  dropFirstAnswer(deps, micros)
  const { events, buckets: count, pending, feedbackEvents } = stats.row
  let bucketsLeft = count
  if (header.bucketId !== null) {
    const bucket = must(buckets.byId(store, header.bucketId), 'the bucket of a stored event')
    leave(buckets, bucket, header.label)
    if (bucket.events === 0) bucketsLeft--
  } else {
    dropBallot(deps, subjectOf(header, micros))
    dropStates(store, settings.id, subjectOf(header, micros))
  }
  stats.change({
    events: events - 1,
    buckets: bucketsLeft,
    pending: pending - Number(header.pending),
    feedbackEvents: feedbackEvents - Number(header.hasFeedback),
  })
  if (header.label < 0 && !header.pending) stats.undecidedGone(micros)
  if (events === 1) points.clear()
}
