/** What all bare handlers share: answers of the usual length to POST and GET, and how they listen. */
import type { TemplatedApp } from 'uWebSockets.js'

/** The answer to a POST. */
export const answer = {
  event_id: '0000000000000000000000',
  job_id: 1,
  ingest_timestamp: '2026-01-01T00:00:00.000000Z',
  status: 'OK',
  error_message: null,
}

/** The answer to a GET; also one line of a stream's answer. */
export const event = {
  ...answer,
  result: 'label_1',
  result_label: 'Drop',
  bucket_state: 'in_knowledge_base',
  outlier: false,
  confidence_score: 97.5,
}

/** Answers every GET, and listens. The process ends if the port is taken. */
export function serveBare(app: TemplatedApp, port: number): void {
  app
    .get('/*', (response) => {
      response.writeHeader('content-type', 'application/json').end(JSON.stringify(event))
    })
    .listen('127.0.0.1', port, (socket) => {
      if (socket === false) {
        console.error(`could not listen on port ${port}`)
        process.exit(1)
      }
      console.log(JSON.stringify({ listening: port }))
    })
}
