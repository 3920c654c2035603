import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { causeSettingsOf } from '../../../../engine/domain/cause/settings.js'
import { millisOf } from '../../../../engine/domain/cause/alert-time.js'
import { AlertNormalizer } from '../../../../engine/domain/cause/normalized-alert.js'
import { processor } from '../../../support/cause.js'

function normalizer(
  parameters: Readonly<Record<string, unknown>> = {},
  points: readonly string[] = [],
): AlertNormalizer {
  return new AlertNormalizer(causeSettingsOf({ pipeline: [processor(parameters)] }), points)
}

describe('an alert is read', () => {
  it('at the known names where none are given', () => {
    const one = normalizer().normalize({
      '@timestamp': '2026-01-01T00:00:01Z',
      service: { name: 'web', callees: ['api', 'db', 'web'] },
      alertname: 'slow',
    })
    assert.deepEqual(
      [one.timeMs, one.entityName, one.kind, one.related.length],
      [Date.UTC(2026, 0, 1, 0, 0, 1), 'web', 'slow', 2],
    )
  })

  it('at the time of its start, as Prometheus and others name it', () => {
    for (const name of ['startsAt', 'starts_at', 'eventTime', 'event_time'])
      assert.equal(normalizer().normalize({ host: 'a', [name]: '2026-01-01T00:00:00Z' }).timeMs, Date.UTC(2026, 0, 1))
    const both = { host: 'a', startsAt: '2026-01-01T00:00:00Z', timestamp: '2026-01-02T00:00:00Z' }
    assert.equal(normalizer().normalize(both).timeMs, Date.UTC(2026, 0, 2))
  })

  it('at the fields that are given, of any type', () => {
    const read = normalizer({ id_field: 'ci', related_field: 'next', time_field: 'when', kind_fields: ['a', 'b'] })
    const one = read.normalize({ ci: 7, next: 8, when: 1_767_225_600, a: 'x', b: true })
    assert.deepEqual(
      [one.entityName, one.kind, one.timeMs, one.related.length],
      ['7', 'x | true', Date.UTC(2026, 0, 1), 1],
    )
    assert.equal(one.related[0], read.normalize({ ci: '8' }).entity)
  })

  it('by its decision points, where nothing else says its kind', () => {
    assert.equal(normalizer({}, ['what']).normalize({ host: 'a', what: 'bang' }).kind, 'bang')
    assert.equal(normalizer().normalize({ host: 'a' }).kind, '')
  })

  it('without an id where equal fields alone are given, and about nothing where neither is there', () => {
    const read = normalizer({ equal_fields: ['site'] })
    assert.equal(read.normalize({ site: 'x' }).entity, read.normalize({ site: 'x' }).entity)
    assert.notEqual(read.normalize({ site: 'x' }).entity, 0)
    assert.equal(read.normalize({}).entity, 0)
    assert.equal(normalizer().normalize({ foo: 1 }).entity, 0)
  })
})

describe('a time', () => {
  it('is ISO 8601, or a number by its size; anything else is none', () => {
    const wanted = Date.UTC(2026, 0, 1)
    for (const value of ['2026-01-01T00:00:00Z', wanted / 1000, wanted, wanted * 1000, wanted * 1e6, String(wanted)])
      assert.equal(millisOf(value), wanted)
    const zone = process.env.TZ
    process.env.TZ = 'America/New_York'
    for (const value of [
      '2026-01-01T00:00:00',
      ' 2026-01-01 00:00:00.000',
      '2026-01-01',
      '2026-01-01T02:00:00+02:00',
      '2025-12-31 23:00:00 -0100',
      'Thu, 01 Jan 2026 00:00:00 GMT',
      'Jan 1 2026 00:00',
      'Dec 31 2025 19:00 EST',
    ]) {
      assert.equal(millisOf(value), wanted, value)
    }
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
    for (const value of ['soon', '', -1, Infinity, true, null, '1e999']) assert.equal(millisOf(value), null)
  })
})
