/**
 * The times at which keys and tokens were last used and users last signed in.
 *
 * Owns: collecting times in memory, and writing them. Leaves out: who uses what (credentials.ts).
 *
 * 1. A request only checks a flag. The first use of each minute is noted with its time, the others are not. So the time
 *    is at most a minute older than the latest use.
 * 2. Times are written at most once a minute and at the end. A failed commit is tried again with the next.
 * 3. A power cut loses at most that minute. Nothing else depends on these times.
 */
import { isoMicros, type Clock } from '../../clock.js'
import { limits } from '../../limits.js'
import { type Environment, WriteBatch } from '../../store/environment.js'
import { decodeRecord, encodeRecord, nameKey, type UseRecord } from '../records.js'

/** Remembers that its use was noted. */
export interface Usable {
  used: boolean
}

export class LastUse {
  readonly #environment: Environment
  readonly #clock: Clock
  readonly #at = new Map<string, string>()
  /** Noted and not yet written; null: to be deleted. */
  readonly #unwritten = new Map<string, string | null>()
  #noted: Usable[] = []
  #timer: NodeJS.Timeout | null = null

  /** Reads all times. Those of ids that are not in use are deleted with the next write. */
  constructor(environment: Environment, clock: Clock, isInUse: (id: string) => boolean) {
    this.#environment = environment
    this.#clock = clock
    for (const { key, value } of environment.range('uses', {})) {
      const id = Buffer.from(key).toString('utf8')
      if (isInUse(id)) this.#at.set(id, decodeRecord<UseRecord>('uses', value).at)
      else this.#unwritten.set(id, null)
    }
  }

  /** ISO 8601 UTC, or null: never. */
  at(id: string): string | null {
    return this.#at.get(id) ?? null
  }

  /** Notes a use now. Marks `by` as used until the next write, so that its later uses need no note. */
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

  /** Writes what was noted. A failure concerns no request: the next note tries again. */
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
