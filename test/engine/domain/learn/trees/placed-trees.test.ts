import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Kernel, scratchBytes } from '../../../../../engine/domain/learn/kernel/kernel.js'
import { predictBoosting } from '../../../../../engine/domain/learn/trees/boosted-trees.js'
import { TreeBuilder, type FlatTrees } from '../../../../../engine/domain/learn/trees/flat-trees.js'
import { predictForest } from '../../../../../engine/domain/learn/trees/forest.js'
import { KernelTrees } from '../../../../../engine/domain/learn/trees/kernel-trees.js'
import { SeededRandom } from '../../../../../engine/rng.js'

const page = 65_536
const columns = 8
const random = new SeededRandom(23)

/** Trees of one split each, with `numbers` random numbers in a leaf. */
function stumps(count: number, numbers: number): FlatTrees {
  const builder = new TreeBuilder()
  const leaf = (): void => builder.leaf(Float64Array.from({ length: numbers }, () => random.nextFloat()))
  for (let tree = 0; tree < count; tree++) {
    builder.startTree()
    const split = builder.split(random.below(columns), random.below(256))
    leaf()
    builder.rightComes(split)
    leaf()
  }
  return builder.finish()
}

interface Model {
  readonly forest: FlatTrees
  readonly boosting: FlatTrees
  readonly codes: Uint8Array
  readonly answer: readonly Float64Array[]
}

/** What JavaScript answers. */
function answerOf({ forest, boosting, codes }: Omit<Model, 'answer'>): Float64Array[] {
  const [shares, chances] = [new Float64Array(2), new Float64Array(2)]
  predictForest(forest, codes, shares)
  predictBoosting(boosting, codes, chances)
  return [shares, chances]
}

function modelOf(trees: number): Model {
  const codes = Uint8Array.from({ length: columns }, () => random.below(256))
  const model = { forest: stumps(trees, 2), boosting: stumps(trees, 1), codes }
  return { ...model, answer: answerOf(model) }
}

function isInside(kernel: Kernel, { forest, boosting }: Model): boolean {
  const { buffer } = kernel.bytes
  return [forest.nodes, forest.values, boosting.nodes, boosting.values].every((numbers) => numbers.buffer === buffer)
}

function enter(kernel: Kernel, { forest, boosting }: Model): KernelTrees {
  const inKernel = KernelTrees.of(kernel, [forest], boosting)
  assert.ok(inKernel !== null)
  return inKernel
}

test('trees in the memory of the kernel have no other, and JavaScript reads them there', () => {
  const kernel = new Kernel(scratchBytes + 4 * page)
  const model = modelOf(100)
  enter(kernel, model)
  assert.ok(isInside(kernel, model))
  assert.deepEqual(answerOf(model), model.answer)
})

test('they go along where the memory grows', () => {
  const kernel = new Kernel(64 * page)
  const model = modelOf(100)
  enter(kernel, model)
  const before = kernel.bytes.buffer
  kernel.hold(kernel.bytes.length)
  assert.notEqual(kernel.bytes.buffer, before)
  assert.ok(isInside(kernel, model))
  assert.deepEqual(answerOf(model), model.answer)
})

test('they have memory of their own again once something else is written over them, and may come back', () => {
  const kernel = new Kernel(scratchBytes + page)
  const model = modelOf(100)
  const inKernel = enter(kernel, model)
  const block = kernel.hold(page)
  assert.ok(block !== null && !inKernel.isHeld)
  kernel.bytes.fill(0xff, block.start, block.end)
  assert.ok(model.forest.nodes.buffer !== kernel.bytes.buffer)
  assert.deepEqual(answerOf(model), model.answer)
  enter(kernel, model)
  assert.ok(isInside(kernel, model))
  assert.deepEqual(answerOf(model), model.answer)
})

test('trees that are there twice are read from the latest place, whichever of the two goes first', () => {
  const kernel = new Kernel(scratchBytes + 2 * page)
  const model = modelOf(400)
  const [first, second] = [enter(kernel, model), enter(kernel, model)]
  const other = modelOf(400)
  for (let round = 0; round < 12; round++) {
    enter(kernel, other)
    assert.deepEqual(answerOf(model), model.answer, `round ${round}`)
    assert.deepEqual(answerOf(other), other.answer, `round ${round}`)
  }
  assert.ok(!first.isHeld && !second.isHeld)
})
