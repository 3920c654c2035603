import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSample } from '../../../../engine/services/sample/run-sample.js'

function sampled(event: (n: number) => object, events = 1_000) {
  const text = Array.from({ length: events }, (_, n) => JSON.stringify(event(n))).join('\n')
  const { decisionPoints, fields } = runSample(Buffer.from(text), null)
  return {
    points: decisionPoints,
    reasonOf: (name: string) => fields.find(({ field }) => field === name)?.reason ?? '',
  }
}

/** The same numbers in each run, which follow no pattern. */
const noise = (n: number): number => (Math.imul(n + 1, 2_654_435_761) >>> 8) / 2 ** 24

test('a coarser field that follows from another one is taken, another name for it is not', () => {
  const { points, reasonOf } = sampled((n) => {
    const rule = Math.floor(noise(n) * 24)
    return { rule: { id: `R-${rule}`, name: `Rule ${rule}`, source: `source ${rule % 4}` }, agent: `a${n % 5}` }
  })
  assert.deepEqual([...points].sort(), ['agent', 'rule.id', 'rule.source'])
  assert.match(reasonOf('rule.name'), /Another name for a suggested field/)
  assert.match(reasonOf('rule.source'), /adds no buckets, and says/)
})

test('a field that makes many small buckets is taken while nearly all events are in known ones', () => {
  const { points } = sampled((n) => {
    // Nine of ten events are of one kind; the others are of many.
    const isRare = noise(n) > 0.9
    return {
      rule: isRare ? `rare ${Math.floor(noise(n + 7_000) * 40)}` : 'routine',
      host: { role: `r${n % 12}` },
      zone: n % 3,
    }
  })
  assert.deepEqual([...points].sort(), ['host.role', 'rule', 'zone'])
  const { points: none, reasonOf } = sampled((n) => ({ rule: `r${n % 30}`, path: `p${Math.floor(noise(n) * 200)}` }))
  assert.deepEqual(none, ['rule'])
  assert.match(reasonOf('path'), /too many buckets of one event/)
})

test('with answers the fields that tell most about them come first', () => {
  const event = (n: number) => {
    const cause = Math.floor(noise(n) * 3)
    return {
      rule: `r${Math.floor(noise(n + 5_000) * 5)}`,
      misc: `m${cause}`,
      verdict: ['benign', 'malicious', 'unclear'][cause],
    }
  }
  assert.equal(sampled(event).points[0], 'misc')
  assert.equal(sampled((n) => ({ ...event(n), verdict: undefined })).points[0], 'rule')
})

test('an hour or a weekday says when an event was, and is not suggested', () => {
  const { points, reasonOf } = sampled((n) => ({
    rule: `r${n % 6}`,
    alert: { hour: `h${Math.floor(noise(n) * 24)}`, weekday: `d${n % 7}`, day_of_week: n % 7 },
    business_hours: n % 2 === 0,
  }))
  assert.deepEqual([...points].sort(), ['business_hours', 'rule'])
  for (const name of ['alert.hour', 'alert.weekday', 'alert.day_of_week'])
    assert.match(reasonOf(name), /say when an event/)
})
