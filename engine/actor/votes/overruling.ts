/** Overrides of an administrator: what they change on a bucket or an event, and their entries in the audit log. */
import { Refusal } from '../../errors.js'
import type { AuditEntry } from '../../api/audit-service.js'
import type { ActorDeps } from '../actor-deps.js'
import { addAuditEntry } from '../audit-outbox.js'
import type { Bucket } from '../buckets/bucket.js'
import { mustFindEvent, subjectOf } from '../event-table.js'
import { override, readBallot } from './ballots.js'
import type { OverrideInput } from './override.js'
import { ballotChanged, bucketOf, consensusEntry, labelOf, nameOf, type Attribution } from './voting.js'

/** What an override is about. */
interface Target {
  readonly subject: Uint8Array
  readonly bucket: Bucket | null
  readonly object: AuditEntry['object']
}

/**
 * Checks an administrator's override (label null: its withdrawal) and returns what applies it. The target
 * is an event's bucket, the event itself where it has none, or a bucket (`eventId` null).
 * @throws Refusal event_not_found, bucket_not_found, unknown_label, override_not_found.
 */
export function overrule(
  deps: ActorDeps,
  eventId: string | null,
  input: OverrideInput,
  { by, atMicros }: Attribution,
): () => void {
  const { settings, store, stats, buckets } = deps
  const { labels } = settings
  const { subject, bucket, object } = eventId === null ? bucketTarget(deps, input.bucketId) : eventTarget(deps, eventId)
  const label = input.label === null ? null : labelOf(labels, { label: input.label })
  const before = readBallot(store, settings.id, subject)?.override ?? null
  if (label === null && before === null) throw new Refusal('override_not_found', 'there is no override to withdraw')
  return () => {
    const word = label === null ? null : { label, by: by.name, atMicros }
    const change = override(deps, subject, word)
    if (bucket !== null) ballotChanged(buckets, bucket, true)
    stats.change({ lastFeedbackMicros: atMicros })
    const names = { before: nameOf(labels, before?.label), after: nameOf(labels, word?.label) }
    addAuditEntry(store, {
      atMicros,
      by,
      ...consensusEntry(settings, change, bucket, { override: names }),
      action: label === null ? 'override withdrawn' : 'consensus overridden',
      object,
    })
  }
}

function eventTarget(deps: ActorDeps, eventId: string): Target {
  const { settings, store } = deps
  const event = mustFindEvent(store, settings.id, eventId)
  return {
    subject: subjectOf(event.header, event.micros),
    bucket: bucketOf(deps, event),
    object: { type: 'event', id: eventId, title: '' },
  }
}

function bucketTarget({ store, buckets }: ActorDeps, bucketId: string | null): Target {
  const id = Buffer.from(bucketId ?? '', 'hex')
  const bucket = buckets.byId(store, id)
  // A bucket that its last event left in this turn is still in memory.
  if (bucket === null || (bucket.events === 0 && !bucket.hasBallot))
    throw new Refusal('bucket_not_found', 'bucket not found')
  return { subject: id, bucket, object: { type: 'bucket', id: id.toString('hex'), title: '' } }
}
