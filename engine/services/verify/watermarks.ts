/**
 * What the catalog knows of the other files of its directory: how far each shard was, and that there was a ledger of integrations. A
 * start tells by it a file that was lost, or is an older one (consistency-check.ts).
 *
 * | table | key                              | value                                                       |
 * |-------|----------------------------------|-------------------------------------------------------------|
 * | marks | the file's name without its end  | version u8, JSON: `micros`, the last time applied in a shard |
 * | marks | `retentionClock`                          | how far the clock is believed (retention.ts)                |
 *
 * 1. A mark is of what is on disk already: whatever dies when, no file is behind its mark.
 * 2. Written once a minute where something changed, and at the end: a file that is older by less is not told from the latest one.
 * 3. Nothing is noted before a start has looked at the marks: a loss that it accepted is told once, and is no loss from then on.
 */
import { commitOrWait } from '../../store/commit-or-wait.js'
import { WriteBatch, type Environment } from '../../store/environment.js'
import { decodeJsonRow, encodeJsonRow } from '../../store/json-row.js'
import { isMade } from '../../store/directory/whole-files.js'
import type { ReadableShards } from '../read/job-reader.js'

export const watermarksTable = 'marks'
export const LEDGER = 'integrations'

const NOTE_MS = 60_000

/** Up to where the file was at least, microseconds; null where nothing is known of it. */
export function markOf(catalog: Environment, name: string): number | null {
  const row = catalog.get(watermarksTable, Buffer.from(name))
  return row === undefined ? null : (decodeJsonRow(row) as { micros: number }).micros
}

export class Watermarks {
  readonly #catalog: Environment
  readonly #dataDir: string
  readonly #shards: Pick<ReadableShards, 'count' | 'reader'>
  readonly #timer: NodeJS.Timeout

  constructor(catalog: Environment, dataDir: string, shards: Pick<ReadableShards, 'count' | 'reader'>) {
    this.#catalog = catalog
    this.#dataDir = dataDir
    this.#shards = shards
    this.note()
    this.#timer = setInterval(() => this.note(), NOTE_MS).unref()
  }

  /** Writes what has changed. A full disk lets it wait. */
  note(): void {
    const batch = new WriteBatch()
    for (let shard = 0; shard < this.#shards.count; shard++)
      this.#put(batch, `shard-${shard}`, this.#shards.reader(shard).lastMicros())
    if (isMade(this.#dataDir, LEDGER)) this.#put(batch, LEDGER, 0)
    else if (markOf(this.#catalog, LEDGER) !== null) batch.delete(watermarksTable, Buffer.from(LEDGER))
    if (batch.size > 0) commitOrWait(this.#catalog, batch)
  }

  close(): void {
    clearInterval(this.#timer)
    this.note()
  }

  #put(batch: WriteBatch, name: string, micros: number): void {
    if (markOf(this.#catalog, name) !== micros) batch.put(watermarksTable, Buffer.from(name), encodeJsonRow({ micros }))
  }
}
