/**
 * What happens in jobs, message by message.
 *
 * 1. A connection that breaks, or is silent for longer than the service ever is, is made again from the last message
 *    on: none is lost, and none comes twice.
 */
import { operations, type Calls, type StreamMessage } from '#client-operations'
import { ApiError, ServiceError } from './errors.js'
import { requestOf } from './request.js'
import type { CallOptions, Transport } from './transport.js'

export type StreamParams = Calls['streamEvents']['params']

export interface StreamOptions extends CallOptions {
  /** Called whenever something is heard, heartbeats too, with the id to go on from. The service is never silent. */
  readonly heard?: (id: string) => void
}

const OPERATION = 'streamEvents'
const SILENT_MS = 20_000

/** The field of a message, or ''. */
function fieldOf(block: string, name: string): string {
  return RegExp(`^${name}: (.*)`, 'm').exec(block)?.[1] ?? ''
}

/** The messages of an answer, as texts. */
async function* blocksOf(transport: Transport, response: Response, signal?: AbortSignal): AsyncGenerator<string> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  const stop = (): void => void reader.cancel().catch(() => {})
  signal?.addEventListener('abort', stop, { once: true })
  let text = ''
  try {
    for (;;) {
      const cancel = transport.clock.after(SILENT_MS, stop)
      const { done, value } = await reader.read().finally(cancel)
      signal?.throwIfAborted()
      if (done) return
      const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n')
      text = blocks.pop() as string
      yield* blocks
    }
  } finally {
    signal?.removeEventListener('abort', stop)
    stop()
  }
}

/** Messages without end; heartbeats are left out. @throws ServiceError if the stream cannot be gone on with. */
export async function* stream(
  transport: Transport,
  params: StreamParams = {},
  options: StreamOptions = {},
): AsyncGenerator<StreamMessage, void, void> {
  let last = params.last_event_id
  for (let tried = 0; ; tried++) {
    try {
      const request = requestOf(OPERATION, operations[OPERATION], { ...params, last_event_id: last })
      const response = await transport.send({ ...request, isRepeatable: false }, options, async (answer) => answer)
      for await (const block of blocksOf(transport, response, options.signal)) {
        last = fieldOf(block, 'id') || last
        tried = 0
        options.heard?.(last ?? '')
        const type = fieldOf(block, 'event')
        if (type === '') continue
        const data = JSON.parse(fieldOf(block, 'data'))
        if (type === 'end') throw new ApiError(`${OPERATION}: ${data.message}`, data)
        yield { id: last, type, data } as StreamMessage
      }
      throw new TypeError()
    } catch (error) {
      options.signal?.throwIfAborted()
      const broken = error instanceof ServiceError ? error : transport.broken(OPERATION, error)
      if (!(await transport.waitAfter(broken, tried, options))) throw broken
    }
  }
}
