/**
 * The stream of events: lines out, results in, in the same order.
 *
 * Lines go out in batches, a few at a time, and the next lines are taken from the source when the caller has taken
 * results. So neither side holds more than a few batches, in browsers too, whose `fetch` reads no answer while it
 * sends.
 *
 * 1. A batch is sent again only if each of its lines has an event id, or for the lines that the service says it did not
 *    take: it ends the answer before them.
 * 2. Results that were received are given before the error that ended their batch.
 * 3. All requests of a call are one upload: an id that is given twice in it, for different events, is two events,
 *    whichever batches they are in.
 */
import { operations, type ResultLine } from '#client-operations'
import { batchesOf, type Batch, type Line } from './batches.js'
import { ApiError } from './errors.js'
import { requestOf } from './request.js'
import type { CallOptions, Outgoing, Transport } from './transport.js'

export interface BulkOptions extends CallOptions {
  /** Lines of one request. Default 1,000. */
  readonly batchLines?: number | undefined
  /** Requests at a time. Default 2. */
  readonly batchesAtOnce?: number | undefined
  /** How long a line waits for others, in milliseconds. Default 50. */
  readonly lingerMs?: number | undefined
  /** The id of the upload (`X-Upload-Id`). A call that goes on with the lines of another one gives the same. */
  readonly upload?: string | undefined
}

const BATCH_CHARS = 1 << 20
const OPERATION = 'postEventLines'

/** What came of a batch. */
export interface Answered<B extends Batch> {
  readonly batch: B
  readonly results: readonly ResultLine[]
}

interface Outcome<B extends Batch> extends Answered<B> {
  readonly error?: unknown
}

function resultsOf(text: string): ResultLine[] {
  // One array: parsing it costs half of parsing its items.
  return JSON.parse(`[${text.trim().replace(/\n+/g, ',')}]`) as ResultLine[]
}

async function sendBatch<B extends Batch>(
  transport: Transport,
  batch: B,
  options: CallOptions,
  headers: Outgoing['headers'] & object,
): Promise<Outcome<B>> {
  const results: ResultLine[] = []
  const base = { ...requestOf(OPERATION, operations[OPERATION], {}), headers }
  for (let tried = 0; ; tried++) {
    const body = batch.body(results.length)
    let wasTaken = true
    try {
      const got = await transport.send({ ...base, body, isRepeatable: false }, options, async (response) =>
        resultsOf(await response.text()),
      )
      const last = got.at(-1)
      const isLockedOut = last !== undefined && 'status_code' in last && last.status_code === 401
      results.push(...(isLockedOut ? got.slice(0, -1) : got))
      if (isLockedOut)
        throw new ApiError(`${OPERATION}: ${last.error}`, { code: 'unauthorized', status: last.status_code })
      if (results.length >= batch.lines) return { batch, results }
      wasTaken = false
      throw new ApiError(`${OPERATION}: the service ended the stream`, { code: 'draining', status: 503 })
    } catch (error) {
      const again = (!wasTaken || batch.isRepeatable()) && (await transport.waitAfter(error, tried, options))
      if (!again) return { batch, results, error }
    }
  }
}

/** Sends lines and gives their results. @throws ServiceError, after the results that came before it. */
export async function* bulk(
  transport: Transport,
  lines: Iterable<Line> | AsyncIterable<Line>,
  options: BulkOptions = {},
): AsyncGenerator<ResultLine, void, void> {
  const { batchLines = 1_000, lingerMs = 50 } = options
  const batches = batchesOf(lines, { lines: batchLines, chars: BATCH_CHARS, lingerMs }, transport.clock)
  for await (const { results } of sendBatches(transport, batches, options)) yield* results
}

/** Sends batches and gives their results, in order. @throws ServiceError, after the results that came before it. */
export async function* sendBatches<B extends Batch>(
  transport: Transport,
  batches: AsyncGenerator<B, void, void>,
  options: BulkOptions,
): AsyncGenerator<Answered<B>, void, void> {
  const { batchesAtOnce = 2, signal, upload = `u${Math.random()}` } = options
  const headers = { 'content-type': 'application/x-ndjson', 'x-upload-id': upload }
  const stop = new AbortController()
  const forward = (): void => stop.abort(signal?.reason)
  if (signal?.aborted) forward()
  signal?.addEventListener('abort', forward, { once: true })
  const underWay: Promise<Outcome<B>>[] = []
  let taking: Promise<IteratorResult<B, void>> | undefined
  let isOver = false
  let toldOfAbort = (): void => {}
  stop.signal.addEventListener('abort', () => toldOfAbort(), { once: true })
  try {
    for (;;) {
      stop.signal.throwIfAborted()
      if (!isOver && underWay.length < batchesAtOnce) taking ??= batches.next()
      const first = underWay[0]
      if (taking !== undefined) {
        const answered = first === undefined ? [] : [first.then(() => null)]
        // A promise for each wait: one for all would keep what came of each wait until the end of the call.
        const aborted = new Promise<never>((_, reject) => {
          toldOfAbort = () => reject(stop.signal.reason)
        })
        const next = await Promise.race([taking, aborted, ...answered])
        if (next !== null) {
          taking = undefined
          if (next.done) isOver = true
          else {
            const outcome = sendBatch(transport, next.value, { ...options, signal: stop.signal }, headers)
            // It is thrown when its turn comes.
            outcome.catch(() => {})
            underWay.push(outcome)
          }
          continue
        }
      }
      if (first === undefined) return
      const { batch, results, error } = await first
      void underWay.shift()
      yield { batch, results }
      if (error !== undefined) throw error
    }
  } finally {
    signal?.removeEventListener('abort', forward)
    stop.abort()
    void batches.return().catch(() => {})
  }
}
