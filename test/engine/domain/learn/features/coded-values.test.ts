/** A coder that keeps what it finds for values codes each event as one that reads it anew. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PointValue, PointValues, TrainingSet } from '../../../../../engine/domain/learn/classifier.js'
import { coderTables, codeExamples } from '../../../../../engine/domain/learn/pooled/coded-examples.js'
import { makeCoder } from '../../../../../engine/domain/learn/features/coder-tables.js'
import type { EventCoder } from '../../../../../engine/domain/learn/features/event-coder.js'
import { ProgressReport } from '../../../../../engine/domain/learn/progress.js'
import { SeededRandom } from '../../../../../engine/rng.js'

const points = ['text', 'level', 'size', 'roles', 'written', 'time', 'seldom', 'flag']

/** Values of a stream; the further it is on, the more of them are new. */
function eventOf(random: SeededRandom, newOnes: number): PointValues {
  const below = (count: number): number => random.nextUint32() % count
  const isNew = (): boolean => below(100) < newOnes
  const mixed: PointValue[] = [null, -0, 0, true, '10.0.7.3', 'x'.repeat(70), ['one'], 7, '7', '']
  const usual: PointValue[] = [
    `service ${below(9)} restarted`,
    below(5),
    below(1_000_000) / 7,
    [`r${below(4)}`, `s${below(3)}`].sort(),
    `${below(6) * 10}`,
    `2026-03-0${1 + below(9)}T0${below(10)}:00:00Z`,
    below(5) === 0 ? `rare ${below(3)}` : null,
    below(2) === 0,
  ]
  return usual.map((value) => {
    if (below(12) === 0) return mixed[below(mixed.length)] as PointValue
    return isNew() ? `new ${below(100_000)}` : value
  })
}

function trainingSet(): TrainingSet {
  const random = new SeededRandom(1)
  const examples = Array.from({ length: 400 }, (_, i) => ({ values: eventOf(random, 2), label: i % 3, weight: 1 }))
  const background = Array.from({ length: 600 }, () => eventOf(random, 2))
  return { points, labelCount: 3, examples, background, seed: 1 }
}

/** All that a coder says of its last event. */
function said(coder: EventCoder): unknown {
  const { count, features, values, codes, present, encoder } = coder
  const { hashes, weights, kinds, atoms, atomAt } = encoder
  const all = Array.from({ length: encoder.count }, (_, j) => [hashes[j], weights[j], kinds[j], coder.featureAt(j)])
  const known = Array.from({ length: count }, (_, j) => [features[j], values[j]])
  return { all, known, codes: [...codes], present: [...present], atoms: [...atoms], atomAt: [...atomAt] }
}

test('an event is coded with the same features, numbers and codes, whatever came before it', () => {
  const tables = coderTables(points, codeExamples(trainingSet(), new ProgressReport(() => true)))
  const [plain, keeping] = [makeCoder(tables), makeCoder(tables)]
  keeping.keepValues()
  const random = new SeededRandom(2)
  for (let i = 0; i < 5_000; i++) {
    const event = eventOf(random, i % 40)
    plain.code(event)
    keeping.code(event)
    assert.deepEqual(said(keeping), said(plain), JSON.stringify(event))
  }
})

test('a value that is longer than all events before it is read, and found again', () => {
  const tables = coderTables(points, codeExamples(trainingSet(), new ProgressReport(() => true)))
  const [plain, keeping] = [makeCoder(tables), makeCoder(tables)]
  keeping.keepValues()
  const items = Array.from({ length: 60 }, (_, i) => `r${i}`)
  for (const roles of [['r1'], items, ['r1']]) {
    const event = ['service 1 restarted', 1, 5, roles, '10', null, 'rare 1', true] as PointValues
    for (const coder of [plain, keeping]) coder.code(event)
    assert.deepEqual(said(keeping), said(plain))
  }
})

test('an event with more features than any before leaves nothing in the next', () => {
  const tables = coderTables(points, codeExamples(trainingSet(), new ProgressReport(() => true)))
  const random = new SeededRandom(3)
  const long = eventOf(random, 0).map((value, point) =>
    point === 3 ? Array.from({ length: 90 }, (_, i) => `s${i}`) : value,
  )
  for (const keeps of [false, true]) {
    const coder = makeCoder(tables)
    if (keeps) coder.keepValues()
    coder.code(eventOf(random, 0))
    coder.code(long)
    const fresh = makeCoder(tables)
    const event = eventOf(random, 0)
    coder.code(event)
    fresh.code(event)
    assert.deepEqual(said(coder), said(fresh))
  }
})
