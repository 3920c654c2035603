import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  findLeaves,
  leavesFor,
  readTrees,
  singleLeaf,
  TreeBuilder,
  writeTrees,
} from '../../../../../engine/domain/learn/trees/flat-trees.js'
import { predictForest } from '../../../../../engine/domain/learn/trees/forest.js'
import { SeededRandom } from '../../../../../engine/rng.js'
import { ModelReader, ModelWriter } from '../../../../../engine/domain/learn/model-bytes.js'

/** Column 0 up to 3: leaf 1; else column 2 up to 0: leaf 2, else leaf 3. */
function build(): ReturnType<TreeBuilder['finish']> {
  const builder = new TreeBuilder()
  builder.startTree()
  const root = builder.split(0, 3)
  builder.leaf(Float64Array.of(1))
  builder.rightComes(root)
  const second = builder.split(2, 0)
  builder.leaf(Float64Array.of(2))
  builder.rightComes(second)
  builder.leaf(Float64Array.of(3))
  builder.startTree()
  builder.sharedLeaf(0, Float64Array.of(9))
  builder.startTree()
  builder.sharedLeaf(0, Float64Array.of(9))
  return builder.finish()
}

/** The values at the leaves of an event in these trees. */
function ask(codes: number[], { start, end } = { start: 0, end: 3 }): (number | undefined)[] {
  const trees = build()
  const leaves = leavesFor({ start, end })
  findLeaves(trees, { start, end }, Uint8Array.from(codes), leaves)
  return [...leaves.subarray(0, end - start)].map((leaf) => trees.values[leaf])
}

test('an event walks to the leaf that its codes lead to', () => {
  assert.deepEqual(ask([0, 0, 0]), [1, 9, 9])
  assert.deepEqual(ask([3, 0, 9]), [1, 9, 9])
  assert.deepEqual(ask([4, 0, 0]), [2, 9, 9])
  assert.deepEqual(ask([255, 0, 1]), [3, 9, 9])
  assert.deepEqual(ask([0, 0, 0], { start: 1, end: 2 }), [9])
})

test('trees that are walked side by side end at the same leaves as one by one', () => {
  const random = new SeededRandom(5)
  const builder = new TreeBuilder()
  let leafCount = 0
  const grow = (depth: number): void => {
    if (depth === 0 || random.below(5) === 0) return builder.leaf(Float64Array.of(++leafCount))
    const split = builder.split(random.below(4), random.below(256))
    grow(depth - 1)
    builder.rightComes(split)
    grow(depth - 1)
  }
  const count = 23
  for (let tree = 0; tree < count; tree++) {
    builder.startTree()
    grow(9)
  }
  const trees = builder.finish()
  for (let event = 0; event < 200; event++) {
    const codes = Uint8Array.from({ length: 4 }, () => random.below(256))
    const start = random.below(4)
    const together = leavesFor({ start: 0, end: count })
    findLeaves(trees, { start, end: count }, codes, together)
    const alone = new Int32Array(1)
    for (let tree = start; tree < count; tree++) {
      findLeaves(trees, { start: tree, end: tree + 1 }, codes, alone)
      assert.equal(together[tree - start], alone[0])
    }
  }
})

test('leaves that are shared are stored once', () => {
  assert.equal(build().values.length, 4)
})

test('trees are read as they were written', () => {
  const to = new ModelWriter('trees')
  writeTrees(build(), to)
  assert.deepEqual(readTrees(new ModelReader(to.seal(), 'trees')), build())
})

test('a tree that knows nothing gives all classes the same share', () => {
  const shares = new Float64Array(4)
  predictForest(singleLeaf(4), Uint8Array.of(1, 2), shares)
  assert.deepEqual([...shares], [0.25, 0.25, 0.25, 0.25])
})
