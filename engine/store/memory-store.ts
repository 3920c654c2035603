/**
 * A store in memory, behind the contract of environment.ts: the oracle that LMDB is compared with, and the store of
 * unit tests. Each table has a sorted list of keys. Every operation is simple rather than fast.
 */
import type { Entry, Environment, KeyRange, WriteBatch } from './environment.js'

interface MemoryTable {
  readonly keys: string[]
  readonly values: Map<string, Uint8Array>
}

/** One character for each byte, so that string order is byte order. */
function toText(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1')
}

/** First index whose key is not below `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((keys[middle] as string) < key) low = middle + 1
    else high = middle
  }
  return low
}

export class MemoryEnvironment implements Environment {
  readonly #tables = new Map<string, MemoryTable>()
  /** Set by a test: the next commit throws this error and changes nothing. */
  failNextCommit: Error | null = null

  constructor(tables: readonly string[]) {
    for (const table of tables) this.#tables.set(table, { keys: [], values: new Map() })
  }

  #table(name: string): MemoryTable {
    const table = this.#tables.get(name)
    if (table === undefined) throw new Error(`no table ${name}`)
    return table
  }

  get(table: string, key: Uint8Array): Uint8Array | undefined {
    const value = this.#table(table).values.get(toText(key))
    return value === undefined ? undefined : Uint8Array.from(value)
  }

  read(table: string, key: Uint8Array, into: Uint8Array): number {
    const value = this.#table(table).values.get(toText(key))
    if (value === undefined) return -1
    into.set(value.subarray(0, into.length))
    return value.length
  }

  range(table: string, range: KeyRange): Iterable<Entry> {
    const { keys, values } = this.#table(table)
    const from = range.from === undefined ? 0 : lowerBound(keys, toText(range.from))
    const to = range.to === undefined ? keys.length : lowerBound(keys, toText(range.to))
    let chosen = keys.slice(from, to)
    if (range.reverse === true) chosen.reverse()
    if (range.limit !== undefined) chosen = chosen.slice(0, range.limit)
    return chosen.map((key) => ({
      key: Uint8Array.from(Buffer.from(key, 'latin1')),
      value: Uint8Array.from(values.get(key) as Uint8Array),
    }))
  }

  scan(table: string, range: KeyRange, visit: (key: Uint8Array, value: Uint8Array) => boolean): void {
    for (const { key, value } of this.range(table, range)) if (!visit(key, value)) return
  }

  count(table: string, range: Pick<KeyRange, 'from' | 'to'>): number {
    return [...this.range(table, range)].length
  }

  commit(batch: WriteBatch): void {
    if (this.failNextCommit !== null) {
      const error = this.failNextCommit
      this.failNextCommit = null
      throw error
    }
    for (const name of batch.tables) this.#table(name)
    for (let i = 0; i < batch.size; i++) {
      const table = this.#table(batch.tables[i] as string)
      const key = toText(batch.key(i))
      const value = batch.value(i)
      const at = lowerBound(table.keys, key)
      const exists = table.keys[at] === key
      if (value === undefined) {
        if (exists) table.keys.splice(at, 1)
        table.values.delete(key)
      } else {
        if (!exists) table.keys.splice(at, 0, key)
        table.values.set(key, Uint8Array.from(value))
      }
    }
  }

  refresh(): void {}

  unmap(): boolean {
    return true
  }

  map(): void {}

  sizeBytes(): number {
    let bytes = 0
    for (const { values } of this.#tables.values())
      for (const [key, value] of values) bytes += key.length + value.length
    return bytes
  }

  async close(): Promise<void> {}
}
