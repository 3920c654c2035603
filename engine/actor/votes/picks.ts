/**
 * Votes that the service asked for: what each of them promised, so that promises can be measured.
 *
 * 1. A row names no bucket. It is found through its event, so it says nothing once the event is erased.
 * 2. Each vote deletes a few rows that are too old, so that they do not pile up.
 */
import { selectionBounds } from '../../domain/learn/selection/bounds.js'
import { promisedEvents } from '../../domain/learn/selection/promise.js'
import type { PickedBy } from '../../domain/learn/selection/slots.js'
import { decodePick, encodePick, type PickRow } from '../../store/pick-row.js'
import type { Environment } from '../../store/environment.js'
import { timeKey, timeOfKey } from '../../store/tables.js'
import type { ActorDeps } from '../actor-deps.js'
import type { Bucket } from '../buckets/bucket.js'

const DAY_MICROS = 86_400_000_000
const DELETED_MAX = 4

export interface PickedVote {
  readonly pickedBy: PickedBy
  readonly eventMicros: number
  readonly label: number
}

/** Called with a vote on an event of the bucket. */
export function notePick({ store, settings }: ActorDeps, bucket: Bucket, vote: PickedVote, atMicros: number): void {
  const { events, decided, firstMicros, lastMicros } = bucket
  const promised = promisedEvents({ events, firstMicros, lastMicros }, atMicros)
  const row: PickRow = { ...vote, promised, events, decided: decided[vote.label] ?? 0 }
  store.put('picks', timeKey(settings.id, atMicros), encodePick(row))
  const before = Math.max(0, atMicros - selectionBounds.promiseKeptDays * DAY_MICROS)
  const old = { from: timeKey(settings.id, 0), to: timeKey(settings.id, before), limit: DELETED_MAX }
  for (const { key } of store.range('picks', old)) store.delete('picks', key)
}

/** The latest picks from before a time, latest first. */
export function* picksBefore(
  reads: Pick<Environment, 'range'>,
  jobId: number,
  micros: number,
  limit: number,
): Generator<PickRow & { readonly atMicros: number }, void, undefined> {
  const range = { from: timeKey(jobId, 0), to: timeKey(jobId, Math.max(0, micros)), reverse: true, limit }
  for (const { key, value } of reads.range('picks', range)) yield { ...decodePick(value), atMicros: timeOfKey(key) }
}
