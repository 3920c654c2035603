/**
 * The peer: what most would build first. Fastify and better-sqlite3 in one process, WAL, synchronous=FULL, so that an
 * acknowledged event survives a power cut here too. It stores the record that the service stores, indexed by event id,
 * and answers like it; it decides nothing, which is in its favour.
 *
 * Arguments: port, directory, and `single` (one transaction a request) or `group` (one transaction for all requests
 * that came in the same turn of the event loop, answered after it).
 */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import Fastify from 'fastify'

const [port, directory, mode] = process.argv.slice(2)

const database = new Database(join(directory, 'peer.sqlite'))
database.pragma('journal_mode = WAL')
database.pragma('synchronous = FULL')
database.exec(`CREATE TABLE events (
  job_id INTEGER NOT NULL, event_id TEXT NOT NULL, ingest_micros INTEGER NOT NULL, status TEXT NOT NULL,
  result TEXT NOT NULL, bucket_id TEXT NOT NULL, outlier INTEGER NOT NULL, confidence REAL NOT NULL,
  raw_body TEXT NOT NULL, PRIMARY KEY (job_id, event_id)) WITHOUT ROWID`)
const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
const insertOne = database.transaction((record) => insert.run(record))
const insertMany = database.transaction((records) => {
  for (const record of records) insert.run(record)
})

let made = 0
const started = Date.now().toString(36)

function recordOf(body) {
  const id = `${started}${String(++made).padStart(12, '0')}`
  const raw = JSON.stringify(body.raw_body)
  return [body.job_id, id, Date.now() * 1000, 'OK', 'label_1', '0123456789abcdef', 0, 97.5, raw]
}

function answerOf(record) {
  const ingest_timestamp = new Date(record[2] / 1000).toISOString()
  return { event_id: record[1], job_id: record[0], ingest_timestamp, status: record[3], error_message: null }
}

let waiting = []

function flushGroup() {
  const group = waiting
  waiting = []
  insertMany(group.map(({ record }) => record))
  for (const { record, resolve } of group) resolve(answerOf(record))
}

const schema = {
  body: {
    type: 'object',
    required: ['job_id', 'raw_body'],
    properties: { job_id: { type: 'integer' }, raw_body: { type: 'object', additionalProperties: true } },
  },
  response: {
    201: {
      type: 'object',
      properties: {
        event_id: { type: 'string' },
        job_id: { type: 'integer' },
        ingest_timestamp: { type: 'string' },
        status: { type: 'string' },
        error_message: { type: 'null' },
      },
    },
  },
}

const app = Fastify({ logger: false })
app.post('/api/v1/events/', { schema }, (request, reply) => {
  const record = recordOf(request.body)
  reply.code(201)
  if (mode === 'single') {
    insertOne(record)
    return Promise.resolve(answerOf(record))
  }
  return new Promise((resolve) => {
    if (waiting.push({ record, resolve }) === 1) setImmediate(flushGroup)
  })
})
await app.listen({ host: '127.0.0.1', port: Number(port) })
console.log(JSON.stringify({ listening: Number(port) }))
