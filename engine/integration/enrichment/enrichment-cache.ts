/**
 * Answers of look-ups, remembered for a while: bounded in number and in bytes, the longest unused goes first.
 *
 * 1. An answer that is too old is none.
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

  /** `lifeMs` 0: nothing is remembered. */
  constructor(lifeMs: number) {
    this.#lifeMs = lifeMs
  }

  get size(): number {
    return this.#known.size
  }

  /** What is known of the subject: null for nothing; undefined where it has to be asked. */
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
