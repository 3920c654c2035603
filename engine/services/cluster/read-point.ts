/**
 * Whether the copies of a node are current: whether they have what was acknowledged before a request came.
 *
 * Owns: how far the copies have to be for a read, and waiting until they are. Leaves out: the copies (standby.ts), what
 * is asked of whom (owner-positions.ts, the logs).
 *
 * 1. The owner says how far it is. It has applied what it has acknowledged. While there is none that answers, the logs
 *    say where they end: what was acknowledged is in them.
 * 2. Requests that come while the owner is asked share the next answer: an answer counts for those that came before it
 *    was asked for.
 * 3. Where neither answers, the copies may be behind. Then it is known how old they are at most: as old as the last
 *    time at which they were current. Who waits then, and who comes until somebody answers again, is told that at once.
 * 4. What needs the catalog alone waits for no shard. It waits for others that need the same first: so a flood of wrong
 *    keys is a question now and then.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Positions } from '../../runtime/log/jetstream/owner-positions.js'
import { within } from '../../runtime/within.js'

export interface ReadPointDeps {
  /** How far the copies are. */
  applied(): Positions
  /** How far the owner is; null where there is none, or it does not answer. */
  ofOwner(): Promise<Positions | null>
  /** Where the logs end; null where they do not answer. */
  ofLogs(): Promise<Positions | null>
}

/** Milliseconds that a read waits for the copies; between two looks at how old they are; until nobody has answered. */
const [REACH_MS, LOOK_MS, ANSWER_MS] = [300, 1_000, 2_000]
/** Milliseconds until those that need the catalog ask together; until they wait no longer. */
const [GATHER_MS, CATALOG_MS] = [25, 2_000]

interface Waiting {
  readonly goal: Positions
  reached(isReached: boolean): void
}

export class ReadPoint {
  readonly #deps: ReadPointDeps
  readonly #waiting = new Set<Waiting>()
  readonly #timer: NodeJS.Timeout
  #asking: Promise<Positions | null> | null = null
  #next: Promise<Positions | null> | null = null
  /** When the copies were current, milliseconds of this process; 0 for never. */
  #currentMs = 0
  /** The same of the catalog. */
  #catalogMs = 0
  /** Those that need the catalog, before they ask. */
  #gathering: Promise<void> | null = null
  /** Nobody has answered what was asked last. */
  #isSilent = false

  constructor(deps: ReadPointDeps) {
    this.#deps = deps
    this.#timer = setInterval(() => void this.#look(), LOOK_MS).unref()
  }

  /** How long ago the copies were last known to be current, milliseconds; null for never. */
  get knownLagMs(): number | null {
    return this.#currentMs === 0 ? null : Math.max(1, Math.ceil(performance.now() - this.#currentMs))
  }

  /**
   * 0 where the copies have all that was acknowledged before this call. More: nobody knows whether they have, and they
   * had so many milliseconds ago. Null where they have not, and somebody else has. Never rejects.
   */
  async lagMs(): Promise<number | null> {
    const found = this.#look()
    const how = this.#isSilent ? 'unknown' : await found
    return how === 'unknown' ? this.knownLagMs : how === 'current' ? 0 : null
  }

  /** Whether the copies have what was acknowledged before this call. Never rejects. */
  async #look(): Promise<'current' | 'behind' | 'unknown'> {
    const beganMs = performance.now()
    const goal = await this.#ask()
    if (goal === null) return 'unknown'
    if (!(await this.#reach(goal))) return 'behind'
    this.#currentMs = Math.max(this.#currentMs, beganMs)
    this.#catalogMs = Math.max(this.#catalogMs, beganMs)
    return 'current'
  }

  /**
   * Resolves when the copy of the catalog has all that was acknowledged before this call, or when nobody says so within
   * 2 seconds. Null where it is known to have all from before `sinceMs`, of `performance.now()`. Never rejects.
   */
  catalogCurrent(sinceMs = Number.POSITIVE_INFINITY): Promise<void> | null {
    if (this.#catalogMs >= sinceMs) return null
    this.#gathering ??= pause(GATHER_MS).then(() => {
      this.#gathering = null
      return this.#catchUp()
    })
    return this.#gathering
  }

  async #catchUp(): Promise<void> {
    const beganMs = performance.now()
    const goal = await Promise.race([this.#ask(), pause(CATALOG_MS, null, { ref: false })])
    if (goal === null) return
    const leftMs = beganMs + CATALOG_MS - performance.now()
    if (await this.#reach({ shards: [], catalog: goal.catalog }, leftMs))
      this.#catalogMs = Math.max(this.#catalogMs, beganMs)
  }

  /** The copies have applied a record. */
  progressed(): void {
    for (const one of this.#waiting) if (this.#has(one.goal)) one.reached(true)
  }

  close(): void {
    clearInterval(this.#timer)
    for (const one of this.#waiting) one.reached(false)
  }

  #ask(): Promise<Positions | null> {
    if (this.#asking === null) return this.#begin()
    // Where nobody answers one question, nobody waits for the answer to another.
    this.#next ??= this.#asking.then((found) => (found === null ? this.#giveUp() : this.#begin()))
    return this.#next
  }

  #giveUp(): null {
    this.#next = null
    return null
  }

  #begin(): Promise<Positions | null> {
    this.#next = null
    const answered = within(ANSWER_MS, this.#find()).catch(() => null)
    const asking = answered.then((found) => {
      this.#isSilent = found === null
      if (this.#asking === asking) this.#asking = null
      return found
    })
    this.#asking = asking
    return asking
  }

  async #find(): Promise<Positions | null> {
    return (await this.#deps.ofOwner()) ?? (await this.#deps.ofLogs())
  }

  #has(goal: Positions): boolean {
    const { shards, catalog } = this.#deps.applied()
    return catalog >= goal.catalog && goal.shards.every((sequence, shard) => (shards[shard] ?? 0) >= sequence)
  }

  #reach(goal: Positions, limitMs = REACH_MS): Promise<boolean> {
    if (this.#has(goal)) return Promise.resolve(true)
    return new Promise((resolve) => {
      const timer = setTimeout(() => waiting.reached(false), limitMs)
      const waiting: Waiting = {
        goal,
        reached: (isReached) => {
          clearTimeout(timer)
          this.#waiting.delete(waiting)
          resolve(isReached)
        },
      }
      this.#waiting.add(waiting)
    })
  }
}
