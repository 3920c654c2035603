import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { JsonReader } from '../../../../engine/domain/query/json-reader.js'
import { compileClause } from '../../../../engine/domain/query/clause.js'
import { matches } from '../../../../engine/domain/query/condition.js'
import { TextBudget } from '../../../../engine/domain/query/text-budget.js'
import { FieldSet } from '../../../../engine/domain/query/field.js'
import { RecordFields } from '../../../../engine/services/query/record-fields.js'
import { BodyCodec } from '../../../../engine/store/body-codec.js'
import { jobRange, timeOfKey } from '../../../../engine/store/tables.js'
import { assertRefused } from '../../../support/engine/refusal.js'
import { jobSettings, TestShard } from '../../../support/engine/shard.js'

const job = jobSettings()
const bodies = [
  { host: 'web-1', status: 'failed', user: 'root', n: 5, note: 'too many logins', at: '2026-01-31T09:05:00Z' },
  { host: 'web-2', status: 'ok', user: 'ann', n: 50, tags: ['alpha', 'beta'] },
  { host: 'db-1', status: 'failed', user: 'ann', n: -1, note: 'many too', path: '/etc/passwd' },
]

describe('a query string', () => {
  const shard = new TestShard()
  before(async () => {
    for (const [at, body] of bodies.entries()) await shard.ingest(job, body, `e${at}`)
  })

  function found(query: string, more: object = {}): string {
    const fields = new FieldSet(['service'])
    const context = {
      fields,
      nowMicros: Date.UTC(2026, 1, 1) * 1000,
      offsetMinutes: 0,
      spent: { clauses: 0 },
      textBudget: new TextBudget(() => {}),
    }
    const condition = compileClause(new JsonReader({ query_string: { query, ...more } }, []), context)
    const event = new RecordFields(shard.environment, new BodyCodec(shard.environment), fields)
    event.ofJob(job)
    let names = ''
    for (const [at, { key, value }] of [...shard.environment.range('events', jobRange(job.id))].entries()) {
      event.event(timeOfKey(key), value)
      if (matches(condition, event)) names += at
    }
    return names
  }

  it('joins what is wanted, needed and excluded', () => {
    assert.equal(found('status:failed'), '02')
    assert.equal(found('status:failed AND user:ann'), '2')
    assert.equal(found('status:ok OR user:root'), '01')
    assert.equal(found('status:failed -user:ann'), '0')
    assert.equal(found('status:failed NOT user:ann'), '0')
    assert.equal(found('+user:ann status:failed'), '12')
    assert.equal(found('user:root (status:ok AND n:50)'), '01')
    assert.equal(found('status:failed user:ann', { default_operator: 'AND' }), '2')
    assert.equal(found('status:ok || user:root', { default_operator: 'and' }), '01')
    assert.equal(found('user:(root OR ann) && !host:db-1'), '01')
  })

  it('finds words, phrases, patterns, ranges and fields that are there', () => {
    assert.equal(found('"too many"'), '0')
    assert.equal(found('note:"many too"'), '2')
    assert.equal(found('many'), '02')
    assert.equal(found('web*'), '01')
    assert.equal(found('host:?b-1'), '2')
    assert.equal(found('n:[0 TO 10]'), '0')
    assert.equal(found('n:{-1 TO *]'), '01')
    assert.equal(found('n:>=50'), '1')
    assert.equal(found('at:[2026-01-31 TO now]'), '0')
    assert.equal(found('_exists_:tags'), '1')
    assert.equal(found('tags:*'), '1')
    assert.equal(found('*'), '012')
    assert.equal(found('path:\\/etc\\/passwd'), '2')
    assert.equal(found('beta^2'), '1')
    assert.equal(found('ann', { fields: ['host', 'user^3'] }), '12')
    assert.equal(found('service.bucket_state:new'), '012')
  })

  it('is refused where it cannot be read or asks for what is not there', () => {
    for (const query of [
      '(a',
      'a)',
      'a AND',
      'OR a',
      'a:',
      'a~',
      '"a b"~3',
      '/x/',
      'n:[1 2]',
      '"open',
      'n:[1 TO',
      '@timestamp:>soon',
    ]) {
      const refusal = assertRefused('invalid_body', () => found(query))
      assert.deepEqual(refusal.context.issues?.[0]?.loc, ['query_string', 'query'], query)
    }
    assertRefused('query_too_large', () => found(`${'('.repeat(40)}a${')'.repeat(40)}`))
    assertRefused('query_too_large', () => found('a '.repeat(2_000)))
  })

  it('is read in time that grows with its length, whatever it is', () => {
    for (const query of [`a~${'1'.repeat(250_000)}x`, `a${'^'.repeat(200_000)}x`])
      assert.equal(found(`status:ok AND NOT ${query}`), '1')
    for (const query of ['roam~', 'roam~2', 'roam~0.8'])
      assert.equal(assertRefused('invalid_body', () => found(query)).context.issues?.[0]?.type, 'unsupported')
  })

  it('with groups or marks inside each other without end is refused', () => {
    for (const query of [
      `${'NOT '.repeat(60_000)}a`,
      `${'-'.repeat(200_000)}a`,
      `${'('.repeat(60_000)}a`,
      `${'+!'.repeat(100)}a`,
    ]) {
      assertRefused('query_too_large', () => found(query))
    }
    assert.equal(found('NOT NOT -!status:ok'), '1')
    assert.equal(found('NOT NOT NOT status:ok'), '02')
  })
})
