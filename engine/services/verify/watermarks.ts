/**
 * Watermarks: how far each shard was, and that there was a ledger of integrations, as noted in the catalog. With them a
 * start notices a file that is lost or older than the rest (consistency-check.ts).
 *
 * | table | key                             | value                                                          |
 * |-------|---------------------------------|----------------------------------------------------------------|
 * | marks | the file's name without its end | version u8, JSON: `micros`, the last time applied in a shard   |
 * | marks | `aging`                         | state of the retention clock (retention.ts)                    |
 *
 * 1. A watermark is about what is on disk already. Whatever dies when, no file is behind its watermark.
 * 2. Watermarks are written once a minute where something changed, and at the end. A file that is older by less than
 *    that passes for the latest one.
 * 3. No watermark is written before the consistency check. A loss that it accepted is told once, and is none from then
 *    on.
 */
import { commitOrWait } from '../../store/commit-or-wait.js'
import { WriteBatch, type Environment } from '../../store/environment.js'
import { decodeJsonRow, encodeJsonRow } from '../../store/json-row.js'
import { isMade } from '../../store/directory/whole-files.js'
import type { ReadableShards } from '../read/job-reader.js'

export const watermarksTable = 'marks'
export const LEDGER = 'integrations'

const NOTE_MS = 60_000

/** The last time that the file is known to have applied, microseconds; null without a watermark. */
export function watermarkOf(catalog: Environment, name: string): number | null {
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

  /** Writes watermarks that have changed. On a full disk they wait. */
  note(): void {
    const batch = new WriteBatch()
    for (let shard = 0; shard < this.#shards.count; shard++)
      this.#put(batch, `shard-${shard}`, this.#shards.reader(shard).lastMicros())
    if (isMade(this.#dataDir, LEDGER)) this.#put(batch, LEDGER, 0)
    else if (watermarkOf(this.#catalog, LEDGER) !== null) batch.delete(watermarksTable, Buffer.from(LEDGER))
    if (batch.size > 0) commitOrWait(this.#catalog, batch)
  }

  close(): void {
    clearInterval(this.#timer)
    this.note()
  }

  #put(batch: WriteBatch, name: string, micros: number): void {
    if (watermarkOf(this.#catalog, name) !== micros)
      batch.put(watermarksTable, Buffer.from(name), encodeJsonRow({ micros }))
  }
}
