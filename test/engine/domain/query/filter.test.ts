import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { SeededRandom } from '../../../../engine/rng.js'
import { matches } from '../../../../engine/domain/query/condition.js'
import { FieldSet } from '../../../../engine/domain/query/field.js'
import { compileFilters, filterOperators, parseFilters, type Filter } from '../../../../engine/domain/query/filter.js'
import { assertRefused } from '../../../support/engine/refusal.js'
import {
  dates,
  paths,
  queryWorld,
  randomValue,
  rounds,
  texts,
  type QueryWorld,
} from '../../../support/query/query-events.js'
import { passes, valuesOf } from '../../../support/query/query-oracle.js'

const context = { nowMicros: 1_769_850_300_123_000, offsetMinutes: 0 }
const timeFields = ['@timestamp', 'timestamp_inference', 'ingest_timestamp']

function operand(random: SeededRandom, world: QueryWorld, field: string): string | number | boolean {
  if (timeFields.includes(field))
    return random.pick([...dates, '2023-11-14', '2023-11-14T22:13:20.100Z', 1_700_000_000_150])
  const own = valuesOf(random.pick(world.documents), field)
  const value = own.length > 0 && random.below(2) === 0 ? random.pick(own) : randomValue(random)
  return value === null ? random.pick(texts) : (value as string | number | boolean)
}

function randomFilter(random: SeededRandom, world: QueryWorld): Filter {
  const field = random.pick(paths)
  const operator = random.pick(filterOperators)
  if (operator === 'exists' || operator === 'not exists') return { field, operator }
  if (operator.endsWith('one of'))
    return { field, operator, value: Array.from({ length: 1 + random.below(4) }, () => operand(random, world, field)) }
  let value = operand(random, world, field)
  if (/^[lg]te?$/.test(operator) && typeof value === 'boolean') value = 5
  if (/with|contains/.test(operator)) {
    const text = timeFields.includes(field) ? random.pick(['2026-01', '2023-11-14T22:13', '5']) : String(value)
    const from = operator.endsWith('contains') ? random.below(text.length + 1) : 0
    value = text.slice(from, from + random.below(6))
  }
  return { field, operator, value }
}

describe('filters', () => {
  let world: QueryWorld
  before(async () => {
    world = await queryWorld(7, 160)
  })

  it('say of every event what a naive reading of its document says', () => {
    const random = new SeededRandom(11)
    let yes = 0
    for (let round = 0; round < rounds; round++) {
      const filters = Array.from({ length: 1 + (round % 5 === 0 ? random.below(3) : 0) }, () =>
        randomFilter(random, world),
      )
      const fields = new FieldSet(['tester', 'service'])
      const condition = compileFilters(parseFilters(filters), fields, context)
      world.walk(fields, (event, document) => {
        const expected = filters.every((filter) => passes(document, filter as { field: string; operator: string }))
        if (expected) yes++
        if (matches(condition, event) !== expected)
          assert.fail(`it should be ${expected}: ${JSON.stringify(filters)} on ${JSON.stringify(document)}`)
      })
    }
    assert.ok(yes > 20 * rounds)
  })

  it('know the service under its configured name and under the neutral one', () => {
    for (const name of ['tester', 'service']) {
      const fields = new FieldSet(['tester', 'service'])
      const condition = compileFilters(
        parseFilters([{ field: `${name}.bucket_state`, operator: 'is not', value: 'new' }]),
        fields,
        context,
      )
      let found = 0
      world.walk(fields, (event) => void (found += matches(condition, event) ? 1 : 0))
      assert.equal(found, world.documents.filter(({ section }) => section.bucket_state !== 'new').length)
    }
  })

  it('know a decision by what the place of its label is called, too', () => {
    const found = (filter: Filter): string[] => {
      const fields = new FieldSet(['service'])
      const condition = compileFilters([filter], fields, context)
      const ids: string[] = []
      world.walk(fields, (event, { id }) => void (matches(condition, event) && ids.push(id)))
      return ids
    }
    for (const name of ['result', 'previous_result']) {
      const field = `service.${name}`
      const id = world.documents
        .map(({ section }) => section[name] as string | null)
        .find((result) => result !== null && result !== '')!
      const own = found({ field, operator: 'is', value: id })
      const place = id.replace('label', 'class')
      assert.ok(own.length > 0 && place !== id)
      assert.deepEqual(found({ field, operator: 'is', value: place }), own)
      assert.deepEqual(found({ field, operator: 'is one of', value: [place, 'class_7'] }), own)
      assert.equal(found({ field, operator: 'is not', value: place }).length, world.documents.length - own.length)
    }
    assert.equal(
      found({ field: 'service.result', operator: 'is', value: '' }).length,
      world.documents.filter(({ section }) => section.result === '').length,
    )
  })

  it('take operators in any case, a single value for a list, and ignore the value of exists', () => {
    assert.deepEqual(
      parseFilters([
        { field: 'a', operator: 'IS  One of', value: 'x' },
        { field: 'a', operator: 'exists', value: 3 },
      ]),
      [
        { field: 'a', operator: 'is one of', value: ['x'] },
        { field: 'a', operator: 'exists' },
      ],
    )
    assert.deepEqual(parseFilters(null), [])
  })

  it('are refused with every place that is wrong', () => {
    const refusal = assertRefused('invalid_body', () =>
      parseFilters([
        { operator: 'is', value: 1 },
        { field: 'a', operator: 'like', value: 1 },
        { field: 'a', operator: 'is' },
        { field: 'a', operator: 'is one of', value: [{}] },
        { field: 'a', operator: 'gt', value: true },
        7,
      ]),
    )
    assert.deepEqual(
      refusal.context.issues?.map(({ loc }) => loc.join('.')),
      [
        'body.filters.0.field',
        'body.filters.1.operator',
        'body.filters.2.value',
        'body.filters.3.value',
        'body.filters.4.value',
        'body.filters.5',
      ],
    )
    assertRefused('invalid_body', () => parseFilters({}))
    assertRefused('invalid_body', () =>
      parseFilters(Array.from({ length: 300 }, () => ({ field: 'a', operator: 'exists' }))),
    )
  })

  it('are refused where a time is compared with what is no date', () => {
    const filters = parseFilters([{ field: '@timestamp', operator: 'gt', value: 'yesterday' }])
    const refusal = assertRefused('invalid_body', () => compileFilters(filters, new FieldSet(['service']), context))
    assert.deepEqual(refusal.context.issues?.[0]?.loc, ['body', 'filters', 0, 'value'])
  })
})
