/**
 * One time of being the owner: it renews the lease, and notices where it is lost.
 *
 * Owns: when the lease is renewed, and how the time ends. Leaves out: what follows (cluster-node.ts).
 *
 * 1. It ends as `deposed` where another node has the lease, and as `suspended` where this one was not renewed in time
 *    or the log is lost. The first of both counts.
 */
import { LEASE, type Lease, type Owner } from './lease.js'

export class Tenure {
  readonly #lease: Lease
  readonly #ends: (() => void)[] = []
  #owner: Owner
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<unknown> = Promise.resolve()
  #isOver = false
  #settle: (how: 'suspended' | 'deposed') => void = () => {}
  reason = ''
  /** How it ends without this node's wish. */
  readonly over = new Promise<'suspended' | 'deposed'>((resolve) => (this.#settle = resolve))

  constructor(lease: Lease, owner: Owner) {
    this.#lease = lease
    this.#owner = owner
    this.#arm(LEASE.renewMs)
  }

  onEnd(ended: () => void): void {
    this.#ends.push(ended)
  }

  /** Writes the state into the lease. Where the servers do not answer, the next renewal does. */
  async become(state: Owner['state']): Promise<void> {
    this.#owner = { ...this.#owner, state }
    await this.#renew()
  }

  /** The log is lost: the copies here may be behind it. */
  suspend(why: string): void {
    this.reason ||= why
    this.#settle('suspended')
  }

  /** Resolves when the servers answer again. */
  async answered(): Promise<void> {
    for (;;) {
      try {
        await this.#lease.read()
        return
      } catch {
        await new Promise((resolve) => setTimeout(resolve, LEASE.retryMs))
      }
    }
  }

  end(): void {
    this.#isOver = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    for (const ended of this.#ends) ended()
  }

  #arm(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (!this.#isOver) this.#timer = setTimeout(() => void this.#renew(), ms)
  }

  async #renew(): Promise<void> {
    const written = this.#writing.then(() => this.#write())
    this.#writing = written
    this.#arm((await written) ? LEASE.renewMs : LEASE.retryMs)
  }

  async #write(): Promise<boolean> {
    if (this.#isOver) return true
    try {
      if (await this.#lease.write(this.#owner)) return true
      if (this.#lease.owner?.term === this.#owner.term) return false
      this.#settle('deposed')
      return true
    } catch (error) {
      if (this.#lease.heldAgeMs > LEASE.freshMs) this.suspend((error as Error).message)
      return false
    }
  }
}
