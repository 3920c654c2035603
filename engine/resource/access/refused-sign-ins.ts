/**
 * Refused sign-ins on their way to the audit log: one by one while they are few, counted together where they are many.
 *
 * Owns: which of them have an entry of their own, and what is counted of the others. Leaves out: how often somebody may guess
 * (login-throttle.ts), the log, of which nothing is ever deleted: whoever guesses for weeks must not be able to fill it.
 *
 * 1. In an hour a name that is guessed at from one address has so many entries of its own, and all together have so many. What goes
 *    beyond is told by one entry a name at the end of the hour: how often (`times`), and from where.
 * 2. A name that nobody has is not written down: people type passwords where names belong.
 * 3. What is counted is memory, bounded, and told at the end of the process too; one that is killed loses that hour of it.
 */
import { isoMicros, type Clock } from '../../clock.js'
import { limits } from '../../limits.js'
import { WriteBatch, type Environment } from '../../store/environment.js'
import type { AuditTrail } from '../audit-trail.js'
import type { AuditEntry } from '../../api/audit-service.js'

const HOUR_MS = 3_600_000

/** Of a name, beyond what has entries of its own. */
interface Counted {
  times: number
  readonly sinceMicros: number
  /** Some of where they came from. */
  readonly addresses: Set<string>
}

export class RefusedSignIns {
  readonly #environment: Environment
  readonly #audit: AuditTrail
  readonly #clock: Clock
  /** The hour that is counted: when it began, how many entries it has, over all and by name and address. */
  #beganMicros = 0
  #entries = 0
  readonly #ofPair = new Map<string, number>()
  readonly #counted = new Map<string, Counted>()
  #timer: NodeJS.Timeout | null = null
  #closed = false

  /** `environment` is the catalog's. */
  constructor(environment: Environment, audit: AuditTrail, clock: Clock) {
    this.#environment = environment
    this.#audit = audit
    this.#clock = clock
  }

  /** Tells of one; `name` is '' for a user that there is not. @throws what a commit does. */
  add(name: string, address: string): void {
    if (this.#closed) return
    const now = this.#clock.nowMicros()
    if (Math.abs(now - this.#beganMicros) >= HOUR_MS * 1000) this.#begin(now)
    const pair = `${name} ${address}`
    const before = this.#ofPair.get(pair) ?? 0
    if (before >= limits.refusedSignInsEach || this.#entries >= limits.refusedSignInsPerHour)
      return this.#count(name, address, now)
    this.#write([entryOf(name, now, { address })])
    this.#ofPair.set(pair, before + 1)
    this.#entries++
  }

  /** Tells what was counted; kept for another time where it cannot be written. */
  tell(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#counted.size === 0) return
    const now = this.#clock.nowMicros()
    const entries = [...this.#counted].map(([name, { times, sinceMicros, addresses }]) => {
      return entryOf(name, now, { times, since: isoMicros(sinceMicros), addresses: [...addresses] })
    })
    try {
      this.#write(entries)
      this.#counted.clear()
    } catch {
      if (!this.#closed) this.#arm()
    }
  }

  /** Tells what was counted, and nothing after. */
  close(): void {
    this.#closed = true
    this.tell()
  }

  #begin(now: number): void {
    this.tell()
    this.#beganMicros = now
    this.#entries = 0
    this.#ofPair.clear()
  }

  #count(name: string, address: string, now: number): void {
    let counted = this.#counted.get(name)
    if (counted === undefined) this.#counted.set(name, (counted = { times: 0, sinceMicros: now, addresses: new Set() }))
    counted.times++
    if (counted.addresses.size < limits.refusedSignInAddresses) counted.addresses.add(address)
    this.#arm()
  }

  #arm(): void {
    this.#timer ??= setTimeout(() => this.tell(), HOUR_MS).unref()
  }

  #write(entries: readonly AuditEntry[]): void {
    const batch = new WriteBatch()
    for (const entry of entries) this.#audit.record(batch, entry)
    this.#environment.commit(batch)
  }
}

function entryOf(name: string, atMicros: number, details: NonNullable<AuditEntry['details']>): AuditEntry {
  const object = { type: 'user', id: name, title: name === '' ? 'unknown user' : name } as const
  return { atMicros, by: { kind: 'nobody', name }, action: 'sign-in refused', object, details }
}
