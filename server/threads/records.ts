/**
 * What the records of a lane say (lane of thread-lane.ts and main-lane.ts). Numbers are little-endian.
 *
 * A request of an HTTP thread:
 * | 0 kind u8 | 1 flags u8 | 2 id bytes u16 | 4 token u32 | 8 job f64 | 16 key u32 | 20 stream u32 | 24 request u32 |
 * | 28 id | body |
 *
 * An answer of the main thread, by its kind:
 * event:   | 0 kind u8 | 1 label u8 | 2 confidence u16 | 4 token u32 | 8 time f64 | 16 what is shown u8 |
 *          | 17 has id u8 | 18 0 | 24 id |
 * others:  | 0 kind u8 | 1 0 | 4 token u32 | 8 job f64 | 16 0 | 24 JSON |
 */
import type { EventAnswer } from '../../engine/index.js'

export const RECORD_BYTES = 24
export const ASK_BYTES = 28

/** Kinds of requests. `key` tells the number of a key, `forget` ends it. */
export const asks = { key: 1, forget: 2, event: 3, line: 4, get: 5, vote: 6 } as const
/** Kinds of answers. `labels` are those of a job, told before the first answer that needs them. */
export const tells = { event: 1, refusal: 2, json: 3, labels: 4, key: 5 } as const

/** Flags of requests: there is an id; the body is in a message beside the ring. */
export const HAS_ID = 1
export const IS_LARGE = 2

const [NO_LABEL, PENDING, OUTLIER, STATE_SHIFT, AUTONOMY_SHIFT, STORED_SHIFT] = [255, 1, 2, 2, 4, 6]
const states: readonly EventAnswer['bucketState'][] = ['new', 'pending', 'in_knowledge_base', 'retrain']
const passages: readonly EventAnswer['autonomy'][] = ['none', 'settled', 'review']
const ways: readonly EventAnswer['stored'][] = ['new', 'replaced', 'same']

/** A request of an HTTP thread. */
export interface Ask {
  readonly kind: number
  readonly token: number
  readonly job: number
  readonly key: number
  readonly stream: number
  /** The number of the request in the origin of its events; 0 for none. */
  readonly request: number
  readonly eventId: string | null
  readonly body: Uint8Array
}

/** Writes a request without its body; returns where the body goes. `idBytes`: those of the event id. */
// biome-ignore lint/complexity/useMaxParams: called for every event, so without an object for its arguments.
export function writeAsk(out: Buffer, at: number, ask: Ask, idBytes: number, isLarge: boolean): number {
  const { kind, token, job, key, stream, request, eventId } = ask
  out[at] = kind
  out[at + 1] = (eventId === null ? 0 : HAS_ID) | (isLarge ? IS_LARGE : 0)
  out.writeUInt16LE(idBytes, at + 2)
  out.writeUInt32LE(token, at + 4)
  out.writeDoubleLE(job, at + 8)
  out.writeUInt32LE(key, at + 16)
  out.writeUInt32LE(stream, at + 20)
  out.writeUInt32LE(request, at + 24)
  if (idBytes > 0) out.write(eventId as string, at + ASK_BYTES, 'utf8')
  return at + ASK_BYTES + idBytes
}

/** Reads a request of `length` bytes, and whether its body is beside the ring. The body is valid until the release. */
export function readAsk(bytes: Buffer, at: number, length: number): Ask & { readonly isLarge: boolean } {
  const flags = bytes[at + 1] as number
  const idAt = at + ASK_BYTES
  const bodyAt = idAt + bytes.readUInt16LE(at + 2)
  return {
    kind: bytes[at] as number,
    token: bytes.readUInt32LE(at + 4),
    job: bytes.readDoubleLE(at + 8),
    key: bytes.readUInt32LE(at + 16),
    stream: bytes.readUInt32LE(at + 20),
    request: bytes.readUInt32LE(at + 24),
    eventId: (flags & HAS_ID) === 0 ? null : bytes.toString('utf8', idAt, bodyAt),
    body: bytes.subarray(bodyAt, at + length),
    isLarge: (flags & IS_LARGE) !== 0,
  }
}

/** Writes the head of an answer that is not an event's. */
// biome-ignore lint/complexity/useMaxParams: the fields of one record.
export function writeTold(out: Buffer, at: number, kind: number, token: number, job = 0): void {
  out[at] = kind
  out.writeUInt32LE(token, at + 4)
  out.writeDoubleLE(job, at + 8)
}

// biome-ignore lint/complexity/useMaxParams: called for every event, so without an object for its arguments.
export function writeEvent(out: Buffer, at: number, token: number, answer: EventAnswer, eventId: string | null): void {
  out[at] = tells.event
  out[at + 1] = answer.label < 0 ? NO_LABEL : answer.label
  out.writeUInt16LE(answer.confidence, at + 2)
  out.writeUInt32LE(token, at + 4)
  out.writeDoubleLE(answer.micros, at + 8)
  out[at + 16] =
    (answer.pending ? PENDING : 0) |
    (answer.outlier ? OUTLIER : 0) |
    (states.indexOf(answer.bucketState) << STATE_SHIFT) |
    (passages.indexOf(answer.autonomy) << AUTONOMY_SHIFT) |
    (ways.indexOf(answer.stored) << STORED_SHIFT)
  out[at + 17] = eventId === null ? 0 : 1
  if (eventId !== null) out.write(eventId, at + RECORD_BYTES, 'utf8')
}

export function readEvent(bytes: Buffer, at: number): EventAnswer {
  const label = bytes[at + 1] as number
  const shown = bytes[at + 16] as number
  return {
    micros: bytes.readDoubleLE(at + 8),
    pending: (shown & PENDING) !== 0,
    label: label === NO_LABEL ? -1 : label,
    confidence: bytes.readUInt16LE(at + 2),
    outlier: (shown & OUTLIER) !== 0,
    bucketState: states[(shown >> STATE_SHIFT) & 3] as EventAnswer['bucketState'],
    autonomy: passages[(shown >> AUTONOMY_SHIFT) & 3] as EventAnswer['autonomy'],
    stored: ways[shown >> STORED_SHIFT] as EventAnswer['stored'],
  }
}

/** The id that came with the answer of `length` bytes, or null. */
export function readEventId(bytes: Buffer, at: number, length: number): string | null {
  return bytes[at + 17] === 0 ? null : bytes.toString('utf8', at + RECORD_BYTES, at + length)
}
