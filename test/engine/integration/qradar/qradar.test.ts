/** QRadar against a small server with the part of its API that is used. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { QueryRefused, type OpenedParameters } from '../../../../engine/integration/contract.js'
import { qRadar } from '../../../../engine/integration/qradar/qradar.js'
import { enrichmentContract } from '../../../contracts/enrichment.js'
import { behaving } from '../../../support/behaviours.js'
import { never, toolsFor } from '../../../support/outgoing.js'
import { HttpReceiver, type Answering } from '../../../support/servers/receiver.js'

const [FIRST, LAST] = [1_700_000_000_000, 1_700_000_060_000]
const entry = (value: string): object => ({ value, source: 'analyst', first_seen: FIRST, last_seen: LAST })
const offenses = [
  { id: 7, description: 'Scan', status: 'OPEN', magnitude: 5, severity: 3, categories: ['Recon'], start_time: LAST },
  { id: 4, description: 'Login', status: 'CLOSED', magnitude: 8, severity: 6, categories: ['Auth'], start_time: FIRST },
]
const known = new Map<string, readonly object[]>([
  ['192.0.2.1', offenses],
  ['192.0.2.2', [offenses[1] as object]],
])

const working: Answering = ({ path, headers }, response) => {
  const { pathname, searchParams } = new URL(path, 'http://qradar.example')
  const filter = searchParams.get('filter') ?? ''
  const values = [...filter.matchAll(/(?:value|offense_source) = "([^"]*)"/g)].map(([, value]) => value as string)
  const json = (code: number, document: unknown): void => {
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(document))
  }
  if (headers.sec !== 'a-secret-token') return json(401, { message: 'No SEC header present in request.' })
  if (headers.range === undefined) return json(500, { message: 'this would be the first 20 only' })
  if (pathname === '/api/reference_data/sets/Bad%20hosts') {
    const data = values.flatMap((value) => (known.has(value) ? [entry(value)] : []))
    return json(200, { name: 'Bad hosts', element_type: 'IP', number_of_elements: 900, data: [...data, entry('else')] })
  }
  if (pathname === '/api/reference_data/maps/Owners')
    return json(200, { name: 'Owners', number_of_elements: 2, data: { '192.0.2.1': entry('ann'), Web: entry('bob') } })
  if (pathname === '/api/siem/offenses')
    return json(
      200,
      values.flatMap((value) => known.get(value) ?? []),
    )
  json(404, { message: 'does not exist' })
}

const connectionTo = (http: HttpReceiver) => ({ url: http.url, token: 'a-secret-token', api_version: '19.0' })
const times = { first_seen: new Date(FIRST).toISOString(), last_seen: new Date(LAST).toISOString() }
const found = (...values: string[]): object => ({ count: values.length, values, sources: ['analyst'], ...times })

async function open(): Promise<HttpReceiver> {
  const http = await HttpReceiver.open()
  http.answer = working
  return http
}

for (const [name, parameters, answers] of [
  [
    'reference sets',
    { data: 'reference_set', reference: 'Bad hosts' },
    [
      ['192.0.2.1', found('192.0.2.1')],
      [['192.0.2.1', '192.0.2.2', 'x'], found('192.0.2.1', '192.0.2.2')],
      ['198.51.100.7', null],
    ],
  ],
  [
    'reference maps',
    { data: 'reference_map', reference: 'Owners' },
    [
      ['192.0.2.1', found('ann')],
      ['web', found('bob')],
      ['198.51.100.7', null],
    ],
  ],
  [
    'offenses',
    { data: 'offenses', filter: 'status = "OPEN"' },
    [
      [
        '192.0.2.1',
        {
          count: 2,
          open: 1,
          ids: [7, 4],
          statuses: ['CLOSED', 'OPEN'],
          descriptions: ['Login', 'Scan'],
          categories: ['Auth', 'Recon'],
          magnitude: 8,
          severity: 6,
          latest: times.last_seen,
        },
      ],
      ['198.51.100.7', null],
    ],
  ],
] as const) {
  enrichmentContract({
    name: `qradar: ${name}`,
    kind: qRadar,
    hostParameter: 'url',
    secrets: ['a-secret-token'],
    parameters: { event_field: 'host', ...parameters },
    known: answers.map(([host, fields]) => [{ host }, fields as Record<string, unknown> | null] as const),
    mute: { host: '', other: '192.0.2.1' },
    async open() {
      const http = await open()
      return {
        connection: connectionTo(http),
        behave: (how) => void (http.answer = how === 'well' ? working : behaving[how]),
        get requests() {
          return http.received.length
        },
        close: () => http.close(),
      }
    },
  })
}

describe('QRadar', () => {
  const opened = (http: HttpReceiver, parameters: OpenedParameters) =>
    qRadar.openEnrichment!(connectionTo(http), { event_field: 'host', ...parameters }, toolsFor())

  it('gets values as quoted texts, with its own filter beside them', async () => {
    const http = await open()
    const enrichment = opened(http, { data: 'offenses', filter: 'status = "OPEN"', size: 3 })
    const subject = (host: string): string => enrichment.subjectOf({ host }) as string
    await enrichment.find([subject("it's or 1 = 1")], never)
    const [request] = http.received
    const query = new URL(request?.path ?? '', http.url).searchParams
    assert.equal(query.get('filter'), '(offense_source = "it\'s or 1 = 1") and (status = "OPEN")')
    assert.deepEqual(
      [request?.headers.range, request?.headers.version, query.get('sort')],
      ['items=0-2', '19.0', '-start_time'],
    )
    const [refused] = await enrichment.find([subject('x" or status = "CLOSED')], never)
    assert.ok(refused instanceof QueryRefused)
    assert.equal(http.received.length, 1)
    await Promise.all([enrichment.close(), http.close()])
  })

  it('needs the name of a reference set or map', async () => {
    const http = await open()
    assert.throws(() => opened(http, {}), /reference has to name/)
    assert.throws(() => opened(http, { data: 'reference_map' }), /reference has to name/)
    const missing = opened(http, { reference: 'No such set' })
    await assert.rejects(missing.find([missing.subjectOf({ host: 'x' }) as string], never), /404/)
    await Promise.all([missing.close(), http.close()])
  })
})
