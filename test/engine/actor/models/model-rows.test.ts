import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ModelRows } from '../../../../engine/actor/models/model-rows.js'
import { encodeModel, type ModelRow } from '../../../../engine/store/rows.js'

const row = (version: number): ModelRow => ({ version, throughSeq: 7 }) as ModelRow

/** Rows of models by version, and how often they are read. */
class Source {
  readonly rows = new Map<number, Buffer>()
  reads = 0

  put(version: number, model: Uint8Array): void {
    this.rows.set(version, encodeModel(row(version), model))
  }

  /** A key ends with the version. */
  read(_table: string, key: Uint8Array, into: Uint8Array): number {
    this.reads++
    const value = this.rows.get(key[key.length - 1] as number)
    if (value === undefined) return -1
    into.set(value.subarray(0, into.length))
    return value.length
  }
}

test('a row is read once while it is there, and again after another one', () => {
  const [source, rows] = [new Source(), new ModelRows()]
  source.put(1, Buffer.from('one'))
  source.put(2, Buffer.from('two'))
  assert.equal(rows.read(source, 5, 1).row.version, 1)
  assert.equal(Buffer.from(rows.bytes(source, 5, 1)).toString(), 'one')
  assert.equal(source.reads, 1)
  assert.equal(Buffer.from(rows.bytes(source, 5, 2)).toString(), 'two')
  assert.equal(Buffer.from(rows.bytes(source, 5, 1)).toString(), 'one')
  assert.equal(source.reads, 3)
})

test('a row of another job or of another store is another row, and none is known after a failed turn', () => {
  const [source, other, rows] = [new Source(), new Source(), new ModelRows()]
  source.put(1, Buffer.from('one'))
  other.put(1, Buffer.from('other'))
  const text = (from: Source): string => Buffer.from(rows.bytes(from, 5, 1)).toString()
  assert.deepEqual([text(source), text(other), text(source)], ['one', 'other', 'one'])
  rows.bytes(source, 6, 1)
  assert.equal(source.reads, 3)
  source.put(1, Buffer.from('new'))
  rows.forget()
  assert.equal(Buffer.from(rows.bytes(source, 6, 1)).toString(), 'new')
})

test('a row of any size is read whole, and one that is not there is a fault', () => {
  const [source, rows] = [new Source(), new ModelRows()]
  for (const [version, bytes] of [0, 1, 300_000, 5_000_000, 10].entries()) {
    source.put(version, Buffer.alloc(bytes, version + 1))
    const { row, model } = rows.read(source, 5, version)
    assert.equal(row.version, version)
    assert.deepEqual(Buffer.from(model), Buffer.alloc(bytes, version + 1))
  }
  assert.throws(() => rows.read(source, 5, 99))
  assert.throws(() => rows.bytes(source, 5, 99))
})
