/**
 * The origin of an event: who sent it, and in which request. It stands in the event's message (message.ts).
 *
 * | 0 request u32 | 4 flags u8 | 5 source, UTF-8 |
 *
 * 1. Events of one request have the same number, so that an id that is given twice in it is found (S32). 0 is none:
 *    the event came alone, or nobody knows with which others.
 * 2. It is made once for each request or sender, and decoded only where an event replaces another one.
 */
import type { Author } from '../api/principal.js'
import { fourBytesAt, putFourBytes } from '../store/number-bytes.js'

const [FLAGS_AT, SOURCE_AT] = [4, 5]
const SOURCE_BYTES_MAX = 120
/** Flag: a new version of an event is what the sender's protocol has. */
const HAS_VERSIONS = 1

export interface EventOrigin {
  readonly request: number
  /** As people know it: `key soc`, `integration Alerts`. '' for none. */
  readonly source: string
  /** Its protocol sends an event again when it changes, as Alertmanager does: that is not worth a warning. */
  readonly hasVersions?: boolean
}

const noOrigin: EventOrigin = { request: 0, source: '' }

/** A sender, as people know it. */
export function sourceOf({ kind, name }: Author): string {
  return kind === 'user' ? `user ${name}` : `key ${name}`
}

/** A number for the request that came as one message at this time. */
export function requestOfTime(micros: number): number {
  return micros % 0xffffffff || 1
}

export function encodeOrigin({ request, source, hasVersions = false }: EventOrigin): Uint8Array {
  const name = Buffer.from(source, 'utf8').subarray(0, SOURCE_BYTES_MAX)
  const bytes = new Uint8Array(SOURCE_AT + name.length)
  putFourBytes(bytes, 0, request)
  bytes[FLAGS_AT] = hasVersions ? HAS_VERSIONS : 0
  bytes.set(name, SOURCE_AT)
  return bytes
}

export function decodeOrigin(bytes: Buffer | undefined): EventOrigin {
  if (bytes === undefined) return noOrigin
  return {
    request: fourBytesAt(bytes, 0),
    // A name that was cut within a character ends before it.
    source: bytes.toString('utf8', SOURCE_AT).replace(/\ufffd+$/, ''),
    hasVersions: ((bytes[FLAGS_AT] as number) & HAS_VERSIONS) !== 0,
  }
}

/** The number of the request alone; 0 for none. */
export function requestOf(bytes: Uint8Array | undefined): number {
  return bytes === undefined ? 0 : fourBytesAt(bytes, 0)
}
