/**
 * The place of a stream: what its next message may be about. Its text is the id of a message, which a client gives
 * back.
 *
 * Owns: the places and their text. Leaves out: reading from a place on (stream-reader.ts).
 *
 * | at | bytes | what                                                                              |
 * |----|-------|-----------------------------------------------------------------------------------|
 * | 0  | 1     | version: 1                                                                        |
 * | 1  | 7     | when the stream began: a job without a place of its own was made after it         |
 * | 8  | 6     | the next entry of the audit log                                                   |
 * | 14 |       | for each job: id u32; event, change and event of the change, 7 bytes each; told u8 |
 *
 * Numbers are big-endian, times are microseconds; the text is base64url.
 *
 * 1. Equal places have equal texts, so streams at the same place are read for together (streams.ts).
 */
import { limits } from '../../limits.js'

/** The place in one job: the least times that are not read yet. */
export interface JobPlace {
  /** Of an event. */
  event: number
  /** Of a change of a decision, and of the event that it is about. */
  change: number
  changeEvent: number
  /** Messages about the next event that were sent already. */
  told: number
}

export interface StreamPosition {
  /** The least time of jobs that have no place. */
  began: number
  /** The next sequence number in the audit log. */
  audit: number
  readonly jobs: Map<number, JobPlace>
}

const VERSION = 1
const HEAD_BYTES = 14
const JOB_BYTES = 26
const TWO_32 = 2 ** 32

function writeTime(bytes: Buffer, micros: number, at: number): void {
  bytes.writeUIntBE(Math.floor(micros / TWO_32), at, 3)
  bytes.writeUInt32BE(micros % TWO_32, at + 3)
}

function readTime(bytes: Buffer, at: number): number {
  return bytes.readUIntBE(at, 3) * TWO_32 + bytes.readUInt32BE(at + 3)
}

/** The id of a message whose next one is at that position. */
export function positionText({ began, audit, jobs }: StreamPosition): string {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + JOB_BYTES * jobs.size)
  bytes[0] = VERSION
  writeTime(bytes, began, 1)
  bytes.writeUIntBE(audit, 8, 6)
  let at = HEAD_BYTES
  for (const [id, place] of jobs) {
    bytes.writeUInt32BE(id, at)
    writeTime(bytes, place.event, at + 4)
    writeTime(bytes, place.change, at + 11)
    writeTime(bytes, place.changeEvent, at + 18)
    bytes[at + 25] = place.told
    at += JOB_BYTES
  }
  return bytes.toString('base64url')
}

/** The position in a text of positionText, or null. */
export function parsePosition(text: string): StreamPosition | null {
  if (!/^[\w-]{1,2000}$/.test(text)) return null
  const bytes = Buffer.from(text, 'base64url')
  const count = (bytes.length - HEAD_BYTES) / JOB_BYTES
  if (bytes[0] !== VERSION || !Number.isInteger(count) || count < 0 || count > limits.streamJobsMax) return null
  const jobs = new Map<number, JobPlace>()
  for (let at = HEAD_BYTES; at < bytes.length; at += JOB_BYTES) {
    jobs.set(bytes.readUInt32BE(at), {
      event: readTime(bytes, at + 4),
      change: readTime(bytes, at + 11),
      changeEvent: readTime(bytes, at + 18),
      told: bytes[at + 25] as number,
    })
  }
  const position = { began: readTime(bytes, 1), audit: bytes.readUIntBE(8, 6), jobs }
  const times = [
    position.began,
    ...[...jobs.values()].flatMap((place) => [place.event, place.change, place.changeEvent]),
  ]
  return times.every(Number.isSafeInteger) ? position : null
}
