/** Copying environments entry by entry, in the order of their keys, so that pages are filled and nothing deleted comes along. */
import { must } from '../../assert.js'

/** Names of an environment's tables are the keys of its root, with a zero behind them. */
interface Root {
  getKeys(options: { start: Uint8Array }): Iterable<Uint8Array>
}

/** The tables that an environment has, from a snapshot: the file itself may be written to while it is read. */
export function tableNames(root: Root): string[] {
  return [...root.getKeys({ start: Uint8Array.of(0) })].map((key) =>
    Buffer.from(key).toString('utf8').replace(/\0$/, ''),
  )
}

/** The library's tables, as far as they are needed here (lmdb.ts imports it). */
interface Source {
  getRange(options: { snapshot: boolean }): Iterable<{ key: Uint8Array; value: Uint8Array }>
}

interface Target {
  readonly root: { transactionSync(write: () => void): unknown }
  readonly tables: ReadonlyMap<string, { putSync(key: Uint8Array, value: never, flags: number): unknown }>
}

/** Bytes of one commit of a copy. */
export const COPIED_BYTES = 8 * 1024 ** 2
/** Keys come in their order, so pages are filled. The library's types know no flags for binary stores. */
const APPEND = { append: true } as unknown as number

/**
 * Writes all entries of the tables into empty ones, values with their checksums; returns how many. `mayGoOn` is asked before each
 * commit, and throws to give up.
 */
export function copyTables(from: ReadonlyMap<string, Source>, target: Target, mayGoOn: () => void): number {
  let entries = 0
  for (const [table, source] of from) {
    const to = must(target.tables.get(table), 'table', table)
    const rows = source.getRange({ snapshot: true })[Symbol.iterator]()
    for (let next = rows.next(); next.done !== true; ) {
      mayGoOn()
      target.root.transactionSync(() => {
        // Nothing but reads and puts, in a file that is nobody else's yet: an entry is written before the next one is read.
        for (let bytes = 0; bytes < COPIED_BYTES && next.done !== true; next = rows.next()) {
          const { key, value } = next.value
          to.putSync(key, value as never, APPEND)
          bytes += key.length + value.length
          entries++
        }
      })
    }
  }
  return entries
}
