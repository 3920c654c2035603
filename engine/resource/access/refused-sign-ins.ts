/**
 * Refused sign-ins in the audit log: single entries while there are few, one summary where there are many. Nothing is
 * ever deleted from the audit log, so weeks of attempts must not fill it.
 *
 * Owns: which refused sign-ins get entries, and the summaries. Leaves out: the number of attempts (login-throttle.ts),
 * the log (audit-trail.ts).
 *
 * 1. The entries of one hour are limited: for each name and address, and in total. The rest becomes one summary for
 *    each name at the end of the hour: how often (`times`), and from which addresses.
 * 2. Unknown names are not written: people type passwords into the field for the name.
 * 3. Counts are in memory and bounded. They are written when the process ends. A killed process loses that hour.
 */
import { isoMicros, type Clock } from '../../clock.js'
import { limits } from '../../limits.js'
import type { AuditEntry } from '../../api/audit-service.js'
import { WriteBatch, type Environment } from '../../store/environment.js'
import type { AuditTrail } from '../audit-trail.js'

const HOUR_MS = 3_600_000

/** The refused sign-ins of a name that have no entry of their own. */
interface Counted {
  times: number
  readonly sinceMicros: number
  /** Some of the addresses. */
  readonly addresses: Set<string>
}

export class RefusedSignIns {
  readonly #environment: Environment
  readonly #audit: AuditTrail
  readonly #clock: Clock
  /** The current hour: its beginning, and its entries in total and by name and address. */
  #beganMicros = 0
  #entries = 0
  readonly #entriesOfPair = new Map<string, number>()
  readonly #counted = new Map<string, Counted>()
  #timer: NodeJS.Timeout | null = null
  #closed = false

  /** `environment` is the catalog environment. */
  constructor(environment: Environment, audit: AuditTrail, clock: Clock) {
    this.#environment = environment
    this.#audit = audit
    this.#clock = clock
  }

  /** Records one; `name` is '' for an unknown user. @throws the errors of a commit. */
  add(name: string, address: string): void {
    if (this.#closed) return
    const now = this.#clock.nowMicros()
    if (Math.abs(now - this.#beganMicros) >= HOUR_MS * 1000) this.#begin(now)
    const pair = `${name} ${address}`
    const before = this.#entriesOfPair.get(pair) ?? 0
    if (before >= limits.refusedSignInsEach || this.#entries >= limits.refusedSignInsPerHour)
      return this.#count(name, address, now)
    this.#write([entryOf(name, now, { address })])
    this.#entriesOfPair.set(pair, before + 1)
    this.#entries++
  }

  /** Writes the summaries. After a failed commit they are kept for another try. */
  summarize(): void {
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

  /** Writes the summaries, and records nothing afterwards. */
  close(): void {
    this.#closed = true
    this.summarize()
  }

  #begin(now: number): void {
    this.summarize()
    this.#beganMicros = now
    this.#entries = 0
    this.#entriesOfPair.clear()
  }

  #count(name: string, address: string, now: number): void {
    let counted = this.#counted.get(name)
    if (counted === undefined) this.#counted.set(name, (counted = { times: 0, sinceMicros: now, addresses: new Set() }))
    counted.times++
    if (counted.addresses.size < limits.refusedSignInAddresses) counted.addresses.add(address)
    this.#arm()
  }

  #arm(): void {
    this.#timer ??= setTimeout(() => this.summarize(), HOUR_MS).unref()
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
