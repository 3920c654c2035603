/** Content types, status lines and JSON answers. */
import { STATUS_CODES } from 'node:http'
import type { Exchange } from './exchange.js'
import type { Headers } from './send.js'

export const json = 'application/json'
export const problemJson = 'application/problem+json'
export const ndjson = 'application/x-ndjson'

const statusLines = new Map<number, string>()

/** `404 Not Found` for 404. */
export function statusLine(status: number): string {
  let line = statusLines.get(status)
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? 'Unknown'}`
    statusLines.set(status, line)
  }
  return line
}

/** Answers with a JSON document. */
export function replyJson(exchange: Exchange, status: number, document: unknown, headers?: Headers): void {
  exchange.reply(statusLine(status), json, JSON.stringify(document), headers)
}
