/**
 * The floor of storing before answering: a bare uWebSockets.js handler that parses, packs and puts with a flush. One
 * thread takes everything that arrived since the last flush, then answers all of it. It decides nothing and checks no
 * key.
 *
 * It takes single POSTs, and NDJSON streams at `/api/v1/events/_bulk` without a bound on unanswered lines. GET answers
 * 200 with a body of the usual length and looks nothing up. Arguments: the port, and a directory for the store.
 */
import { join } from 'node:path'
import { App } from 'uWebSockets.js'
import { answer, event, serveBare } from './bare.js'
import { openBulkFloor } from './store.js'

const [port = '', directory = ''] = process.argv.slice(2)
const store = openBulkFloor(join(directory, 'flush.mdb'))
const resultLine = `${JSON.stringify(event)}\n`
const LF = 0x0a

let stored = 0
/** What arrived since the last flush, and who is answered after the next one. */
let bodies: Buffer[] = []
let told: (() => void)[] = []

function flush(): void {
  const [batch, tell] = [bodies, told]
  bodies = []
  told = []
  if (batch.length > 0) store.take(stored, batch)
  stored += batch.length
  for (const one of tell) one()
}

function take(lines: readonly Buffer[], tell: () => void): void {
  bodies.push(...lines)
  if (told.push(tell) === 1) setImmediate(flush)
}

/** Splits `bytes` into its complete lines and the rest after them. */
function cut(bytes: Buffer): { readonly lines: readonly Buffer[]; readonly rest: Buffer } {
  const lines: Buffer[] = []
  let at = 0
  for (let end = bytes.indexOf(LF, at); end >= 0; end = bytes.indexOf(LF, at)) {
    if (end > at) lines.push(bytes.subarray(at, end))
    at = end + 1
  }
  return { lines, rest: bytes.subarray(at) }
}

const app = App()
app
  .post('/api/v1/events/_bulk', (response) => {
    let rest: Buffer = Buffer.alloc(0)
    let gone = false
    response.onAborted(() => (gone = true))
    response.onData((piece, last) => {
      // uWebSockets.js takes the piece back after this call.
      const came = cut(Buffer.concat([rest, Buffer.from(piece)]))
      rest = came.rest
      take(came.lines, () => {
        if (gone) return
        response.cork(() => {
          if (came.lines.length > 0) response.write(resultLine.repeat(came.lines.length))
          if (last) response.end()
        })
      })
    })
  })
  .post('/*', (response) => {
    const pieces: Buffer[] = []
    let gone = false
    response.onAborted(() => (gone = true))
    response.onData((piece, last) => {
      pieces.push(Buffer.from(piece.slice(0)))
      if (!last) return
      take([Buffer.concat(pieces)], () => {
        if (gone) return
        response.cork(() => {
          response
            .writeStatus('201 Created')
            .writeHeader('content-type', 'application/json')
            .end(JSON.stringify(answer))
        })
      })
    })
  })
serveBare(app, Number(port))
