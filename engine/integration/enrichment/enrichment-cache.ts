/**
 * A cache of enrichment answers, limited in number and in bytes. The least recently used answer goes first.
 *
 * 1. An expired answer is never returned.
 */
import { bounds } from '../bounds.js'
import type { EnrichmentFields } from '../contract.js'

interface Known {
  readonly fields: EnrichmentFields | null
  readonly untilMs: number
  readonly bytes: number
}

export class EnrichmentCache {
  readonly #lifeMs: number
  readonly #known = new Map<string, Known>()
  #bytes = 0

  /** `lifeMs` 0 turns the cache off. */
  constructor(lifeMs: number) {
    this.#lifeMs = lifeMs
  }

  get size(): number {
    return this.#known.size
  }

  /** The cached answer: fields, or null for nothing found; undefined if the counterpart must be asked. */
  get(subject: string, nowMs: number): EnrichmentFields | null | undefined {
    const known = this.#known.get(subject)
    if (known === undefined) return undefined
    this.#known.delete(subject)
    if (known.untilMs <= nowMs) {
      this.#bytes -= known.bytes
      return undefined
    }
    this.#known.set(subject, known)
    return known.fields
  }

  put(subject: string, fields: EnrichmentFields | null, nowMs: number): void {
    if (this.#lifeMs === 0) return
    const bytes = 2 * subject.length + (fields === null ? 0 : JSON.stringify(fields).length)
    this.#bytes += bytes - (this.#known.get(subject)?.bytes ?? 0)
    this.#known.delete(subject)
    this.#known.set(subject, { fields, untilMs: nowMs + this.#lifeMs, bytes })
    for (const [oldest, { bytes: freed }] of this.#known) {
      if (this.#known.size <= bounds.enrichmentCacheMax && this.#bytes <= bounds.enrichmentCacheBytesMax) return
      this.#known.delete(oldest)
      this.#bytes -= freed
    }
  }
}
