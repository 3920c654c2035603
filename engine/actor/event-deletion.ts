/** Taking a stored event away: its record, its marks, its notes and look-ups, its own votes, and what it counts for. */
import { must } from '../assert.js'
import { hasNotes } from '../store/event-record.js'
import { timeKey } from '../store/tables.js'
import { dropBallot } from './votes/ballots.js'
import { leave, waitingMark, type ActorDeps } from './redecision.js'
import { subjectOf, type FoundEvent } from './event-table.js'

/** Its id, where it has an entry, is the caller's: another version may take it (S6). */
export function deleteEvent({ store, settings, stats, buckets, cause }: ActorDeps, event: FoundEvent): void {
  const { header, micros } = event
  const key = timeKey(settings.id, micros)
  store.delete('events', key)
  cause?.remove(micros)
  if (header.pending) store.delete(waitingMark(header), key)
  if (header.enrichments === 'stored') store.delete('lookups', key)
  if (hasNotes(event.record)) store.delete('notes', key)
  const { events, buckets: count, pending, feedbackEvents } = stats.row
  let bucketsLeft = count
  if (header.bucketId !== null) {
    const bucket = must(buckets.byId(store, header.bucketId), 'the bucket of a stored event')
    leave(buckets, bucket, header.label)
    if (bucket.events === 0) bucketsLeft--
  } else dropBallot(store, settings.id, subjectOf(header, micros), stats)
  stats.change({
    events: events - 1,
    buckets: bucketsLeft,
    pending: pending - Number(header.pending),
    feedbackEvents: feedbackEvents - Number(header.hasFeedback),
  })
}
