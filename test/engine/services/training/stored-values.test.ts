import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBasis } from '../../../../engine/domain/decide/decision-basis.js'
import { DecisionPoints } from '../../../../engine/domain/event/decision-points.js'
import { Sfc32 } from '../../../../engine/domain/learn/sfc32.js'
import { BodyCodec } from '../../../../engine/store/body-codec.js'
import { WriteBatch } from '../../../../engine/store/environment.js'
import { encodeRecord, type RecordHeader } from '../../../../engine/store/event-record.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'
import { StoredValues } from '../../../../engine/services/training/stored-values.js'

const points = ['host', 'rule.name', 'rule.tags', 'user', 'user.roles.name', 'a.b', 'last']

const header: RecordHeader = {
  pending: false,
  outlier: false,
  lacksPoints: false,
  hasFeedback: false,
  hasClientId: false,
  label: -1,
  source: 'none',
  confidence: 0,
  modelVersion: 0,
  outlierScore: 0,
  bucketId: null,
  enrichments: 'none',
  autonomy: 'none',
  basis: noBasis,
}

/** A body whose fields are there or not, in any order, of any type, nested or flattened. */
function bodyOf(random: Sfc32): Record<string, unknown> {
  const one = (...choices: readonly unknown[]): unknown => choices[random.below(choices.length)]
  const scalar = (): unknown => one('x', 'y', '', 7, -3, 0.5, 2 ** 40, true, false, null)
  const roles = (): unknown => Array.from({ length: random.below(4) }, () => ({ name: scalar() }))
  const fields: [string, unknown][] = [
    ['host', one(scalar(), [scalar(), scalar()], {}, { a: 1 })],
    ['rule', one({ name: scalar(), tags: [scalar(), [scalar()]] }, { tags: scalar() }, scalar(), [{ name: 'x' }, 3])],
    ['user', one({ roles: roles(), id: scalar() }, { roles: { name: scalar() } }, scalar(), {})],
    ['a', one({ b: scalar() }, { c: { b: 1 } }, scalar())],
    ['noise', one(scalar(), [1, [2], { z: 'text' }], { deep: { deeper: [scalar()] } })],
    ['last', scalar()],
  ]
  if (random.below(5) === 0) fields.push(['a.b', scalar()])
  const shown = fields.filter(() => random.below(5) > 0)
  return Object.fromEntries(random.below(2) === 0 ? shown : shown.reverse())
}

test('values by the bytes at the points are those of the decoded body, and equal ones are shared', () => {
  const environment = new MemoryEnvironment(['shapes', 'words'])
  const codec = new BodyCodec(environment)
  const reader = new DecisionPoints(points)
  const random = new Sfc32(5, 0)
  const values = new StoredValues(environment, points)
  const met = new Map<string, unknown>()
  let shared = 0
  for (let i = 0; i < 3_000; i++) {
    const body = bodyOf(random)
    const bytes = codec.encode(body)
    const record = encodeRecord(header, { body: bytes, extras: null, clientId: i % 3 === 0 ? `e${i}` : null })
    const batch = new WriteBatch()
    codec.writeNewRows(batch)
    environment.commit(batch)
    codec.committed()
    const found = values.of(record)
    const text = JSON.stringify(reader.valuesOf(codec.decode(bytes)))
    assert.equal(JSON.stringify(found), text, JSON.stringify(body))
    if (met.get(text) === found) shared++
    met.set(text, found)
  }
  assert.equal(shared, 3_000 - met.size)
})
