/**
 * Documents that integrations bring, on their way from the thread of the integrations to the mailbox of their job.
 *
 * Owns: a piece of documents as bytes that cross threads, and posting them. Leaves out: where they come from
 * (delivery/intake.ts).
 *
 * 1. A document is posted as an event with the id that it came with; posted again it is the same event.
 * 2. A piece is answered when each of its documents is on disk or refused. Where the mailbox is full, or the disk, the whole
 *    piece comes again.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { SourceDocument } from '../../integration/contract.js'
import type { ReadableShards } from '../read/job-reader.js'
import type { Receiver } from '../../runtime/turn/turn-contract.js'
import type { TakenIn } from '../../integration/delivery/refused-documents.js'

/** Documents as bytes: the bodies one behind the other. */
export interface PackedPiece {
  readonly ids: readonly string[]
  /** Where each body ends. */
  readonly ends: Uint32Array
  readonly bytes: Uint8Array
}

const HEAD = Buffer.from('{"raw_body":')
const TAIL = Buffer.from('}')

export function packPiece(documents: readonly SourceDocument[]): PackedPiece {
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

/** Posts a piece; resolves when all of it is answered. `job` is null where it is gone or stopped, or does not have the input any more. */
export async function takeIn(shards: ReadableShards, job: JobSettings | null, piece: PackedPiece): Promise<TakenIn> {
  if (job === null) return { refused: [], busy: 'the job takes nothing in' }
  const refused: { at: number; reason: string }[] = []
  let busy: string | null = null
  let waiting = piece.ids.length
  // One promise for the piece: a promise for each document costs more than posting it.
  await new Promise<void>((resolve) => {
    if (waiting === 0) resolve()
    const answered = (): void => {
      if (--waiting === 0) resolve()
    }
    for (let at = 0; at < piece.ids.length; at++) {
      const no = (refusal: Refusal): void => {
        if (refusal.retryable) busy = refusal.message
        else refused.push({ at, reason: refusal.message })
        answered()
      }
      const refusal = post(shards, job, piece, at, { ingested: answered, refused: no })
      if (refusal !== null) no(refusal)
    }
  })
  return { refused, busy }
}

/** Posts one document; why it could not be posted, or null. */
function post(
  shards: ReadableShards,
  job: JobSettings,
  { ids, ends, bytes }: PackedPiece,
  at: number,
  receiver: Receiver,
): Refusal | null {
  const id = ids[at] as string
  const body = bytes.subarray(at === 0 ? 0 : ends[at - 1], ends[at])
  if (body.length > limits.eventBytesMax)
    return new Refusal('body_too_large', `an event has at most ${limits.eventBytesMax} bytes`)
  if (Buffer.byteLength(id) > limits.eventIdBytesMax)
    return new Refusal('event_id_too_long', `an event id has at most ${limits.eventIdBytesMax} bytes`)
  try {
    shards.post({ job, kind: 'ingest', eventId: id, idInBody: false, body, receiver })
    return null
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
