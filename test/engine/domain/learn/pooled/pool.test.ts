import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HeldOut } from '../../../../../engine/domain/learn/pooled/held-out.js'
import { memberCount, memberNames } from '../../../../../engine/domain/learn/pooled/members.js'
import { fitPool, poolToAnswer } from '../../../../../engine/domain/learn/pooled/pool.js'

const withoutSay = memberNames.indexOf('random forest')

/**
 * So many held-out examples of two classes in turn; `say(member, right, h)` is the chance that a member gives the
 * truth.
 */
function heldOut(say: (member: number, h: number) => number, count = 200): HeldOut {
  const examples = Int32Array.from({ length: count }, (_, h) => h)
  const classes = examples.map((h) => h % 2)
  const chances = new Float64Array(count * memberCount * 2)
  for (let h = 0; h < count; h++) {
    for (let m = 0; m < memberCount; m++) {
      const at = (h * memberCount + m) * 2
      const truth = classes[h] as number
      chances[at + truth] = say(m, h)
      chances[at + 1 - truth] = 1 - say(m, h)
    }
  }
  return {
    classCount: 2,
    examples,
    classes,
    weights: new Float64Array(count).fill(1),
    folds: examples.map((h) => h % 3),
    foldCount: 3,
    chances,
    allLabels: true,
    penalty: { strength: 0.5, onNumbers: 1 },
    depth: 6,
    rounds: 100,
    nearestClasses: new Int32Array(count).fill(-1),
    nearestDistances: new Float64Array(count).fill(9),
  }
}

test('a member that trainings do not grow has no say, and is not softened', () => {
  for (const labels of [1, 10, 20, 300, 100_000]) {
    assert.equal(fitPool(null, labels, 0.001).weights[withoutSay], 0)
    const { weights, temperatures } = fitPool(
      heldOut((m) => (m === withoutSay ? 0.99 : 0.6)),
      labels,
      0.001,
    )
    assert.deepEqual([weights[withoutSay], temperatures[withoutSay]], [0, 1])
    assert.ok(weights.every((weight, m) => m === withoutSay || weight > 0))
    assert.ok(Math.abs(weights.reduce((a, b) => a + b, 0) - 1) < 1e-12)
  }
})

test('who is right weighs more than was expected, who is wrong less', () => {
  const before = fitPool(null, 300, 0.001).weights
  const { weights } = fitPool(
    heldOut((m) => (m === 1 ? 0.95 : 0.5)),
    300,
    0.001,
  )
  assert.ok((weights[1] as number) > 2 * (before[1] as number))
  assert.ok((weights[3] as number) < (before[3] as number))
  assert.ok(Math.abs(weights.reduce((a, b) => a + b, 0) - 1) < 1e-12)
})

test('ten held-out examples move the weights less than thirty that say the same', () => {
  const weightOf = (count: number): number =>
    fitPool(
      heldOut((m) => (m === 1 ? 0.9 : 0.6), count),
      20,
      0.001,
    ).weights[1] as number
  const before = fitPool(null, 20, 0.001).weights[1] as number
  assert.ok(
    weightOf(10) > before + 0.1 && weightOf(30) > weightOf(10) + 0.02,
    `${before}, ${weightOf(10)}, ${weightOf(30)}`,
  )
})

test('the more examples were held out, the less counts what usually holds', () => {
  // The second member is right where the others are, and where they are not.
  const say = (m: number, h: number): number => (m === 1 ? 0.8 : h % 8 === 0 ? 0.4 : 0.8)
  const shareOf = (count: number): number => fitPool(heldOut(say, count), 300, 0.001).weights[1] as number
  assert.ok(shareOf(900) > shareOf(200) + 0.02, `${shareOf(200)}, ${shareOf(900)}`)
})

test('all too sure of themselves are softened, and nobody is sharpened', () => {
  const sure = fitPool(
    heldOut((_, h) => (h % 4 === 1 ? 0.02 : 0.98)),
    300,
    0.001,
  )
  assert.ok(Math.max(...sure.temperatures) > 1.5)
  const doubting = fitPool(
    heldOut(() => 0.6),
    300,
    0.001,
  )
  for (const temperature of doubting.temperatures) assert.equal(temperature, 1)
})

test('one that rules out the truth now and then is not softened for what the others make up for, where many examples say so', () => {
  const say = (m: number, h: number): number => (m === 1 ? (h % 6 === 0 ? 0 : 0.99) : 0.9)
  const few = fitPool(heldOut(say), 300, 0.001).temperatures[1] as number
  const many = fitPool(heldOut(say, 800), 1_200, 0.001).temperatures[1] as number
  assert.ok(many < 1.5 && few > many, `${few}, ${many}`)
})

test('what was held out as the latest softens answers by a little of what it asks for, what was held out by chance by all of it', () => {
  const held = heldOut((_, h) => (h % 4 === 1 ? 0.02 : 0.98))
  const pool = fitPool(held, 300, 0.001)
  assert.equal(poolToAnswer(pool, held), pool)
  assert.equal(poolToAnswer(pool, null), pool)
  const later = poolToAnswer(pool, { ...held, foldCount: 1 })
  assert.deepEqual(later.weights, pool.weights)
  later.temperatures.forEach((temperature, m) => {
    const fitted = pool.temperatures[m] as number
    assert.ok(m === withoutSay || (temperature > 1 && temperature < fitted), `${temperature}, ${fitted}`)
  })
})
