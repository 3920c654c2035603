import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AlertStream, alertLabels, alertPoints, type Alert } from '../../../bench/streams/alerts.js'
import { valueAt } from '../../../bench/demo/stream.js'

function take(seed: number, count: number): Alert[] {
  const stream = new AlertStream(seed, count)
  return Array.from({ length: count }, () => stream.next())
}

function bucketOf(alert: Alert): string {
  return JSON.stringify(alertPoints.map((point) => valueAt(alert.body, point) ?? null))
}

const sample = take(1, 20_000)

test('the same seed and length give the same alerts, byte for byte', () => {
  assert.equal(JSON.stringify(take(9, 500)), JSON.stringify(take(9, 500)))
  assert.notEqual(JSON.stringify(take(9, 500)), JSON.stringify(take(10, 500)))
})

test('no two bodies are equal', () => {
  const bodies = new Set(sample.map(({ body }) => JSON.stringify(body)))
  assert.equal(bodies.size, sample.length)
})

test('a body has 500 to 950 bytes of JSON', () => {
  for (const { body } of sample) {
    const bytes = Buffer.byteLength(JSON.stringify(body))
    assert.ok(bytes >= 500 && bytes <= 950, `${bytes}`)
  }
})

test('every label occurs: most alerts are dropped, some are escalated', () => {
  const share = (label: string): number => sample.filter((alert) => alert.label === label).length / sample.length
  assert.deepEqual([...new Set(sample.map(({ label }) => label))].sort(), [...alertLabels].sort())
  assert.ok(share('Drop') > 0.5 && share('Drop') < 0.9, `${share('Drop')}`)
  assert.ok(share('Investigate') > 0.08, `${share('Investigate')}`)
  assert.ok(share('Escalate') > 0.02, `${share('Escalate')}`)
})

test('there are twelve decision points, and each of them has values', () => {
  assert.equal(alertPoints.length, 12)
  for (const point of alertPoints) {
    const values = new Set(sample.map(({ body }) => JSON.stringify(valueAt(body, point))))
    assert.ok(values.size > 1, point)
  }
})

test('buckets number in the thousands, a few of them large and most of them small', () => {
  const counts = new Map<string, number>()
  for (const alert of sample) counts.set(bucketOf(alert), (counts.get(bucketOf(alert)) ?? 0) + 1)
  const sizes = [...counts.values()].sort((a, b) => b - a)
  const topHundred = sizes.slice(0, 100).reduce((sum, size) => sum + size, 0)
  assert.ok(sizes.length > 1_500 && sizes.length < 8_000, `${sizes.length}`)
  assert.ok(topHundred > sample.length * 0.35, `${topHundred}`)
  assert.ok(sizes.filter((size) => size === 1).length > sizes.length * 0.4)
})

test('equal decision points mostly have equal labels, but not always', () => {
  const labels = new Map<string, Map<string, number>>()
  for (const alert of sample) {
    const own = labels.get(bucketOf(alert)) ?? new Map<string, number>()
    labels.set(bucketOf(alert), own.set(alert.label, (own.get(alert.label) ?? 0) + 1))
  }
  let commonest = 0
  for (const own of labels.values()) commonest += Math.max(...own.values())
  assert.ok(commonest / sample.length > 0.93 && commonest < sample.length, `${commonest / sample.length}`)
})

test('half-way the world drifts: new rules and processes appear', () => {
  const ruleIds = (alerts: readonly Alert[]): Set<unknown> => {
    return new Set(alerts.map(({ body }) => valueAt(body, 'rule.id')))
  }
  const before = ruleIds(sample.slice(0, 10_000))
  const fresh = [...ruleIds(sample.slice(10_000))].filter((id) => !before.has(id))
  assert.ok(fresh.length >= 3, fresh.join(' '))
})

test('intrusions raise several alerts each, from one outside address', () => {
  const campaigns = new Map<number, Alert[]>()
  for (const alert of sample) {
    if (alert.campaign > 0) campaigns.set(alert.campaign, [...(campaigns.get(alert.campaign) ?? []), alert])
  }
  assert.ok(campaigns.size > 20)
  for (const alerts of campaigns.values()) {
    const sources = new Set(alerts.map(({ body }) => valueAt(body, 'source.ip')).filter((ip) => ip !== undefined))
    assert.ok(sources.size <= 1)
  }
})
