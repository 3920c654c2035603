/**
 * The messages of a stream in wire names.
 *
 * Owns: their documents, and how they are written. Leaves out: which there are (stream-reader.ts), their schemas
 * (server/schemas/live/stream.ts; a test compares).
 */
import { cutText } from '../../domain/event/input/cut-text.js'
import { isoMicros } from '../../clock.js'
import { limits } from '../../limits.js'
import type { ClusterView } from '../../api/cluster-service.js'
import type { EventView } from '../../api/decision-service.js'
import type { StreamForm } from '../../api/live/stream-service.js'
import { modelIdOf } from '../../actor/model-id.js'
import type { EventExtras } from '../../domain/event/envelope.js'
import type { ChainedEntry } from '../audit/audit-tables.js'
import { clusterDocument } from '../read/cluster-document.js'
import { writeJson } from '../../domain/event/json.js'

/** Collects messages up to a bound. */
export class MessageWriter {
  readonly #form: StreamForm
  readonly #texts: string[] = []
  length = 0

  constructor(form: StreamForm) {
    this.#form = form
  }

  /** `id` is the text of the position after the message. */
  add(type: string, id: string, data: object): void {
    const json = writeJson(data)
    const text =
      this.#form === 'sse'
        ? `id: ${id}\nevent: ${type}\ndata: ${json}\n\n`
        : `{"id":"${id}","type":"${type}","data":${json}}\n`
    this.length += text.length
    this.#texts.push(text)
  }

  bytes(): Uint8Array {
    return Buffer.from(this.#texts.join(''), 'utf8')
  }
}

/** A decision that was made, or made again. */
export function decisionDocument(
  view: EventView,
  { isAgain, bucketId, extras }: { isAgain: boolean; bucketId: string | null; extras: EventExtras | null },
): object {
  const { title, severity, storage_tag } = extras ?? {}
  return {
    job_id: view.jobId,
    event_id: view.eventId,
    ingest_timestamp: isoMicros(view.ingestMicros),
    reason: isAgain ? 'decided_again' : 'decided',
    result: view.result,
    result_label: view.resultLabel,
    confidence_score: view.confidenceScore,
    outlier: view.outlier,
    bucket_id: bucketId,
    bucket_state: view.bucketState,
    ...(view.autonomy === 'none' ? {} : { autonomy: view.autonomy }),
    ...short('title', title),
    ...short('severity', severity),
    ...short('storage_tag', storage_tag),
  }
}

/** A field that came beside the event. A message has a bounded size. */
function short(name: string, value: unknown): object {
  if (typeof value === 'string') return { [name]: cutText(value, limits.streamTextCharsMax) }
  return typeof value === 'number' || typeof value === 'boolean' ? { [name]: value } : {}
}

/** An alert came into a cluster. */
export function joinedDocument(jobId: number, eventId: string, cluster: ClusterView): object {
  return { job_id: jobId, event_id: eventId, cluster: clusterDocument(cluster) }
}

/** Kinds of entries of the audit log that streams tell of, and the word for each. */
export const voteWords: Readonly<Record<string, string>> = {
  voted: 'voted',
  'voted on bucket': 'voted_on_bucket',
  'vote withdrawn': 'withdrawn',
  'votes on bucket withdrawn': 'withdrawn_from_bucket',
  'vote taken back': 'taken_back',
  'consensus overridden': 'overridden',
  'override withdrawn': 'override_withdrawn',
}

export const trainingWords: Readonly<Record<string, string>> = {
  'training requested': 'requested',
  'training finished': 'finished',
  'training failed': 'failed',
}

/** A vote or an override, from its entry in the audit log. */
export function voteDocument(jobId: number, { atMicros, by, analyst, action, object, changes, details }: ChainedEntry) {
  const { before = null, after = null } = changes?.vote ?? changes?.override ?? {}
  const consensus = details?.consensus ?? null
  return {
    job_id: jobId,
    event_id: object.type === 'event' ? object.id : null,
    bucket_id: object.type === 'bucket' ? object.id : (details?.bucket_id ?? null),
    action: voteWords[action] as string,
    analyst: analyst ?? by.name,
    label: after,
    label_before: before,
    consensus,
    consensus_before: changes?.consensus === undefined ? consensus : changes.consensus.before,
    at: isoMicros(atMicros),
  }
}

/** A training, from its entry in the audit log. */
export function trainingDocument(jobId: number, { atMicros, by, action, details }: ChainedEntry) {
  return {
    job_id: jobId,
    state: trainingWords[action] as string,
    model: modelIdOf(jobId, Number(details?.model_version ?? 0)),
    message: typeof details?.message === 'string' ? details.message : null,
    by: by.name,
    at: isoMicros(atMicros),
  }
}
