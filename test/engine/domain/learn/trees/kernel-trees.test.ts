import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Kernel, scratchBytes } from '../../../../../engine/domain/learn/kernel/kernel.js'
import { predictBoosting } from '../../../../../engine/domain/learn/trees/boosted-trees.js'
import { TreeBuilder, type FlatTrees } from '../../../../../engine/domain/learn/trees/flat-trees.js'
import { predictForest } from '../../../../../engine/domain/learn/trees/forest.js'
import { KernelTrees } from '../../../../../engine/domain/learn/trees/kernel-trees.js'
import { SeededRandom } from '../../../../../engine/rng.js'

const columns = 40
const limit = 1 << 22

/** Trees of any shape, with `numbers` random numbers in a leaf. */
function randomTrees(random: SeededRandom, count: number, numbers: number): FlatTrees {
  const builder = new TreeBuilder()
  const grow = (depth: number): void => {
    if (depth === 0 || random.below(6) === 0)
      return builder.leaf(Float64Array.from({ length: numbers }, () => random.nextFloat() ** 3))
    const split = builder.split(random.below(columns), random.below(2) === 0 ? 0 : random.below(256))
    grow(depth - 1)
    builder.rightComes(split)
    grow(depth - 1)
  }
  for (let tree = 0; tree < count; tree++) {
    builder.startTree()
    grow(random.below(11))
  }
  return builder.finish()
}

function buffers(classCount: number): [Float64Array, Float64Array, Float64Array] {
  return [new Float64Array(classCount), new Float64Array(classCount), new Float64Array(classCount)]
}

function randomCodes(random: SeededRandom): Uint8Array {
  return Uint8Array.from({ length: columns }, () => (random.below(3) === 0 ? random.below(256) : random.below(2)))
}

test('random trees give the same bits in WebAssembly as in JavaScript', () => {
  const random = new SeededRandom(11)
  const kernel = new Kernel(limit)
  for (const classCount of [2, 3, 7]) {
    for (const count of [1, 8, 21, 100]) {
      const forest = randomTrees(random, count, classCount)
      const other = randomTrees(random, count + 1, classCount)
      const boosted = randomTrees(random, classCount * count, 1)
      const inKernel = KernelTrees.of(kernel, [forest, other], boosted)
      assert.ok(inKernel !== null)
      for (let event = 0; event < 60; event++) {
        const codes = randomCodes(random)
        const [ours, theirs] = [buffers(classCount), buffers(classCount)]
        predictForest(forest, codes, theirs[0])
        predictForest(other, codes, theirs[1])
        predictBoosting(boosted, codes, theirs[2])
        inKernel.predict(codes, [ours[0], ours[1]], ours[2])
        assert.deepEqual(ours, theirs)
      }
    }
  }
})

test('boosting without trees answers as in JavaScript', () => {
  const random = new SeededRandom(1)
  const forest = randomTrees(random, 9, 3)
  const boosted = randomTrees(random, 0, 1)
  const codes = new Uint8Array(columns)
  const [ours, theirs] = [buffers(3), buffers(3)]
  KernelTrees.of(new Kernel(limit), [forest], boosted)?.predict(codes, [ours[0]], ours[2])
  predictForest(forest, codes, theirs[0])
  predictBoosting(boosted, codes, theirs[2])
  assert.deepEqual(ours, theirs)
})

test('trees that do not fit into the memory of the kernel are refused', () => {
  const forest = randomTrees(new SeededRandom(3), 100, 3)
  assert.equal(KernelTrees.of(new Kernel(scratchBytes + 65_536), [forest], forest), null)
})
