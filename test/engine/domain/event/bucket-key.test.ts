import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BUCKET_ID_BYTES, bucketIdOf, bucketText } from '../../../../engine/domain/event/bucket-key.js'
import type { PointValue, ScalarValue } from '../../../../engine/domain/event/point-value.js'
import { SeededRandom } from '../../../../engine/rng.js'

const scalars: readonly ScalarValue[] = [
  '',
  'a',
  'b',
  'ab',
  '1',
  1,
  0,
  10,
  -1,
  0.5,
  true,
  false,
  'true',
  't',
  'n',
  's1:a',
  'd1;',
  'a1:',
  '1:',
  ':',
  ';',
  'd',
  '\u0000',
]

function randomValue(random: SeededRandom): PointValue {
  switch (random.below(5)) {
    case 0:
      return null
    case 1:
      return Array.from({ length: 2 + random.below(3) }, () => random.pick(scalars))
    default:
      return random.pick(scalars)
  }
}

describe('bucket keys', () => {
  it('different values have different texts, equal ones the same', () => {
    const random = new SeededRandom(3)
    const byText = new Map<string, string>()
    for (let i = 0; i < 30_000; i++) {
      const values = [randomValue(random), randomValue(random), randomValue(random)]
      const text = bucketText(values)
      const json = JSON.stringify(values)
      assert.equal(byText.get(text) ?? json, json)
      byText.set(text, json)
    }
    assert.equal(new Set(byText.values()).size, byText.size)
  })

  it('types, nesting and places are told apart', () => {
    const different: PointValue[][] = [
      [1],
      ['1'],
      [true],
      ['true'],
      [null],
      ['null'],
      [''],
      ['n'],
      [['1', '2']],
      [['12', '']],
      [['1'], '2'] as PointValue[],
      ['1', '2'],
      ['12', ''],
      ['', '12'],
      [null, 'a'],
      ['a', null],
      [[1, 2]],
      [['1', 2]],
      [[1, '2']],
      [1.5],
      [-1.5],
    ]
    assert.equal(new Set(different.map(bucketText)).size, different.length)
  })

  it('an id has 128 bits and depends on the points as well as on the values', () => {
    const text = bucketText(['a', 1])
    const id = bucketIdOf(7, text)
    assert.equal(id.length, BUCKET_ID_BYTES)
    assert.deepEqual(bucketIdOf(7, text), id)
    assert.notDeepEqual(bucketIdOf(8, text), id)
    assert.notDeepEqual(bucketIdOf(7, bucketText(['a', '1'])), id)
  })

  it('an id stays what it was: it is stored', () => {
    assert.equal(
      bucketIdOf(1, bucketText(['a', 1, true, null, ['x', 'y']])).toString('hex'),
      '97b6632c387b080f9c0969b951655f27',
    )
  })
})
