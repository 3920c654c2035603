/**
 * Documents that integrations bring, on their way from the thread of the integrations to the mailbox of their job.
 *
 * Owns: a piece of documents as bytes that cross threads, and posting them. Leaves out: where they come from
 * (integration/intake.ts).
 *
 * 1. A document is posted as an event with the id that it came with; posted again it is the same event.
 * 2. A piece is answered when each of its documents is on disk or refused. Where the mailbox is full, or the disk, the whole
 *    piece comes again.
 */
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'
import type { JobSettings } from '../job/job.js'
import type { SourceDocument } from '../integration/contract.js'
import type { TakenIn } from '../integration/intake.js'
import type { Shards } from './shards.js'

/** Documents as bytes: the bodies one behind the other. */
export interface PackedPiece {
  readonly ids: readonly string[]
  /** Where each body ends. */
  readonly ends: Uint32Array
  readonly bytes: Uint8Array
}

export function packPiece(documents: readonly SourceDocument[]): PackedPiece {
  const bodies = documents.map(({ body }) => Buffer.from(`{"raw_body":${JSON.stringify(body)}}`, 'utf8'))
  const ends = new Uint32Array(bodies.length)
  let end = 0
  for (const [at, body] of bodies.entries()) ends[at] = end += body.length
  const bytes = new Uint8Array(end)
  for (const [at, body] of bodies.entries()) bytes.set(body, at === 0 ? 0 : ends[at - 1])
  return { ids: documents.map(({ id }) => id), ends, bytes }
}

/** Posts a piece; resolves when all of it is answered. `job` is null where it is gone or stopped. */
export async function takeIn(shards: Shards, job: JobSettings | null, { ids, ends, bytes }: PackedPiece): Promise<TakenIn> {
  if (job === null) return { refused: [], busy: 'the job takes nothing in' }
  const refused: { at: number; reason: string }[] = []
  let busy: string | null = null
  await Promise.all(ids.map((id, at) => new Promise<void>((resolve) => {
    const no = (refusal: Refusal): void => {
      if (refusal.retryable) busy = refusal.message
      else refused.push({ at, reason: refusal.message })
      resolve()
    }
    const body = bytes.subarray(at === 0 ? 0 : ends[at - 1], ends[at])
    if (body.length > limits.eventBytesMax) return no(new Refusal('body_too_large', `an event has at most ${limits.eventBytesMax} bytes`))
    if (Buffer.byteLength(id) > limits.eventIdBytesMax) return no(new Refusal('event_id_too_long', `an event id has at most ${limits.eventIdBytesMax} bytes`))
    try {
      shards.post(job, 'ingest', id, false, body, { ingested: () => resolve(), refused: no })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      no(error)
    }
  })))
  return { refused, busy }
}
