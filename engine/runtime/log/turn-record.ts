/**
 * Records of a log, as bytes.
 *
 * Owns: the layout of records. Leaves out: where they are kept (file-log.ts, jetstream/).
 *
 * | 0 format u8 | 1 kind u8 | 2 0 u16 | 4 messages u32 | 8 writer, 8 bytes | 16 settings bytes u32 | 20 0 u32 |
 * | 24 settings, MessagePack | at the next multiple of 8: the messages, as in the memory of a turn (message.ts) |
 *
 * A `begin` record has 24 since f64 instead; older ones end before it.
 *
 * 1. A turn's record has everything that running it needs: its messages with their times, and the settings of jobs that
 *    its writer had not sent before.
 * 2. A writer begins with a `begin` record. From then on nobody who wrote before can append, and readers know which
 *    records are whose.
 * 3. Settings are without the parameters of steps that reach outside the service: deciding an event does not need them,
 *    and they may name hosts and accounts.
 */
import { assert } from '../../assert.js'
import type { JobSettings } from '../../domain/job/job.js'
import { jobOfMessage, lastMicrosOf, nextMessage, readMessage } from '../../actor/message.js'
import { REPLY_BYTES } from '../../actor/reply.js'
import { PROGRESS_BYTES, type TurnTask } from '../../actor/turn-task.js'
import { pack, unpack } from '../../store/pack.js'

const FORMAT = 1
const TURN = 1
const BEGIN = 2
const HEADER_BYTES = 24
export const WRITER_BYTES = 8
const noMessages = Buffer.alloc(0)

/** What a turn does with its messages' bytes. */
export type LoggedTurn = Pick<TurnTask, 'memory' | 'count' | 'settings'>

/** The times of a turn's messages: of its first, and the last that its last one takes. */
export interface TurnSpan {
  readonly firstMicros: number
  readonly lastMicros: number
}

export type TurnRecord =
  | { readonly kind: 'begin'; readonly writer: string; readonly since: number | null }
  | { readonly kind: 'turn'; readonly writer: string; readonly turn: LoggedTurn; readonly span: TurnSpan }

function aligned(bytes: number): number {
  return (bytes + 7) & ~7
}

/** Settings as a log holds them (3). */
export function loggedSettings(job: JobSettings): JobSettings {
  const pipeline = job.pipeline.map(({ kept: _, parameters, ...step }) => ({
    ...step,
    parameters: step.role === 'processor' ? parameters : {},
  }))
  return { ...job, pipeline }
}

/** The record of a turn with loggedSettings. `writer` is 8 bytes in hexadecimal. */
export function encodeTurn({ memory, count, settings }: LoggedTurn, writer: string): Buffer {
  const messages = Buffer.from(memory)
  let end = 0
  for (let i = 0; i < count; i++) end = nextMessage(messages, end)
  const packed = settings.length === 0 ? noMessages : pack(settings)
  const at = aligned(HEADER_BYTES + packed.length)
  const bytes = header(Buffer.alloc(at + end), TURN, writer)
  bytes.writeUInt32LE(count, 4)
  bytes.writeUInt32LE(packed.length, 16)
  packed.copy(bytes, HEADER_BYTES)
  messages.copy(bytes, at, 0, end)
  return bytes
}

/** The record with which a writer begins. `since`: for which time of owning the shard (owner-table.ts). */
export function encodeBegin(writer: string, since?: number): Buffer {
  const bytes = header(Buffer.alloc(since === undefined ? HEADER_BYTES : HEADER_BYTES + 8), BEGIN, writer)
  if (since !== undefined) bytes.writeDoubleLE(since, HEADER_BYTES)
  return bytes
}

function header(bytes: Buffer, kind: number, writer: string): Buffer {
  bytes[0] = FORMAT
  bytes[1] = kind
  assert(bytes.write(writer, 8, 'hex') === WRITER_BYTES, 'a writer has 8 bytes')
  return bytes
}

/** @throws Error where the record is of a newer format, or no record. */
export function decodeRecord(record: Uint8Array): TurnRecord {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.length)
  const [format, kind] = bytes
  if (format !== FORMAT)
    throw new Error(`a record of the log has format ${format}, and this version of the service reads ${FORMAT}`)
  const writer = bytes.toString('hex', 8, 8 + WRITER_BYTES)
  if (kind === BEGIN) {
    const since = bytes.length < HEADER_BYTES + 8 ? null : bytes.readDoubleLE(HEADER_BYTES)
    return { kind: 'begin', writer, since }
  }
  assert(kind === TURN, 'a record is of a known kind')
  const settingsEnd = HEADER_BYTES + bytes.readUInt32LE(16)
  const settings =
    settingsEnd === HEADER_BYTES ? [] : (unpack(bytes.subarray(HEADER_BYTES, settingsEnd)) as JobSettings[])
  const memory = shared(bytes.subarray(aligned(settingsEnd)))
  const turn = { memory, count: bytes.readUInt32LE(4), settings }
  return { kind: 'turn', writer, turn, span: spanOf(turn) }
}

/** The times of a turn's messages. */
export function spanOf({ memory, count }: Pick<LoggedTurn, 'memory' | 'count'>): TurnSpan {
  const messages = Buffer.from(memory)
  const firstMicros = readMessage(messages, 0, 0).micros
  let at = 0
  for (let i = 1; i < count; i++) at = nextMessage(messages, at)
  const { kind, micros } = readMessage(messages, at, 0)
  return { firstMicros, lastMicros: lastMicrosOf(kind, micros) }
}

/** The jobs that a turn has messages to. */
export function jobIdsOf({ memory, count }: Pick<LoggedTurn, 'memory' | 'count'>): Set<number> {
  const messages = Buffer.from(memory)
  const ids = new Set<number>()
  for (let i = 0, at = 0; i < count; i++, at = nextMessage(messages, at)) ids.add(jobOfMessage(messages, at))
  return ids
}

/** One turn for each message, in order. The first brings the settings. */
export function splitTurn({ memory, count, settings }: LoggedTurn): LoggedTurn[] {
  const messages = Buffer.from(memory)
  const turns: LoggedTurn[] = []
  for (let i = 0, at = 0; i < count; i++) {
    const end = nextMessage(messages, at)
    turns.push({ memory: shared(messages.subarray(at, end)), count: 1, settings: i === 0 ? settings : [] })
    at = end
  }
  return turns
}

/** Memory for the replies of so many messages. */
export function repliesFor(count: number): SharedArrayBuffer {
  return new SharedArrayBuffer(REPLY_BYTES * count + PROGRESS_BYTES)
}

function shared(bytes: Uint8Array): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(bytes.length)
  Buffer.from(memory).set(bytes)
  return memory
}
