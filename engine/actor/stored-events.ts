/**
 * Messages about stored events: votes, overrides, notes, decisions that waited for the job to start, and decisions made
 * again.
 *
 * Owns: whether such a message is applied, refused or only answered. Leaves out: what it changes (voting.ts, notes.ts,
 * redecision.ts), new events (event-intake.ts).
 *
 * 1. A message that an earlier run of its turn has applied changes nothing, and gets the same answer as then. Where
 *    that answer is not known any more, because the event has been replaced since, it is `turn_failed`.
 */
import { must } from '../assert.js'
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'
import type { VoteEffect } from '../api/decision-service.js'
import { noBasis } from '../domain/decide/decision-basis.js'
import { noDecision, type Decision } from '../domain/decide/decision.js'
import { decodeContent, decodePrevious, withHeader } from '../store/event-record.js'
import { jobRange, timeOfKey } from '../store/tables.js'
import type { ActorDeps } from './actor-deps.js'
import { addAuditEntry, hasAuditEntry } from './audit-outbox.js'
import { passWaiting } from './autonomy/audit-answers.js'
import type { Bucket } from './buckets/bucket.js'
import { noteChange } from './decision-changes.js'
import { eventAt, findEvent, mustFindEvent, type FoundEvent } from './event-table.js'
import { splitAuthor } from './message-author.js'
import type { Message } from './message.js'
import { addNote } from './notes.js'
import { decideAgain } from './redecision.js'
import { decodeFeedback } from './votes/feedback.js'
import { modelEvidence } from './votes/model-evidence.js'
import { decodeOverride } from './votes/override.js'
import { overrule } from './votes/overruling.js'
import { beforeVote, effectOf } from './votes/vote-effect.js'
import { labelOf, standingOf, takeBackVote, voteOnEvent, withdrawVote } from './votes/voting.js'

/** A vote may be so far ahead of this service's clock: clocks differ. It counts as given now. */
const AHEAD_MICROS = 300e6

/** @throws Refusal invalid_body for a time that is still to come. */
function mustBePast(votedMicros: number, nowMicros: number): void {
  if (votedMicros <= nowMicros + AHEAD_MICROS) return
  const msg = 'is still to come: the clock of the sender is ahead'
  throw new Refusal('invalid_body', `voted_at: it ${msg}`, { issues: [{ loc: ['voted_at'], msg, type: 'datetime' }] })
}

/**
 * An analyst's vote, its withdrawal, or taking it back. One that is known or outdated changes nothing.
 * @throws Refusal event_not_found, unknown_label, vote_not_found, invalid_body.
 */
export function takeFeedback(deps: ActorDeps, message: Message): VoteEffect | null {
  const { store, settings } = deps
  const { by, feedback: given } = decodeFeedback(message.body)
  const { analyst } = given
  if (message.applied && hasAuditEntry(store, message.micros)) {
    const known = findEvent(store, settings.id, must(message.eventId, 'the id of the event voted on'))
    return known === null ? null : effectOf(deps, known, beforeVote(deps, known), { analyst, applied: true })
  }
  const event = mustFindEvent(store, settings.id, message.eventId)
  if (given.votedMicros !== undefined) mustBePast(given.votedMicros, message.micros)
  const votedMicros = given.votedMicros === undefined ? undefined : Math.min(given.votedMicros, message.micros)
  const feedback = votedMicros === undefined ? given : { ...given, votedMicros }
  const { label: name, scope = 'event', takesBack } = feedback
  const label = name === null ? null : labelOf(settings.labels, { label: name })
  const before = beforeVote(deps, event)
  const standing = standingOf(deps, event, feedback, message.micros)
  if (standing !== 'latest') return effectOf(deps, event, before, { analyst, applied: standing === 'known' })
  if (message.applied) throw notAgain()
  const eventId = must(message.eventId, 'the id of the event voted on')
  const attribution = { by, atMicros: message.micros }
  if (takesBack !== undefined) takeBackVote(deps, event, { eventId, analyst }, attribution)
  else if (label === null) withdrawVote(deps, event, { eventId, analyst, scope, votedMicros }, attribution)
  else {
    modelEvidence(deps, event, { label, isChosen: feedback.pickedBy === undefined, micros: message.micros })
    voteOnEvent(deps, event, { eventId, feedback, label }, attribution)
  }
  return effectOf(deps, event, before, { analyst, applied: true })
}

