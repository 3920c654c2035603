/** Copies an environment entry by entry in key order: pages become full, and deleted entries are left behind. */
import { must } from '../../assert.js'

/** The root of an environment. Its keys are the names of the tables, each with a zero byte at its end. */
interface Root {
  getKeys(options: { start: Uint8Array }): Iterable<Uint8Array>
}

/** The tables of an environment, from a snapshot: the file may be written to meanwhile. */
export function tableNames(root: Root): string[] {
  return [...root.getKeys({ start: Uint8Array.of(0) })].map((key) =>
    Buffer.from(key).toString('utf8').replace(/\0$/, ''),
  )
}

/** A table of the library, as far as it is needed here: only lmdb.ts imports the library. */
interface Source {
  getRange(options: { snapshot: boolean }): Iterable<{ key: Uint8Array; value: Uint8Array }>
}

interface Target {
  /** Commits so many entries of so many bytes, or nothing. */
  commit(size: { readonly entries: number; readonly bytes: number }, puts: () => void): void
  readonly tables: ReadonlyMap<string, { putSync(key: Uint8Array, value: never, flags: number): unknown }>
}

/** A copy is committed each time it has written this many bytes. */
export const COPIED_BYTES = 8 * 1024 ** 2
/** Says that keys ascend, so that pages are filled. The library's types have no flags for binary stores. */
const APPEND = { append: true } as unknown as number

/**
 * Writes all entries of the tables into empty ones, values with their checksums. Returns how many. `mayGoOn` is called
 * before each commit and throws to stop.
 */
export function copyTables(from: ReadonlyMap<string, Source>, target: Target, mayGoOn: () => void): number {
  let entries = 0
  for (const [table, source] of from) {
    const to = must(target.tables.get(table), 'table', table)
    const rows = source.getRange({ snapshot: true })[Symbol.iterator]()
    for (let next = rows.next(); next.done !== true; ) {
      mayGoOn()
      const { key, value } = next.value
      target.commit({ entries: 0, bytes: COPIED_BYTES + key.length + value.length }, () => {
        // Reads are allowed in this transaction: nothing else uses the new file yet.
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
