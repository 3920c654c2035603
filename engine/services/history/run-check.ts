/**
 * Checks a request with historic events, on a reader thread, and cuts it into the parts that it is stored in.
 *
 * Owns: that every event is checked before the first is stored. Leaves out: what an event may be
 * (actor/historic-events.ts), the parts on their way (history-requests.ts).
 */
import { createHash } from 'node:crypto'
import { isUtf8 } from 'node:buffer'
import { limits } from '../../limits.js'
import { itemsOf } from '../../domain/event/json-items.js'
import type { Label } from '../../domain/job/job.js'
import { mustFit, oddOf, parseHistoric, type OddText } from '../../actor/historic-events.js'
import { BodyCodec } from '../../store/body-codec.js'
import { MemoryEnvironment } from '../../store/memory-store.js'

export interface HistoryCheck {
  /** SHA-256 of the body. */
  readonly hash: string
  readonly events: number
  readonly odd: OddText | null
  /** Each is a request of its own: `{"events": [...]}`. */
  readonly parts: readonly Uint8Array[]
}

/** @throws Refusal as parseHistoric and mustFit. */
export function runHistoryCheck(
  given: Uint8Array,
  sectionNames: readonly string[],
  job: { readonly id: number; readonly labels: readonly Label[] },
): HistoryCheck {
  const body = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  const text = body.toString('utf8')
  const events = parseHistoric(text, sectionNames, job)
  // The shard's own names of fields are not needed to find out whether an event can be stored.
  const codec = new BodyCodec(new MemoryEnvironment(['shapes', 'words']))
  mustFit(events, (rawBody) => codec.encode(rawBody))
  const hash = createHash('sha256').update(body).digest('hex')
  const odd = isUtf8(body) ? null : oddOf(text, events)
  return { hash, events: events.length, odd, parts: partsOf(itemsOf(text, 'events')) }
}

function partsOf(items: readonly string[]): Uint8Array[] {
  const parts: Uint8Array[] = []
  let some: string[] = []
  let chars = 0
  const end = (): void => {
    parts.push(Buffer.from(`{"events":[${some.join(',')}]}`, 'utf8'))
    ;[some, chars] = [[], 0]
  }
  for (const item of items) {
    const isFull = some.length >= limits.historicEventsPerPiece || chars + item.length > limits.historicPieceBytesMax
    if (isFull && some.length > 0) end()
    some.push(item)
    chars += item.length
  }
  if (some.length > 0 || parts.length === 0) end()
  return parts
}