/** An administrator's override, or its withdrawal. @throws Refusal as overrule. */
export function takeOverride(deps: ActorDeps, { body, eventId, micros, applied }: Message): null {
  if (applied && hasAuditEntry(deps.store, micros)) return null
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

/** Decides one event again. A body names who requested it. @throws Refusal event_not_found, job_stopped. */
export function reprocess(deps: ActorDeps, { body, eventId, micros, applied }: Message): null {
  const event = mustFindEvent(deps.store, deps.settings.id, eventId)
  if (applied && (isNewer(event, micros) || (decodePrevious(event.record)?.reprocessedMicros ?? 0) >= micros))
    return null
  if (deps.settings.status === 'STOPPED') {
    throw new Refusal('job_stopped', 'the job is stopped; its events are decided when it starts')
  }
  if (applied) return null
  // An event that waits for enrichment is decided when that has ended.
  if (event.header.enrichments !== 'awaited') decideAgain(deps, event, micros)
  if (body.length > 0) {
    const { id, title } = deps.settings
    addAuditEntry(deps.store, {
      atMicros: micros,
      by: splitAuthor(body).by,
      action: 'reprocessing requested',
      job: { id, title },
      object: { type: 'event', id: must(eventId, 'the id of the event decided again'), title: '' },
    })
  }
  return null
}

/** Decides some of the events that wait for the job to start. The answer says whether there are more. */
export function resume(deps: ActorDeps, message: Message): { more: boolean } {
  const { store, settings, stats } = deps
  if (message.applied) return { more: true }
  if (settings.status === 'STOPPED') return { more: false }
  const waiting = [...store.range('pending', { ...jobRange(settings.id), limit: limits.resumeEventsPerTurn })]
  let bytes = 0
  for (const { key } of waiting) {
    if (bytes >= limits.decidedBytesPerMessage) return { more: true }
    // The walk sees committed rows only: an earlier message of this turn may have decided or replaced the event.
    if (store.get('pending', key) === undefined) continue
    const event = must(eventAt(store, settings.id, timeOfKey(key)), 'the event of an entry in pending')
    bytes += event.record.length
    const bucket = event.header.bucketId === null ? null : deps.buckets.byId(store, event.header.bucketId)
    const decision = decideWaiting(deps, event, bucket, message.micros)
    const basis = decision.label < 0 ? noBasis : deps.model.basis
    const autonomy = passWaiting(deps, event, { decision, bucket, atMicros: message.micros })
    store.put(
      'events',
      key,
      withHeader(event.record, { ...event.header, ...decision, basis, pending: false, autonomy }),
    )
    store.delete('pending', key)
    noteChange(store, settings, { changeMicros: message.micros, eventMicros: event.micros, before: event.header })
    stats.change({ pending: stats.row.pending - 1 })
    stats.countDecision(decision, event.micros)
    if (bucket !== null) deps.buckets.countDecision(bucket, decision.label, 1)
  }
  return { more: waiting.length === limits.resumeEventsPerTurn }
}

function decideWaiting(
  { codec, arrivals, model, cause, trial }: ActorDeps,
  event: FoundEvent,
  bucket: Bucket | null,
  nowMicros: number,
): Decision {
  const body = codec.decode(decodeContent(event.record).body)
  if (cause !== null) return cause.take(event.micros, body, nowMicros)
  if (event.header.lacksPoints) return noDecision
  const values = () => arrivals.points.valuesOf(body)
  const decision = model.decide(values, bucket)
  if (!event.header.hasFeedback) trial.see(event.micros, decision, bucket, values)
  return decision
}

/** The event arrived after the message, so the one that the message was about is gone. */
function isNewer(event: FoundEvent, micros: number): boolean {
  return event.micros > micros
}

/** The first run of its turn refused it, or its event is gone. Which of the two is not known any more. */
function notAgain(): Refusal {
  return new Refusal('turn_failed', 'the service failed on this request')
}
