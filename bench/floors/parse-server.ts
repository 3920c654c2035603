/**
 * The floor of a single POST: a bare uWebSockets.js handler that reads the body, parses its JSON and answers 201 with a
 * body of the usual length. It stores nothing and decides nothing. One process, one thread; argument: the port.
 * GET answers 200 with a body of the usual length and looks nothing up: the floor of reading an event.
 */
import { App } from 'uWebSockets.js'

const port = Number(process.argv[2])
const answer = {
  event_id: '0000000000000000000000',
  job_id: 1,
  ingest_timestamp: '2026-01-01T00:00:00.000000Z',
  status: 'OK',
  error_message: null,
}

const event = {
  ...answer,
  result: 'label_1',
  result_label: 'Drop',
  bucket_state: 'in_knowledge_base',
  outlier: false,
  confidence_score: 97.5,
}

App()
  .get('/*', (response) => {
    response.writeHeader('content-type', 'application/json').end(JSON.stringify(event))
  })
  .post('/*', (response) => {
    let pieces: Buffer | null = null
    response.onAborted(() => (pieces = null))
    response.onData((piece, last) => {
      const view = Buffer.from(piece)
      const bytes: Buffer = pieces === null ? view : Buffer.concat([pieces, view])
      // The piece is gone after this call: copied only where the body is not complete.
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
  .listen('127.0.0.1', port, (socket) => {
    if (socket === false) {
      console.error(`could not listen on port ${port}`)
      process.exit(1)
    }
    console.log(JSON.stringify({ listening: port }))
  })
