/**
 * Keeps a copy of the catalog, and of the ledger of integrations, by applying the catalog's log.
 *
 * Owns: what is applied, in which order. Leaves out: records (catalog-record.ts), reading the log (turn-log.ts).
 *
 * 1. A commit of the catalog and its position are one commit. A record that was applied before is passed over.
 * 2. Rows of the ledger may be applied twice, because each has its whole value and they come in order.
 */
import type { Environment } from '../../../store/environment.js'
import { endOf, LogGap, LogMoved, LogUnavailable, type LogRecord, type RecordLog } from '../turn-log.js'
import { batchOf, decodeCatalogRecord, encodeCatalogRecord, type LoggedEntry } from './catalog-record.js'
import { catalogPosition, putCatalogPosition } from './logged-environment.js'

const RETRY_MS = 250

export interface CatalogFollowerDeps {
  readonly catalog: Environment
  readonly log: RecordLog
  /** Opens the ledger of integrations, which not every catalog has. */
  ledger(): Environment
  /** Told of each record that was applied, and of the rows of the catalog that it changed. */
  took?(entries: readonly LoggedEntry[]): void
}

export class CatalogFollower {
  readonly #deps: CatalogFollowerDeps
  #applied: number

  constructor(deps: CatalogFollowerDeps) {
    this.#deps = deps
    this.#applied = catalogPosition(deps.catalog)
  }

  /** Sequence of the last record that was applied. */
  get applied(): number {
    return this.#applied
  }

  /** Applies the log up to its present end. Rejects with LogUnavailable, LogGap. */
  async catchUp(): Promise<void> {
    const through = await endOf(this.#deps.log, this.#applied, 'the catalog')
    for await (const record of this.#deps.log.read(this.#applied, through)) this.#take(record)
  }

  /** Applies the log as it grows, until `signal` aborts. Rejects with LogGap. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const record of this.#deps.log.follow(this.#applied, signal)) this.#take(record)
      } catch (error) {
        if (!(error instanceof LogUnavailable)) throw error
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }

  /** Applies all there is, and appends the record with which a writer begins. Whoever wrote before is refused then. */
  async begin(writer: string): Promise<number> {
    for (;;) {
      await this.catchUp()
      try {
        const bytes = encodeCatalogRecord({ kind: 'begin', writer, entries: [] })
        this.#applied = await this.#deps.log.append(bytes, this.#applied)
        return this.#applied
      } catch (error) {
        if (!(error instanceof LogMoved)) throw error
      }
    }
  }

  #take({ sequence, bytes }: LogRecord): void {
    if (sequence <= this.#applied) return
    if (sequence !== this.#applied + 1)
      throw new LogGap(`the catalog needs record ${this.#applied + 1} of its log; ${sequence} came`)
    const { kind, entries } = decodeCatalogRecord(bytes)
    if (kind === 'ledger') this.#deps.ledger().commit(batchOf(entries))
    const changed = kind === 'catalog' ? entries : []
    const batch = batchOf(changed)
    putCatalogPosition(batch, sequence)
    this.#deps.catalog.commit(batch)
    this.#applied = sequence
    this.#deps.took?.(changed)
  }
}
