import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchesOf, type Batcher, type EventBatch } from '../../../../server/cli/input/event-batches.js'

const put = (line: string, batcher: Batcher): void => batcher.addText({ number: line.length, line: 1 }, line)

function textOf(batch: EventBatch, done = 0): string {
  return Buffer.from(batch.body(done)).toString()
}

async function* source(lines: readonly string[]): AsyncGenerator<string, void, void> {
  yield* lines
}

test('a batch has at most 2,000 lines, and lines of any size, with their numbers', async () => {
  const lines = Array.from({ length: 4_001 }, () => '{"a":1}')
  const long = `{"a":"${'x'.repeat(5 << 20)}"}`
  const batches: EventBatch[] = []
  for await (const batch of batchesOf(source([...lines, long, '{}']), put)) batches.push(batch)
  assert.deepEqual(
    batches.map((batch) => batch.lines),
    [2_000, 2_000, 1, 1, 1],
  )
  assert.equal(textOf(batches[3]!), `${long}\n`)
  assert.deepEqual(batches[3]!.places, [{ number: long.length, line: 1 }])
})

test('a batch without its answered lines begins with the next one', async () => {
  for await (const batch of batchesOf(source(['{"a":1}', '{"b":22}', '{"c":"ö"}']), put)) {
    assert.equal(textOf(batch), '{"a":1}\n{"b":22}\n{"c":"ö"}\n')
    assert.equal(textOf(batch, 2), '{"c":"ö"}\n')
  }
})

test('a line of a slow source is sent without the next one, and a reader that leaves ends the source', async () => {
  let isClosed = false
  let more = (): void => {}
  async function* slow(): AsyncGenerator<string, void, void> {
    try {
      yield '{}'
      await new Promise<void>((resolve) => (more = resolve))
      yield '{"a":1}'
    } finally {
      isClosed = true
    }
  }
  const batches = batchesOf(slow(), put)
  assert.equal(textOf((await batches.next()).value!), '{}\n')
  await batches.return()
  more()
  await new Promise(setImmediate)
  assert.ok(isClosed)
})

test('an error of the source is the error of the batches', async () => {
  const reason = new Error('the disk is gone')
  async function* broken(): AsyncGenerator<string, void, void> {
    yield '{}'
    throw reason
  }
  const batches = batchesOf(broken(), put)
  await assert.rejects(batches.next(), reason)
})
