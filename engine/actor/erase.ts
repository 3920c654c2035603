/**
 * Erasing events: their records, their ids, the votes on them, and their share of the counters.
 *
 * 1. A bucket that is left without events goes, with its ballot. A bucket that has other events keeps the votes that
 *    were given on those.
 * 2. Where votes are kept (retention), a bucket keeps all of them, even without events.
 * 3. An event that is not there any more is skipped, so a message that runs again erases nothing else.
 */
import { must } from '../assert.js'
import { decodeContent } from '../store/event-record.js'
import type { BallotRow } from '../store/ballot-row.js'
import { idKey } from '../store/tables.js'
import type { ActorDeps } from './actor-deps.js'
import { auditErased, votedOnBucket } from './autonomy/audit-answers.js'
import { noteDeletion } from './decision-changes.js'
import { deleteEvent } from './event-deletion.js'
import { eventAt, subjectOf, type FoundEvent } from './event-table.js'
import type { Message } from './message.js'
import { markErased } from './models/registry.js'
import { dropStates } from './votes/ballot-states.js'
import { dropBallot, readBallot, removeVotes } from './votes/ballots.js'
import { ballotChanged } from './votes/voting.js'

const FLAG_BYTES = 1
const TIME_BYTES = 8

/** The body of an `erase` message: ingest times of events, and whether buckets keep their votes. */
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

/** Erases the events of a message. */
export function erase(deps: ActorDeps, { body, micros }: Message): Erased {
  let [events, votes, firstMicros] = [0, 0, Number.POSITIVE_INFINITY]
  const keepsVotes = body.readUInt8(0) === 1
  for (let at = FLAG_BYTES; at < body.length; at += TIME_BYTES) {
    const event = eventAt(deps.store, deps.settings.id, body.readDoubleLE(at))
    if (event === null) continue
    auditErased(deps, event.micros, micros)
    votes += eraseOne(deps, event, { keepsVotes, atMicros: micros })
    firstMicros = Math.min(firstMicros, event.micros)
    events++
  }
  // Retention purges what is old; it forgets nobody.
  if (events > 0 && !keepsVotes) {
    markErased(deps, firstMicros, micros)
    deps.findings.clear()
  }
  return { events, votes }
}

/** Returns how many votes went with it. */
function eraseOne(
  deps: ActorDeps,
  event: FoundEvent,
  { keepsVotes, atMicros }: { readonly keepsVotes: boolean; readonly atMicros: number },
): number {
  const { store, settings, buckets } = deps
  const { header, micros, record } = event
  const before = countOf(readBallot(store, settings.id, subjectOf(header, micros)))
  const clientId = header.hasClientId ? decodeContent(record).clientId : null
  if (clientId !== null) store.delete('ids', idKey(settings.id, Buffer.from(clientId)))
  deleteEvent(deps, event)
  // What retention purges is the oldest, which lists see for themselves.
  if (!keepsVotes) noteDeletion(store, settings.id, atMicros, micros)
  if (header.bucketId === null) return before
  if (keepsVotes) return 0
  const bucket = must(buckets.byId(store, header.bucketId), 'the bucket of a stored event')
  if (!bucket.hasBallot) return 0
  if (bucket.events === 0) {
    dropBallot(deps, header.bucketId)
    dropStates(store, settings.id, header.bucketId)
  } else {
    const removed = removeVotes(deps, header.bucketId, micros)
    if (removed.length === 0) return 0
    // A vote on the whole bucket that was given on this event goes with it.
    if (removed.some(({ events }) => events !== undefined)) votedOnBucket(deps, header.bucketId, atMicros)
  }
  const left = readBallot(store, settings.id, header.bucketId)
  ballotChanged(buckets, bucket, left !== null)
  return before - countOf(left)
}

function countOf(ballot: BallotRow | null): number {
  return ballot === null ? 0 : ballot.votes.reduce((sum, count) => sum + count, 0)
}
