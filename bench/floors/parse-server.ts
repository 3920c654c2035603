/**
 * The floor of a single POST: a bare uWebSockets.js handler that reads the body, parses its JSON and answers 201 with a
 * body of the usual length. It stores and decides nothing. One process, one thread; argument: the port.
 *
 * GET answers 200 with a body of the usual length and looks nothing up: the floor of reading an event.
 */
import { App } from 'uWebSockets.js'
import { answer, serveBare } from './bare.js'

const app = App()
app.post('/*', (response) => {
  let pieces: Buffer | null = null
  response.onAborted(() => (pieces = null))
  response.onData((piece, last) => {
    const view = Buffer.from(piece)
    const bytes: Buffer = pieces === null ? view : Buffer.concat([pieces, view])
    // uWebSockets.js takes the piece back after this call: it is copied only where the body is incomplete.
    if (!last) {
      pieces = Buffer.from(bytes)
      return
    }
    const body = JSON.parse(bytes.toString('utf8')) as { readonly job_id: number }
    const text = JSON.stringify({ ...answer, job_id: body.job_id })
    response.cork(() => {
      response.writeStatus('201 Created').writeHeader('content-type', 'application/json').end(text)
    })
  })
})
serveBare(app, Number(process.argv[2]))
