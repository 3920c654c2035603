/**
 * Sessions of the console in the catalog, so that they live on when the service starts again, and when another node
 * becomes the owner.
 *
 * | table | key                                        | value                                              |
 * |-------|--------------------------------------------|----------------------------------------------------|
 * | meta  | `session:`, SHA-256 of the cookie's value  | version, JSON: sealed owner, times in microseconds |
 *
 * Owns: the rows, and when they go. Leaves out: cookies, and how long a session lasts (server/http/sessions.ts).
 *
 * 1. The key or token of a session is sealed with a key made of the cookie's value, which is nowhere here. So rows,
 *    logs and backups give nobody a session. What it follows from elsewhere is sealed with the key of the service, as
 *    secrets of integrations are: the service works with it before the cookie comes.
 * 2. Times of use are written at most once a minute.
 * 3. Rows are bounded in age and number.
 * 4. The table is one that all versions have: a node of the version before copies the rows, and leaves them alone.
 */
import { createHash, hkdfSync } from 'node:crypto'
import type { Clock } from '../../clock.js'
import { limits } from '../../limits.js'
import { systemRandom } from '../../rng.js'
import type { KeptSession, SessionAges, SessionKeeper, SessionOwner } from '../../api/live/session-service.js'
import { SEALING_KEY_BYTES, Sealer, type Sealed } from '../../resource/access/sealing.js'
import { commitOrWait } from '../../store/commit-or-wait.js'
import { WriteBatch, type Environment } from '../../store/environment.js'
import { decodeJsonRow, encodeJsonRow } from '../../store/json-row.js'

const TABLE = 'meta'
const PREFIX = 'session:'
/** All keys with the prefix. */
const all = { from: Buffer.from(PREFIX), to: Buffer.from('session;') }

/** No session lasts longer; so many are kept. */
const [AGE_MICROS_MAX, ROWS_MAX] = [24 * 3_600 * 1e6, 10_000]

interface SessionRow extends Sealed {
  readonly beganMicros: number
  readonly usedMicros: number
  readonly origin?: Sealed
}

/** The row's key, and what seals its owner: neither gives the other, nor the value. */
function idOf(value: string): string {
  return PREFIX + createHash('sha256').update(`session ${value}`).digest('hex')
}

function sealerOf(value: string): Sealer {
  return new Sealer(new Uint8Array(hkdfSync('sha256', value, '', 'session', SEALING_KEY_BYTES)), systemRandom)
}

export class SessionTable implements SessionKeeper {
  readonly #environment: Environment
  readonly #clock: Clock
  readonly #sealer: Sealer
  /** By key, in the order of their begin. */
  readonly #rows = new Map<string, SessionRow>()
  readonly #touched = new Set<string>()
  #timer: NodeJS.Timeout | null = null

  /** `sealer` has the key of the service. */
  constructor(environment: Environment, clock: Clock, sealer: Sealer) {
    this.#environment = environment
    this.#clock = clock
    this.#sealer = sealer
    const rows: [string, SessionRow][] = []
    for (const { key, value } of environment.range(TABLE, all))
      rows.push([Buffer.from(key).toString('latin1'), decodeJsonRow(value) as SessionRow])
    for (const [id, row] of rows.sort(([, a], [, b]) => a.beganMicros - b.beganMicros)) this.#rows.set(id, row)
  }

  readonly idOf = idOf

  keep(value: string, owner: SessionOwner, origin: string | null): void {
    const now = this.#clock.nowMicros()
    const batch = new WriteBatch()
    const over = this.#over(now)
    for (const id of over) batch.delete(TABLE, Buffer.from(id))
    const id = idOf(value)
    const followed = origin === null ? {} : { origin: this.#sealer.seal(origin) }
    const row = { ...sealerOf(value).seal(JSON.stringify(owner)), beganMicros: now, usedMicros: now, ...followed }
    batch.put(TABLE, Buffer.from(id), encodeJsonRow(row))
    this.#environment.commit(batch)
    for (const one of over) this.#rows.delete(one)
    this.#rows.set(id, row)
  }

  find(value: string): KeptSession | null {
    const id = idOf(value)
    const row = this.#rows.get(id)
    const text = row === undefined ? null : sealerOf(value).open(row)
    const ages = this.agesOf(id)
    return text === null || ages === null ? null : { owner: JSON.parse(text) as SessionOwner, ...ages }
  }

  agesOf(id: string): SessionAges | null {
    const row = this.#rows.get(id)
    if (row === undefined) return null
    const now = this.#clock.nowMicros()
    return { ageMs: (now - row.beganMicros) / 1_000, unusedMs: (now - row.usedMicros) / 1_000 }
  }

  origins(): ReadonlyMap<string, string> {
    const found = new Map<string, string>()
    for (const [id, { origin }] of this.#rows) {
      const text = origin === undefined ? null : this.#sealer.open(origin)
      if (text !== null) found.set(id, text)
    }
    return found
  }

  setOrigin(id: string, origin: string): void {
    const row = this.#rows.get(id)
    if (row === undefined) return
    const changed = { ...row, origin: this.#sealer.seal(origin) }
    const batch = new WriteBatch()
    batch.put(TABLE, Buffer.from(id), encodeJsonRow(changed))
    this.#environment.commit(batch)
    this.#rows.set(id, changed)
  }

  touch(value: string): void {
    const id = idOf(value)
    if (!this.#rows.has(id)) return
    this.#touched.add(id)
    this.#timer ??= setTimeout(() => this.#write(), limits.lastUseFlushMs).unref()
  }

  end(id: string): void {
    if (!this.#rows.has(id)) return
    const batch = new WriteBatch()
    batch.delete(TABLE, Buffer.from(id))
    this.#environment.commit(batch)
    this.#rows.delete(id)
    this.#touched.delete(id)
  }

  /** Writes the times of use that were not written yet. */
  close(): void {
    this.#write()
  }

  /** Those that are too old, and the oldest where there is no room for one more. */
  #over(now: number): string[] {
    const room = this.#rows.size - ROWS_MAX + 1
    return [...this.#rows]
      .filter(([, { beganMicros }], at) => at < room || now - beganMicros > AGE_MICROS_MAX)
      .map(([id]) => id)
  }

  #write(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#touched.size === 0) return
    const usedMicros = this.#clock.nowMicros()
    const batch = new WriteBatch()
    const touched = [...this.#touched].flatMap((id) => {
      const row = this.#rows.get(id)
      return row === undefined ? [] : [[id, { ...row, usedMicros }] as const]
    })
    for (const [id, row] of touched) batch.put(TABLE, Buffer.from(id), encodeJsonRow(row))
    // Where it fails, the next use tries again.
    if (touched.length > 0 && commitOrWait(this.#environment, batch))
      for (const [id, row] of touched) this.#rows.set(id, row)
    this.#touched.clear()
  }
}
