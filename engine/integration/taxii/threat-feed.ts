/**
 * The indicators of some collections, kept up to date in memory.
 *
 * Owns: when the collections are read, and from what time on. Leaves out: requests (taxii-client.ts), the indicators
 * (indicator-index.ts).
 *
 * 1. The first query waits for the first read. Later queries are answered at once, also while the server is down: known
 *    indicators stay, and the status shows why no new ones were read.
 * 2. New indicators are read every `pollMs`. Once a day everything is read again into a new index, which replaces the
 *    old one. This removes indicators that were deleted on the server.
 * 3. Nothing is stored on disk: after a restart everything is read again.
 */
import { SourceFailure } from '../contract.js'
import { IndicatorIndex } from './indicator-index.js'
import type { TaxiiClient, TaxiiCollection } from './taxii-client.js'

export interface ThreatFeedDeps {
  readonly client: TaxiiClient
  /** Ids, aliases or titles; empty for all. */
  readonly collections: readonly string[]
  readonly pollMs: number
  readonly indicatorsMax: number
  nowMs(): number
}

const ALL_AGAIN_MS = 86_400_000

export class ThreatFeed {
  readonly #deps: ThreatFeedDeps
  readonly #stop = new AbortController()
  #index: IndicatorIndex
  #collections: readonly { readonly from: TaxiiCollection; added: string }[] = []
  #reading: Promise<void> | null = null
  #readAllMs = -Infinity
  #readMs = -Infinity
  #reason = ''
  #timer: NodeJS.Timeout | null = null

  constructor(deps: ThreatFeedDeps) {
    this.#deps = deps
    this.#index = new IndicatorIndex(deps.indicatorsMax)
  }

  /** The index; waits for the first read. Rejects with SourceFailure. */
  async index(): Promise<IndicatorIndex> {
    if (this.#readMs === -Infinity) await this.#read()
    return this.#index
  }

  /** The state of the index, in a sentence. */
  summary(): string {
    const { indicators, unread, leftOut } = this.#index.counts
    const rest = [
      unread > 0 ? `${unread} with unsupported patterns` : '',
      leftOut > 0 ? `${leftOut} without room` : '',
      this.#reason === '' ? '' : `the last read failed: ${this.#reason}`,
    ].filter((part) => part !== '')
    return this.#readMs === -Infinity ? 'nothing read yet' : [`${indicators} indicators`, ...rest].join('; ')
  }

  async close(): Promise<void> {
    this.#stop.abort()
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#reading?.catch(() => {})
    this.#deps.client.close()
  }

  /** Starts a read, or joins the current one. */
  #read(): Promise<void> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = null
      if (this.#readMs === -Infinity || this.#stop.signal.aborted) return
      this.#timer = setTimeout(() => void this.#read().catch(() => {}), this.#deps.pollMs).unref()
    })
    return this.#reading
  }

  async #readOnce(): Promise<void> {
    const { nowMs, pollMs } = this.#deps
    try {
      if (nowMs() - this.#readAllMs >= Math.max(ALL_AGAIN_MS, pollMs)) await this.#readAll()
      else for (const one of this.#collections) one.added = await this.#readAdded(one.from, one.added, this.#index)
      this.#readMs = nowMs()
      this.#reason = ''
    } catch (error) {
      this.#reason = error instanceof SourceFailure ? error.message : 'the integration failed'
      throw error
    }
  }

  async #readAll(): Promise<void> {
    const { client, collections, indicatorsMax, nowMs } = this.#deps
    const index = new IndicatorIndex(indicatorsMax)
    const read: { from: TaxiiCollection; added: string }[] = []
    for (const from of await client.collections(collections, this.#stop.signal))
      read.push({ from, added: await this.#readAdded(from, '', index) })
    this.#collections = read
    this.#index = index
    this.#readAllMs = nowMs()
  }

  #readAdded(from: TaxiiCollection, added: string, index: IndicatorIndex): Promise<string> {
    const { client, nowMs } = this.#deps
    return client.read(
      from,
      added,
      ({ objects }) => {
        for (const object of objects) index.take(object, nowMs())
      },
      this.#stop.signal,
    )
  }
}
