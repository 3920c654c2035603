/** The numbers for Prometheus: what they count, who may read them, and that the dashboard draws only what exists. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { eventually, makeJob } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService

before(async () => {
  service = await startService()
})
after(() => service.close())

/** Samples by name and labels. */
function samplesOf(text: string): Map<string, number> {
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const at = line.lastIndexOf(' ')
        return [line.slice(0, at), Number(line.slice(at + 1))] as const
      }),
  )
}

async function scrape(): Promise<Map<string, number>> {
  const answer = await service.client.get('/metrics')
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  return samplesOf(answer.text)
}

function sum(samples: ReadonlyMap<string, number>, ...parts: string[]): number {
  return [...samples]
    .filter(([name]) => parts.every((part) => name.includes(part)))
    .reduce((total, [, value]) => total + value, 0)
}

test('they need a key with the scope', async () => {
  assert.equal((await service.client.get('/metrics', { key: null })).status, 401)
  const { key } = await makeJob(service.client)
  assert.equal((await service.client.withKey(key).get('/metrics')).status, 403)
})

test('requests, turns, events, decisions and trainings are counted', async () => {
  const { jobId } = await makeJob(service.client)
  const lines = Array.from({ length: 60 }, (_, i) => ({
    job_id: jobId,
    event_id: `e${i}`,
    raw_body: { rule: `r${i % 2}`, source: { ip: '10.0.0.1' } },
  }))
  await service.client.bulk(lines.map((line) => JSON.stringify(line)).join('\n'))
  for (const [i, label] of ['Drop', 'Escalate'].entries()) {
    await service.client.put(`/api/v1/events/${jobId}/e${i}/feedback`, { cortex_user: 'ann', feedback: label })
  }
  assert.equal((await service.client.post(`/api/v1/jobs/${jobId}/train`)).status, 200)
  await eventually(scrape, (samples) => sum(samples, 'decision_trainings_total{outcome="finished"}') === 1)
  await service.client.post('/api/v1/events/new', {
    job_id: jobId,
    raw_body: { rule: 'r0', source: { ip: '10.0.0.1' } },
  })
  await service.client.get('/nowhere')
  const samples = await scrape()
  assert.equal(samples.get('decision_events_stored_total'), 61)
  assert.equal(sum(samples, 'decision_decisions_total{label="Drop"'), 1)
  assert.equal(sum(samples, 'decision_http_requests_total{', 'route="/api/v1/events/{event_id}"', 'status="201"'), 1)
  assert.equal(sum(samples, 'decision_http_requests_total{', 'route=""', 'status="404"'), 1)
  assert.ok(sum(samples, 'decision_messages_total') >= 63)
  const turns = sum(samples, 'decision_turn_duration_seconds_count')
  assert.ok(turns > 0 && turns >= sum(samples, 'decision_flush_duration_seconds_count'))
  assert.equal(sum(samples, 'decision_turn_messages_bucket', 'le="+Inf"'), turns)
  assert.ok(sum(samples, 'decision_store_bytes') > 0)
  assert.equal(
    samples.get('decision_integrations{kind="External REST API"}') ?? sum(samples, 'decision_integrations{') > 0,
    true,
  )
  assert.equal(samples.get('decision_models_open'), 1)
  assert.ok(samples.get('decision_models_bytes')! > 0)
  assert.ok(samples.get('decision_models_opened_total')! >= 1)
  assert.equal(samples.get('decision_ready'), 1)
})

test('the dashboard asks for nothing that does not exist', async () => {
  const samples = await scrape()
  const names = new Set([...samples.keys()].map((name) => name.replace(/\{.*$/, '')))
  const dashboard = JSON.parse(readFileSync('server/deploy/grafana-dashboard.json', 'utf8')) as {
    panels: { title: string; targets?: { expr: string }[] }[]
  }
  const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  assert.ok(expressions.length >= 15)
  for (const expression of expressions) {
    for (const [name] of expression.matchAll(/\b(?:decision|process|nodejs)_\w+/g))
      assert.ok(names.has(name), `${name} in ${expression}`)
  }
})
