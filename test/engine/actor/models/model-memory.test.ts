import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modelCells, ModelMemory, type ModelHolder } from '../../../../engine/actor/models/model-memory.js'

class Holder implements ModelHolder {
  usedAt = 0
  isOpen = false
  readonly #memory: ModelMemory

  constructor(memory: ModelMemory) {
    this.#memory = memory
  }

  use(bytes = 100): void {
    this.usedAt = this.#memory.turn
    if (!this.isOpen) this.#memory.opened(this, { jobId: 1, version: 1, bytes })
    this.isOpen = true
  }

  forgetModel(): void {
    this.isOpen = false
  }
}

test('above the bound the models go that were not used for longest, and none within a turn', () => {
  const cells = new Int32Array(modelCells.count)
  const memory = new ModelMemory(1_000, cells)
  const holders = Array.from({ length: 12 }, () => new Holder(memory))
  for (const holder of holders) {
    holder.use()
    if (holder !== holders.at(-1)) assert.ok(holder.isOpen)
  }
  holders[0]!.use()
  memory.shrink()
  assert.ok(memory.bytes <= 1_000)
  const turns = [...holders.slice(1), holders[0]!]
  for (const [at, holder] of turns.entries()) {
    holder.use()
    memory.shrink()
    assert.ok(holder.isOpen, `${at}`)
    assert.ok(memory.bytes <= 1_000)
  }
  assert.deepEqual(
    [cells[modelCells.open], cells[modelCells.kibibytes]],
    [holders.filter(({ isOpen }) => isOpen).length, Math.ceil(memory.bytes / 1024)],
  )
  assert.ok(cells[modelCells.opened]! > holders.length)
})

test('a model that is larger than the bound stays while it is used last', () => {
  const memory = new ModelMemory(1_000)
  const [small, large] = [new Holder(memory), new Holder(memory)]
  small.use()
  memory.shrink()
  large.use(5_000)
  memory.shrink()
  assert.deepEqual([small.isOpen, large.isOpen, memory.bytes], [false, true, 5_000])
  memory.drop(large)
  memory.drop(large)
  assert.equal(memory.bytes, 0)
})
