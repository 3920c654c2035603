import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  Cutter,
  InKernel,
  Kernel,
  kernelOfThread,
  scratchBytes,
} from '../../../../../engine/domain/learn/kernel/kernel.js'

const page = 65_536

test('this machine runs the kernel, and a thread has one', () => {
  assert.ok(kernelOfThread() instanceof Kernel)
  assert.equal(kernelOfThread(), kernelOfThread())
})

test('blocks lie behind the scratch memory and do not overlap', () => {
  const kernel = new Kernel(scratchBytes + 3 * page)
  const blocks = [10, 100, page].map((bytes) => kernel.hold(bytes))
  assert.deepEqual(
    blocks.map((block) => [block?.start, block?.end]),
    [
      [scratchBytes, scratchBytes + 64],
      [scratchBytes + 64, scratchBytes + 192],
      [scratchBytes + 192, scratchBytes + 192 + page],
    ],
  )
  assert.ok(blocks.every((block) => block?.isHeld))
  assert.ok(kernel.bytes.length >= scratchBytes + 192 + page, 'the memory reaches to the end of the last one')
})

test('a block that finds no room behind the others overwrites the oldest ones', () => {
  const kernel = new Kernel(scratchBytes + 3 * page)
  const [first, second, third] = [page, page, page].map((bytes) => kernel.hold(bytes))
  const fourth = kernel.hold(page + 64)
  assert.deepEqual(
    [first, second, third, fourth].map((block) => block?.isHeld),
    [false, false, true, true],
  )
  assert.equal(fourth?.start, scratchBytes)
})

test('a block that can never fit is refused, and nothing is overwritten', () => {
  const kernel = new Kernel(scratchBytes + page)
  const block = kernel.hold(64)
  assert.equal(kernel.hold(2 * page), null)
  assert.ok(block?.isHeld)
})

test('parts of a block begin at cache lines', () => {
  const cutter = new Cutter(128)
  assert.deepEqual([cutter.take(1), cutter.take(0), cutter.take(65), cutter.take(1)], [128, 192, 192, 320])
  assert.equal(cutter.bytesFrom(128), 256)
})

test('a thing is copied into the kernel after many uses, and after as many again once it was overwritten', () => {
  const held = { isHeld: true }
  let copies = 0
  const inKernel = new InKernel(() => {
    copies++
    return held
  })
  const copiedAt = (uses: number): number[] =>
    Array.from({ length: uses }, (_, i) => i).filter(() => {
      const before = copies
      inKernel.get()
      return copies > before
    })
  assert.deepEqual(copiedAt(300), [127])
  assert.equal(inKernel.get(), held)
  held.isHeld = false
  assert.deepEqual(copiedAt(127), [])
  inKernel.forget()
  assert.deepEqual(copiedAt(1), [0])
})
