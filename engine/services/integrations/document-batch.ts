/**
 * Documents of inputs, on their way from the integrations thread to the mailbox of their job.
 *
 * Owns: a batch of documents as bytes that cross threads, and posting it. Leaves out: where documents come from
 * (integration/delivery/intake.ts).
 *
 * 1. A document is posted as an event with its own id, so posting it again adds nothing.
 * 2. A batch is answered when each of its documents is on disk or refused. Where the mailbox or the disk is full, the
 *    thread sends the whole batch again.
 */
import { encodeOrigin } from '../../actor/origin.js'
import type { EventView } from '../../api/decision-service.js'
import type { Stored } from '../../api/event-answer.js'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { SourceDocument } from '../../integration/contract.js'
import type { ReadableShards } from '../read/job-reader.js'
import type { Receiver } from '../../runtime/turn/turn-contract.js'
import type { TakenIn } from '../../integration/delivery/refused-documents.js'

/** Documents as bytes, one body after another. */
export interface PackedBatch {
  readonly ids: readonly string[]
  /** Where each body ends. */
  readonly ends: Uint32Array
  readonly bytes: Uint8Array
}

const HEAD = Buffer.from('{"raw_body":')
const TAIL = Buffer.from('}')

export function packBatch(documents: readonly SourceDocument[]): PackedBatch {
  const ends = new Uint32Array(documents.length)
  let end = 0
  for (const [at, { body }] of documents.entries()) ends[at] = end += HEAD.length + body.length + TAIL.length
  const bytes = new Uint8Array(end)
  for (const [at, { body }] of documents.entries()) {
    const from = at === 0 ? 0 : (ends[at - 1] as number)
    bytes.set(HEAD, from)
    bytes.set(body, from + HEAD.length)
    bytes.set(TAIL, (ends[at] as number) - TAIL.length)
  }
  return { ids: documents.map(({ id }) => id), ends, bytes }
}

/**
 * Posts a batch of a source; resolves when all of it is answered. `job` is null where it is gone or stopped, or no
 * longer has the input.
 */
export async function takeIn(
  shards: ReadableShards,
  job: JobSettings | null,
  batch: PackedBatch,
  source: string,
): Promise<TakenIn> {
  if (job === null) return { refused: [], busy: 'the job accepts no events' }
  const refused: { at: number; reason: string }[] = []
  const counts = { new: 0, replaced: 0, same: 0 }
  const origin = encodeOrigin({ request: 0, source })
  let busy: string | null = null
  let waiting = batch.ids.length
  // One promise for the batch: a promise for each document costs more than posting it.
  await new Promise<void>((resolve) => {
    if (waiting === 0) resolve()
    const answered = (): void => {
      if (--waiting === 0) resolve()
    }
    for (let at = 0; at < batch.ids.length; at++) {
      const refuse = (refusal: Refusal): void => {
        if (refusal.retryable) busy = refusal.message
        else refused.push({ at, reason: refusal.message })
        answered()
      }
      const ingested = (_: EventView, stored: Stored): void => {
        counts[stored]++
        answered()
      }
      const receiver = { ingested, refused: refuse }
      const refusal = post(shards, { job, ...documentOf(batch, at), origin, receiver })
      if (refusal !== null) refuse(refusal)
    }
  })
  return { refused, busy, fresh: counts.new, replaced: counts.replaced }
}

function documentOf({ ids, ends, bytes }: PackedBatch, at: number): SourceDocument {
  return { id: ids[at] as string, body: bytes.subarray(at === 0 ? 0 : ends[at - 1], ends[at]) }
}

interface Post extends SourceDocument {
  readonly job: JobSettings
  readonly origin: Uint8Array
  readonly receiver: Receiver
}

/** Posts one document; why it could not be posted, or null. */
function post(shards: ReadableShards, { job, id, body, origin, receiver }: Post): Refusal | null {
  if (body.length > limits.eventBytesMax)
    return new Refusal('body_too_large', `an event has at most ${limits.eventBytesMax} bytes`)
  if (Buffer.byteLength(id) > limits.eventIdBytesMax)
    return new Refusal('event_id_too_long', `an event id has at most ${limits.eventIdBytesMax} bytes`)
  try {
    shards.post({ job, kind: 'ingest', eventId: id, idInBody: false, body, origin, receiver })
    return null
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
