/** VirusTotal against a small server with the part of its API v3 that is used. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SourceFailure } from '../../../../engine/integration/contract.js'
import { virusTotal } from '../../../../engine/integration/virustotal/virustotal.js'
import { enrichmentContract } from '../../../contracts/enrichment.js'
import { behaving } from '../../../support/behaviours.js'
import { never, toolsFor } from '../../../support/outgoing.js'
import { HttpReceiver, status, type Answering } from '../../../support/servers/receiver.js'

const urlId = Buffer.from('http://bad.example/x').toString('base64url')
const hash = 'a'.repeat(64)

function report(type: string, malicious: number, more: object = {}): object {
  const stats = { malicious, suspicious: 1, harmless: 50, undetected: 20, timeout: 0 }
  return { data: { type, id: 'x', attributes: { last_analysis_stats: stats, reputation: -7, tags: [], ...more } } }
}

const reports: Readonly<Record<string, object>> = {
  '/api/v3/ip_addresses/192.0.2.1': report('ip_address', 9, {
    country: 'NL',
    as_owner: 'Example',
    last_analysis_date: 1_700_000_000,
  }),
  '/api/v3/domains/bad.example': report('domain', 3, { categories: { one: 'malware', two: 'malware' } }),
  [`/api/v3/urls/${urlId}`]: report('url', 5),
  [`/api/v3/files/${hash}`]: report('file', 40, {
    meaningful_name: 'x.exe',
    tags: ['peexe'],
    popular_threat_classification: { suggested_threat_label: 'trojan.test' },
  }),
}

const working: Answering = ({ path, headers }, response) => {
  const found = reports[path]
  const code = headers['x-apikey'] !== 'a-secret-key' ? 401 : found === undefined ? 404 : 200
  const error = { error: { code: code === 401 ? 'WrongCredentialsError' : 'NotFoundError', message: 'no' } }
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(found ?? error))
}

const plain = { suspicious: 1, harmless: 50, undetected: 20, reputation: -7, tags: [], categories: [], count: 1 }
const connectionTo = (http: HttpReceiver) => ({ url: `${http.url}/api/v3`, api_key: 'a-secret-key' })

enrichmentContract({
  name: 'virustotal',
  kind: virusTotal,
  hostParameter: 'url',
  secrets: ['a-secret-key'],
  parameters: { event_field: 'subject' },
  known: [
    [
      { subject: '192.0.2.1' },
      {
        ...plain,
        value: '192.0.2.1',
        type: 'ip_address',
        malicious: 9,
        country: 'NL',
        as_owner: 'Example',
        last_analysis: '2023-11-14T22:13:20.000Z',
      },
    ],
    [
      { subject: 'HTTP://Bad.Example/x' },
      { ...plain, value: 'http://bad.example/x', type: 'url', malicious: 5, count: 2 },
    ],
    [
      { subject: ['not known.', hash.toUpperCase()] },
      {
        ...plain,
        value: hash,
        type: 'file',
        malicious: 40,
        tags: ['peexe'],
        file_name: 'x.exe',
        threat_label: 'trojan.test',
      },
    ],
    [{ subject: '198.51.100.7' }, null],
  ],
  mute: { subject: 'no observable', other: '192.0.2.1' },
  async open() {
    const http = await HttpReceiver.open()
    http.answer = working
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

describe('VirusTotal', () => {
  it('is asked with a key, and another 404 than its own is a failure', async () => {
    const http = await HttpReceiver.open()
    const open = (connection: object) =>
      virusTotal.openEnrichment!({ ...connectionTo(http), ...connection }, { event_field: 'ip' }, toolsFor())
    const enrichment = open({})
    const subject = enrichment.subjectOf({ ip: '192.0.2.1' }) as string
    http.answer = status(404, {}, '<h1>nothing here</h1>')
    await assert.rejects(enrichment.find([subject], never), SourceFailure)
    http.answer = working
    const stranger = open({ api_key: 'wrong' })
    await assert.rejects(stranger.find([subject], never), /401/)
    assert.equal(http.received[0]?.headers['x-apikey'], 'a-secret-key')
    await Promise.all([enrichment.close(), stranger.close(), http.close()])
  })
})
