/**
 * What happens in jobs, message by message.
 *
 * 1. A connection that breaks, or is silent for longer than the service ever is, is made again from the last message
 *    on: none is lost, and none comes twice.
 */
import { operations, type Calls, type StreamMessage } from '#client-operations'
import { ApiError, ConnectionError } from './errors.js'
import { requestOf } from './request.js'
import type { CallOptions, Transport } from './transport.js'

export type StreamParams = Calls['streamEvents']['params']

const OPERATION = 'streamEvents'
const SILENT_MS = 20_000

interface Frame {
  readonly id: string
  readonly type: string
  readonly text: string
}

function frameOf(block: string): Frame {
  const fields: Record<string, string> = {}
  for (const line of block.split('\n')) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (name !== undefined) fields[name] = value as string
  }
  return { id: fields.id ?? '', type: fields.event ?? '', text: fields.data ?? '' }
}

async function* framesOf(transport: Transport, response: Response, signal?: AbortSignal): AsyncGenerator<Frame> {
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
      yield* blocks.map(frameOf)
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
  options: CallOptions = {},
): AsyncGenerator<StreamMessage, void, void> {
  let last = params.last_event_id
  for (let tried = 0; ; tried++) {
    try {
      const request = requestOf(OPERATION, operations[OPERATION], { ...params, last_event_id: last })
      const response = await transport.send({ ...request, isRepeatable: false }, options, async (answer) => answer)
      for await (const { id, type, text } of framesOf(transport, response, options.signal)) {
        last = id || last
        tried = 0
        if (type === '') continue
        const data = JSON.parse(text)
        if (type === 'end') throw new ApiError(`${OPERATION}: ${data.message}`, data)
        yield { id, type, data } as StreamMessage
      }
      throw new TypeError('the connection ended')
    } catch (error) {
      options.signal?.throwIfAborted()
      const broken =
        error instanceof TypeError
          ? new ConnectionError(`${OPERATION}: the connection broke`, { code: 'connection_failed' })
          : error
      if (!(await transport.waitAfter(broken, tried, options))) throw broken
    }
  }
}
