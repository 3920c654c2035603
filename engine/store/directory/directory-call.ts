/**
 * Calls to the process that owns a data directory, through the socket in it: one line to it, one line back.
 *
 * Only users who may write in the directory reach the socket, so there is no other protection. A connection that sends
 * nothing only checks whether a process listens (data-lock.ts).
 */
import { closeSync, openSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { ownerSocket } from './socket-address.js'

const REQUEST_CHARS_MAX = 64 * 1024
const CONNECT_MS_MAX = 5_000

/** Reads one request, answers it and closes the connection. */
export function answerCall(socket: Socket, answer: (request: string) => Promise<string>): void {
  let request = ''
  let answered = false
  socket.unref()
  socket.on('error', () => {})
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => {
    request += text
    const end = request.indexOf('\n')
    if (answered || (end < 0 && request.length <= REQUEST_CHARS_MAX)) return
    answered = true
    if (end < 0) return void socket.destroy()
    void answer(request.slice(0, end)).then(
      (line) => socket.end(`${line}\n`),
      () => socket.destroy(),
    )
  })
  socket.on('end', () => {
    if (!answered) socket.destroy()
  })
}

/** The answer of the process that owns the directory; null if there is none. Rejects if it ends before its answer. */
export async function callOwner(dataDir: string, request: string): Promise<string | null> {
  const directory = openSync(dataDir, 'r')
  try {
    const socket = await connected(ownerSocket(dataDir, directory))
    if (socket === null) return null
    socket.write(`${request}\n`)
    let answer = ''
    for await (const text of socket.setEncoding('utf8')) answer += String(text)
    if (!answer.endsWith('\n')) throw new Error('the service ended before it answered')
    return answer.trimEnd()
  } finally {
    closeSync(directory)
  }
}

function connected(path: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect({ path, timeout: CONNECT_MS_MAX })
    socket.once('connect', () => {
      socket.setTimeout(0)
      resolve(socket)
    })
    socket.once('error', () => resolve(null))
    socket.once('timeout', () => {
      socket.destroy()
      resolve(null)
    })
  })
}
