/**
 * A thread whose commits fail in the native library: a file may not grow, and nobody looks before. It commits as often
 * as it is told, reads after each commit, and says what came of it.
 */
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { isRefusal } from '../../engine/errors.js'
import { LmdbEnvironment } from '../../engine/store/lmdb/lmdb.js'
import { WriteBatch } from '../../engine/store/environment.js'

export interface CommitOutcome {
  readonly stored: number
  /** Refusals by code. */
  readonly refused: Readonly<Record<string, number>>
  /** Every value that was stored is read, and nothing else. */
  readonly isTrue: boolean
}

/** Commits differ, so that all forms of the library's writes fail. */
const ENTRIES_MAX = 40
const BYTES = [20, 300, 3_000, 12_000, 60_000] as const
const { directory, name } = workerData as { directory: string; name: string }
const environment = new LmdbEnvironment(join(directory, `${name}.mdb`), ['rows'], {
  free: () => Number.POSITIVE_INFINITY,
  reservedBytesMax: 0,
})
const stored = new Map<string, number>()
let next = 0

function commit(): void {
  const batch = new WriteBatch()
  const count = 1 + ((next * 7) % ENTRIES_MAX)
  const keys = Array.from({ length: count }, (_, i) => `${(next * 7919 + i * 104_729) % 1_000_003}`)
  next++
  for (const [i, key] of keys.entries())
    batch.put('rows', Buffer.from(key), Buffer.alloc(BYTES[(next + i) % BYTES.length] as number, next % 251))
  environment.commit(batch)
  for (const key of keys) stored.set(key, next % 251)
}

function isTrue(): boolean {
  environment.refresh()
  const rows = [...environment.range('rows', {})]
  return rows.length === stored.size && rows.every(({ key, value }) => value[0] === stored.get(String(key)))
}

parentPort?.on('message', (commits: number) => {
  const refused: Record<string, number> = {}
  for (let i = 0; i < commits; i++) {
    try {
      commit()
    } catch (error) {
      const code = isRefusal(error) ? error.code : String(error)
      refused[code] = (refused[code] ?? 0) + 1
    }
    environment.get('rows', Buffer.from('1'))
  }
  parentPort?.postMessage({ stored: stored.size, refused, isTrue: isTrue() } satisfies CommitOutcome)
})
