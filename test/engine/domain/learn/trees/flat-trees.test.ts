import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leafOf, readTrees, TreeBuilder, writeTrees } from '../../../../../engine/domain/learn/trees/flat-trees.js'
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

test('an event walks to the leaf that its codes lead to', () => {
  const { roots, nodes, values } = build()
  const ask = (...codes: number[]): number | undefined =>
    values[leafOf(nodes, roots[0] as number, Uint8Array.from(codes))]
  assert.equal(ask(0, 0, 0), 1)
  assert.equal(ask(3, 0, 9), 1)
  assert.equal(ask(4, 0, 0), 2)
  assert.equal(ask(255, 0, 1), 3)
})

test('leaves that are shared are stored once', () => {
  const { roots, nodes, values } = build()
  assert.equal(values.length, 4)
  assert.equal(
    leafOf(nodes, roots[1] as number, new Uint8Array(3)),
    leafOf(nodes, roots[2] as number, new Uint8Array(3)),
  )
})

test('trees are read as they were written', () => {
  const to = new ModelWriter('trees')
  writeTrees(build(), to)
  assert.deepEqual(readTrees(new ModelReader(to.seal(), 'trees')), build())
})
