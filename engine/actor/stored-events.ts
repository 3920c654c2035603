/**
 * Messages about events that are stored: votes and overrides, notes, deciding what waited, deciding again.
 *
 * Owns: what of such a message is applied, refused or only answered. Leaves out: what it changes (voting.ts, notes.ts,
 * redecision.ts), events that come in (job-actor.ts).
 *
 * 1. A message that was applied by an earlier run of its turn changes nothing, and answers as it did then. Where that
 *    cannot be told any more, because its event has been replaced since, the answer is that the service failed.
 */
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'
import { must } from '../assert.js'
import { noDecision, type Decision } from '../domain/decide/decision.js'
import { decodeContent, decodePrevious, withHeader } from '../store/event-record.js'
import { jobRange, timeOfKey } from '../store/tables.js'
import { splitAuthor } from './message-author.js'
import type { Bucket } from './buckets/bucket-cache.js'
import { cast, labelOf, overrule } from './votes/voting.js'
import { noteChange } from './decision-changes.js'
import { decideAgain, type ActorDeps } from './redecision.js'
import { eventAt, mustFindEvent, type FoundEvent } from './event-table.js'
import { decodeFeedback } from './votes/feedback.js'
import { modelEvidence } from './votes/model-evidence.js'
import type { Message } from './message.js'
import { addNote } from './notes.js'
import { isTold, tell } from './audit-outbox.js'
import { decodeOverride } from './votes/override.js'

/** An analyst's vote. @throws Refusal event_not_found, unknown_label. */
export function takeFeedback(deps: ActorDeps, message: Message): null {
  if (message.applied && isTold(deps.store, message.micros)) return null
  const { by, feedback } = decodeFeedback(message.body)
  const event = mustFindEvent(deps.store, deps.settings.id, message.eventId)
  const label = labelOf(deps.settings.labels, feedback)
  if (message.applied) throw notAgain()
  modelEvidence(deps, event, label, message.micros)
  cast(deps, event, must(message.eventId, 'the id of the event voted on'), feedback, label, {
    by,
    atMicros: message.micros,
  })
  return null
}

/** An administrator's word on a bucket or an event, or its withdrawal. @throws Refusal as overrule. */
export function takeOverride(deps: ActorDeps, { body, eventId, micros, applied }: Message): null {
  if (applied && isTold(deps.store, micros)) return null
  const { by, ...input } = decodeOverride(body)
  const change = overrule(deps, eventId, input, { by, atMicros: micros })
  if (applied) throw notAgain()
  change()
  return null
}

/** An agent's note. @throws Refusal event_not_found, limit_exceeded. */
export function takeNote(deps: ActorDeps, message: Message): null {
  const event = mustFindEvent(deps.store, deps.settings.id, message.eventId)
  if (message.applied && isNewer(event, message.micros)) throw notAgain()
  addNote(deps.store, deps.settings.id, event, message)
  if (!message.applied) deps.stats.touch()
  return null
}

/** The decision that stands is made again, by what is known now; a body names who asked for it. @throws Refusal event_not_found, job_stopped. */
export function reprocess(deps: ActorDeps, { body, eventId, micros, applied }: Message): null {
  const event = mustFindEvent(deps.store, deps.settings.id, eventId)
  if (applied && (isNewer(event, micros) || (decodePrevious(event.record)?.reprocessedMicros ?? 0) >= micros))
    return null
  if (deps.settings.status === 'STOPPED') {
    throw new Refusal('job_stopped', 'the job is stopped; its events are decided when it starts')
  }
  if (applied) return null
  // One that waits for look-ups is decided by what is known when they end.
  if (event.header.enrichments !== 'awaited') decideAgain(deps, event, micros)
  if (body.length > 0) {
    const { id, title } = deps.settings
    tell(deps.store, {
      atMicros: micros,
      by: splitAuthor(body).by,
      action: 'reprocessing requested',
      job: { id, title },
      object: { type: 'event', id: must(eventId, 'the id of the event decided again'), title: '' },
    })
  }
  return null
}

/** Decides some of the events that waited for the job to start; the answer says whether there are more. */
export function resume(deps: ActorDeps, message: Message): { more: boolean } {
  const { store, settings, stats } = deps
  if (message.applied) return { more: true }
  if (settings.status === 'STOPPED') return { more: false }
  const waiting = [...store.range('pending', { ...jobRange(settings.id), limit: limits.resumeEventsPerTurn })]
  for (const { key } of waiting) {
    // The walk sees what is committed; an earlier message of this turn may have decided or replaced the event.
    if (store.get('pending', key) === undefined) continue
    const event = must(eventAt(store, settings.id, timeOfKey(key)), 'the event of a pending mark')
    const bucket = event.header.bucketId === null ? null : deps.buckets.byId(store, event.header.bucketId)
    const decision = decideWaiting(deps, event, bucket, message.micros)
    store.put('events', key, withHeader(event.record, { ...event.header, ...decision, pending: false }))
    store.delete('pending', key)
    noteChange(store, settings, message.micros, event.micros, event.header)
    stats.change({ pending: stats.row.pending - 1 })
    stats.countDecision(decision)
    if (bucket !== null) deps.buckets.countDecision(bucket, decision.label, 1)
  }
  return { more: waiting.length === limits.resumeEventsPerTurn }
}

function decideWaiting(
  { store, codec, arrivals, model, stats, cause }: ActorDeps,
  event: FoundEvent,
  bucket: Bucket | null,
  nowMicros: number,
): Decision {
  const body = codec.decode(decodeContent(event.record).body)
  if (cause !== null) return cause.take(event.micros, body, nowMicros)
  return event.header.lacksPoints ? noDecision : model.decide(store, arrivals.points.valuesOf(body), bucket, stats.row)
}

/** The event came in after the message: that of then is gone. */
function isNewer(event: FoundEvent, micros: number): boolean {
  return event.micros > micros
}

/** It was refused when its turn ran first, or its event is gone, and which of them cannot be told any more. */
function notAgain(): Refusal {
  return new Refusal('turn_failed', 'the service failed on this request')
}
