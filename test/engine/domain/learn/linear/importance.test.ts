import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Example, PointValues } from '../../../../../engine/domain/learn/classifier.js'
import { weighByStream } from '../../../../../engine/domain/learn/linear/importance.js'
import { SeededRandom } from '../../../../../engine/rng.js'
import { codeSet, wholeStage } from '../../../../support/learning-table.js'

const points = ['kind', 'host', 'note']

/** An event of one of four kinds, by these shares, on one of many hosts, with a note that no other has. */
function eventOf(random: SeededRandom, shares: readonly number[]): PointValues {
  let kind = 0
  for (let left = random.nextFloat(); kind < shares.length - 1 && left >= (shares[kind] as number); kind++)
    left -= shares[kind] as number
  return [`kind ${kind}`, `host ${random.below(40)}`, `n${random.below(1e9)}`]
}

/** The mean weight of the rows of each kind, and the effective number of examples. */
function weigh(
  examples: readonly Example[],
  background: readonly PointValues[],
): { byKind: number[]; effective: number } {
  const { table, featureCount } = codeSet({ points, labelCount: 2, examples, background, seed: 1 })
  const { matrix, coder } = table
  const ratios = weighByStream({ matrix, background, coder, featureCount }, wholeStage)
  const sums = [0, 0, 0, 0]
  const rows = [0, 0, 0, 0]
  let sum = 0
  let squares = 0
  examples.forEach(({ values }, i) => {
    const row = matrix.rowOf[i] as number
    const kind = Number(String(values[0]).slice(5))
    sums[kind] = (sums[kind] as number) + (ratios[row] as number)
    rows[kind] = (rows[kind] as number) + 1
    const weight = (ratios[row] as number) * (matrix.weights[row] as number)
    sum += weight
    squares += weight * weight
  })
  return { byKind: sums.map((total, kind) => total / (rows[kind] as number)), effective: (sum * sum) / squares }
}

test('labels that were picked as the stream comes keep their weights, however much each event has of its own', () => {
  const random = new SeededRandom(7)
  const shares = [0.6, 0.25, 0.1, 0.05]
  const stream = Array.from({ length: 600 }, () => eventOf(random, shares))
  const examples = stream
    .filter((_, i) => i % 3 === 0)
    .map((values, i): Example => ({ values, label: i % 2, weight: 1 }))
  const { effective } = weigh(examples, stream)
  assert.ok(effective > 0.9 * examples.length, `of ${examples.length} examples as many as ${effective}`)
})

test('labels of what is rare in the stream weigh less, of what is common more', () => {
  const random = new SeededRandom(8)
  const stream = Array.from({ length: 600 }, () => eventOf(random, [0.7, 0.2, 0.05, 0.05]))
  const examples = Array.from(
    { length: 200 },
    (_, i): Example => ({ values: eventOf(random, [0.25, 0.25, 0.25, 0.25]), label: i % 2, weight: 1 }),
  )
  const { byKind } = weigh(examples, stream)
  assert.ok((byKind[0] as number) > 1.5 * (byKind[1] as number), String(byKind))
  assert.ok((byKind[1] as number) > 1.5 * (byKind[2] as number), String(byKind))
})

test('an example that already stands for a large bucket is not weighed by that bucket once more', () => {
  const random = new SeededRandom(9)
  const large: PointValues = ['kind 0', 'host 0', 'the same']
  const others = Array.from({ length: 400 }, () => eventOf(random, [0, 0.5, 0.3, 0.2]))
  const stream = [...others, ...new Array<PointValues>(200).fill(large)]
  const examples = others
    .filter((_, i) => i % 4 === 0)
    .map((values, i): Example => ({ values, label: i % 2, weight: 1 }))
  const { byKind } = weigh([...examples, { values: large, label: 0, weight: 50 }], stream)
  assert.ok((byKind[0] as number) > 0.7 && (byKind[0] as number) < 1.4, String(byKind))
})
