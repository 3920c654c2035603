/** Reads a stream of server-sent events as a client of HTTP does. */
import { get, type IncomingMessage } from 'node:http'
import assert from 'node:assert/strict'
import type { Client } from '../client.js'

export interface Streamed {
  readonly id: string
  readonly type: string
  // Tests read messages of every type.
  readonly data: any
}

export interface OpenStream {
  /** All messages so far, without heartbeats. */
  readonly messages: Streamed[]
  readonly response: IncomingMessage
  /** The id of the last message or heartbeat. */
  lastId(): string
  /** Resolves when the messages pass the test. */
  until(holds: (messages: readonly Streamed[]) => boolean): Promise<readonly Streamed[]>
  /** Resolves when the service has ended it. */
  readonly ended: Promise<void>
  close(): void
}

/** No measure of speed. */
const LIMIT_MS = 60_000

export function openStream(
  client: Client,
  query = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const url = `${client.baseUrl}/api/v2/events/stream${query}`
    const request = get(url, { headers: { 'x-service-api-key': client.key, ...headers }, agent: false }, (response) => {
      const messages: Streamed[] = []
      let text = ''
      let last = ''
      const watchers = new Set<() => void>()
      response.setEncoding('utf8').on('data', (piece: string) => {
        const blocks = (text + piece).split('\n\n')
        text = blocks.pop()!
        for (const block of blocks) {
          const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''
          last = field('id') || last
          if (field('event') !== '')
            messages.push({ id: field('id'), type: field('event'), data: JSON.parse(field('data')) })
        }
        for (const watcher of watchers) watcher()
      })
      const ended = new Promise<void>((over) => response.once('close', () => over()))
      resolve({
        messages,
        response,
        ended,
        lastId: () => last,
        until: (holds) =>
          new Promise((done, failed) => {
            const timer = setTimeout(() => {
              failed(new assert.AssertionError({ message: `it did not come: ${JSON.stringify(messages.slice(-5))}` }))
            }, LIMIT_MS)
            const watcher = (): void => {
              if (!holds(messages)) return
              clearTimeout(timer)
              watchers.delete(watcher)
              done(messages)
            }
            watchers.add(watcher)
            watcher()
          }),
        close: () => void response.destroy(),
      })
    })
    request.on('error', reject)
  })
}

/** The messages of a type. */
export function ofType(messages: readonly Streamed[], type: string): Streamed[] {
  return messages.filter((message) => message.type === type)
}
