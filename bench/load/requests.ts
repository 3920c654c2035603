/**
 * Files of requests to send, one a line: `METHOD PATH BODY`. The body is one line of JSON or empty. wrk's script
 * (requests.lua) and our own generator read the same file, so both send the same bytes.
 */
import { readFileSync, writeFileSync } from 'node:fs'

export interface RequestPlan {
  readonly method: string
  readonly path: string
  /** JSON without a line feed; empty for none. */
  readonly body: string
}

export function writeRequests(file: string, requests: readonly RequestPlan[]): void {
  writeFlushed(file, requests.map(({ method, path, body }) => `${method} ${path} ${body}\n`).join(''))
}

/**
 * Writes the file that a load is read from. The file is on disk when this returns: tens of megabytes that the kernel
 * writes half a minute later would delay every flush that is measured then.
 */
export function writeFlushed(file: string, text: string): void {
  writeFileSync(file, text, { flush: true })
}

export function readRequests(file: string): RequestPlan[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line) => {
    const afterMethod = line.indexOf(' ')
    const afterPath = line.indexOf(' ', afterMethod + 1)
    if (afterMethod < 1 || afterPath < 0) throw new Error(`${file}: not METHOD PATH BODY: ${line.slice(0, 60)}`)
    return {
      method: line.slice(0, afterMethod),
      path: line.slice(afterMethod + 1, afterPath),
      body: line.slice(afterPath + 1),
    }
  })
}

/** The bytes that go over the wire. */
export function encodeRequest(plan: RequestPlan, headers: Readonly<Record<string, string>>): Buffer {
  const lines = [`${plan.method} ${plan.path} HTTP/1.1`, 'Host: 127.0.0.1']
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  if (plan.body !== '') lines.push(`Content-Length: ${Buffer.byteLength(plan.body)}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${plan.body}`)
}
