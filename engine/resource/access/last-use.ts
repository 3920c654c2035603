/**
 * When keys and tokens were used last, and when users signed in.
 *
 * Owns: collecting in memory, writing now and then. Leaves out: who uses what (credentials.ts).
 *
 * 1. A request costs one look at a flag: the first use in a while is noted with its time, the others are not. So a time
 *    is that of a use, and at most a minute older than the latest one.
 * 2. Written at most once a minute and at the end; a commit that fails is tried again with the next.
 * 3. A power cut loses at most that minute. Nothing else hangs on these times.
 */
import { isoMicros, type Clock } from '../../clock.js'
import { limits } from '../../limits.js'
import { type Environment, WriteBatch } from '../../store/environment.js'
import { decodeRecord, encodeRecord, nameKey, type UseRecord } from '../records.js'

/** What remembers for itself that its use was noted. */
export interface Usable {
  used: boolean
}

export class LastUse {
  readonly #environment: Environment
  readonly #clock: Clock
  readonly #at = new Map<string, string>()
  /** Noted and not yet written; null: gone. */
  readonly #unwritten = new Map<string, string | null>()
  #noted: Usable[] = []
  #timer: NodeJS.Timeout | null = null

  /** Reads all there is; what `isThere` does not know is forgotten. */
  constructor(environment: Environment, clock: Clock, isThere: (id: string) => boolean) {
    this.#environment = environment
    this.#clock = clock
    for (const { key, value } of environment.range('uses', {})) {
      const id = Buffer.from(key).toString('utf8')
      if (isThere(id)) this.#at.set(id, decodeRecord<UseRecord>('uses', value).at)
      else this.#unwritten.set(id, null)
    }
  }

  /** ISO 8601 UTC, or null: never. */
  at(id: string): string | null {
    return this.#at.get(id) ?? null
  }

  /** Notes a use now; what is given is told that it need not come again until the next writing. */
  note(id: string, by?: Usable): void {
    const at = isoMicros(this.#clock.nowMicros())
    this.#at.set(id, at)
    this.#unwritten.set(id, at)
    if (by !== undefined) {
      by.used = true
      this.#noted.push(by)
    }
    if (this.#timer !== null) return
    this.#timer = setTimeout(() => this.write(), limits.lastUseFlushMs)
    this.#timer.unref()
  }

  forget(id: string): void {
    if (this.#at.delete(id)) this.#unwritten.set(id, null)
    else this.#unwritten.delete(id)
  }

  /** Writes what was noted. A failure is no one's to answer for: it is tried again with the next note. */
  write(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    for (const each of this.#noted) each.used = false
    this.#noted = []
    if (this.#unwritten.size === 0) return
    const batch = new WriteBatch()
    for (const [id, at] of this.#unwritten) {
      if (at === null) batch.delete('uses', nameKey(id))
      else batch.put('uses', nameKey(id), encodeRecord({ at } satisfies UseRecord))
    }
    try {
      this.#environment.commit(batch)
    } catch {
      return
    }
    this.#unwritten.clear()
  }
}
