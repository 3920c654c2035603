/**
 * Deleting events for good, in the job's actor: their records, their ids, what was said about them, what they count for.
 *
 * 1. A bucket that is left without events goes with its ballot. One that others are in keeps the votes that were given on
 *    those.
 * 2. Where votes are kept (retention), a bucket keeps all of them, also when it is left without events.
 * 3. Naming an event that is not there any more does nothing: a message that runs again deletes nothing else.
 */
import { must } from '../assert.js'
import { decodeContent } from '../store/event-record.js'
import { idKey } from '../store/tables.js'
import { dropBallot, readBallot, withdrawVotes } from './votes/ballots.js'
import { markBallot } from './votes/voting.js'
import type { ActorDeps } from './redecision.js'
import { eventAt, subjectOf, type FoundEvent } from './event-table.js'
import type { Message } from './message.js'

const FLAG_BYTES = 1
const TIME_BYTES = 8

/** What a message of events to delete has as its body; `keepsVotes`: buckets keep theirs. */
export function encodeErase(times: readonly number[], keepsVotes: boolean): Buffer {
  const bytes = Buffer.alloc(FLAG_BYTES + times.length * TIME_BYTES)
  bytes.writeUInt8(Number(keepsVotes), 0)
  for (const [at, micros] of times.entries()) bytes.writeDoubleLE(micros, FLAG_BYTES + at * TIME_BYTES)
  return bytes
}

export interface Erased {
  readonly events: number
  readonly votes: number
}

/** `remove` takes a record and what it counts for away (job-actor.ts). */
export function erase(deps: ActorDeps, { body }: Message, remove: (event: FoundEvent) => void): Erased {
  let [events, votes] = [0, 0]
  const keepsVotes = body.readUInt8(0) === 1
  for (let at = FLAG_BYTES; at < body.length; at += TIME_BYTES) {
    const event = eventAt(deps.store, deps.settings.id, body.readDoubleLE(at))
    if (event === null) continue
    votes += eraseOne(deps, event, keepsVotes, remove)
    events++
  }
  return { events, votes }
}

/** Returns how many votes went with it. */
function eraseOne(
  { store, settings, stats, buckets }: ActorDeps,
  event: FoundEvent,
  keepsVotes: boolean,
  remove: (event: FoundEvent) => void,
): number {
  const { header, micros, record } = event
  const before = readBallot(store, settings.id, subjectOf(header, micros))?.votes.length ?? 0
  const clientId = header.hasClientId ? decodeContent(record).clientId : null
  if (clientId !== null) store.delete('ids', idKey(settings.id, Buffer.from(clientId)))
  remove(event)
  if (header.bucketId === null) return before
  if (keepsVotes) return 0
  const bucket = must(buckets.byId(store, header.bucketId), 'the bucket of a stored event')
  if (!bucket.hasBallot) return 0
  if (bucket.events === 0) dropBallot(store, settings.id, header.bucketId, stats)
  else if (!withdrawVotes(store, settings.id, header.bucketId, micros, stats)) return 0
  const left = readBallot(store, settings.id, header.bucketId)
  markBallot(buckets, bucket, left !== null)
  return before - (left?.votes.length ?? 0)
}
