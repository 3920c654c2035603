/**
 * Old events with their answers: `POST /api/v1/bulk`, part by part.
 *
 * 1. The service takes a part as a whole or not at all. One that it refuses is sent in halves, until what is wrong
 *    stands by itself: it alone is refused.
 * 2. Each event has an id, so a part whose answer was lost is sent again, and stores nothing twice. All parts of a call
 *    are one upload, as in the stream of events (bulk.ts).
 */
import { operations } from '#client-operations'
import { ApiError } from './errors.js'
import { requestOf } from './request.js'
import type { CallOptions, Transport } from './transport.js'

export interface OldEvent {
  readonly event_id: string
  readonly raw_body: Readonly<Record<string, unknown>>
  /** Without it nobody has answered. */
  readonly label?: { readonly feedback: string; readonly cortex_user?: string | undefined } | undefined
}

/** Old events, or their JSON texts, with the `job_id` in them. */
export type OldEvents = Iterable<OldEvent | string> | AsyncIterable<OldEvent | string>

export interface HistoryOptions extends CallOptions {
  /** The id of the upload (`X-Upload-Id`). A call that goes on with the events of another one gives the same. */
  readonly upload?: string | undefined
}

/** What came of the next events. */
export interface HistoryPart {
  /** So many of all events are answered. */
  readonly through: number
  readonly stored: number
  /** `place`: that of the event among all, from 0. */
  readonly refused: readonly { readonly place: number; readonly error: string }[]
}

const OPERATION = 'postHistoricEvents'
const EVENTS_MAX = 500
const CHARS_MAX = 1 << 20
/** Statuses that are about what was sent, and not about who sends it or where. */
const ABOUT_EVENTS = new Set([400, 413, 422])

interface Kept {
  readonly place: number
  readonly text: string
}

/** Sends events, and tells what came of each part. @throws ServiceError, after what came before it. */
export async function* history(
  transport: Transport,
  jobId: number,
  events: OldEvents,
  options: HistoryOptions = {},
): AsyncGenerator<HistoryPart, void, void> {
  const { upload = `u${Math.random()}` } = options
  const base = requestOf(OPERATION, operations[OPERATION], { job_id: jobId })
  const headers = { 'content-type': 'application/json', 'x-upload-id': upload }
  const send = async (part: readonly Kept[]): Promise<HistoryPart['refused']> => {
    const body = `{"count":${part.length},"events":[${part.map(({ text }) => text).join()}]}`
    try {
      await transport.send({ ...base, body, headers, isRepeatable: true }, options, (response) => response.text())
      return []
    } catch (error) {
      if (!(error instanceof ApiError) || !ABOUT_EVENTS.has(error.status ?? 0)) throw error
      const [only, ...more] = part as [Kept, ...Kept[]]
      if (more.length === 0) return [{ place: only.place, error: error.message.replace(/^\w+: /, '') }]
      const middle = part.length >> 1
      return [...(await send(part.slice(0, middle))), ...(await send(part.slice(middle)))]
    }
  }
  let part: Kept[] = []
  let [chars, place] = [0, 0]
  const sent = async (): Promise<HistoryPart> => {
    const refused = await send(part)
    const told = { through: place, stored: part.length - refused.length, refused }
    ;[part, chars] = [[], 0]
    return told
  }
  for await (const event of events) {
    const text = typeof event === 'string' ? event : JSON.stringify({ job_id: jobId, ...event })
    part.push({ place: place++, text })
    chars += text.length
    if (part.length >= EVENTS_MAX || chars >= CHARS_MAX) yield await sent()
  }
  if (part.length > 0) yield await sent()
}
