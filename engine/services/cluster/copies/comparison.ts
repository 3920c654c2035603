/**
 * Compares the copies of all nodes while they work, by the sums of what their records wrote (actor/log/block-sums.ts).
 *
 * Owns: the value in the cluster's keys in which nodes show their sums, and who is wrong where they differ. Leaves out:
 * what follows (differing.ts).
 *
 * 1. Blocks of the log that several nodes have applied are compared, whoever applied them first.
 * 2. The sum that most nodes have is right. Where two sums have as many for a while, that of the log's writer is: until
 *    then a third node may show its own.
 */
import type { BlockSum } from '../../../actor/log/block-sums.js'
import type { ClusterKeys } from '../../../runtime/log/jetstream/cluster-keys.js'
import { LogUnavailable } from '../../../runtime/log/turn-log.js'
import type { PartRole } from '../snapshots/snapshot-part.js'

/** Milliseconds between two looks. */
const LOOK_MS = 10_000
/** So many looks with as many nodes on both sides, until the writer counts more. */
const TIED_LOOKS = 6
/** Blocks that are kept. */
const KEPT = 64

/** What one node has of a block. */
interface Shown {
  readonly node: string
  readonly sum: number
  readonly writes: boolean
}

/** By block. */
type Sums = Readonly<Record<string, readonly Shown[]>>

export interface ComparisonDeps {
  readonly cluster: string
  readonly node: string
  readonly keys: Pick<ClusterKeys, 'get' | 'put'>
  readonly shards: number
  /** The sums of a shard's copy here. */
  sumsOf(shard: number): readonly BlockSum[]
  roleOf(shard: number): PartRole
  /** Told once: the copy of this node is wrong, from a record of this block on. */
  differs(shard: number, block: number): void
  failed(what: string, error: unknown): void
}

/** Which sums may be right: those that most nodes have. */
function candidatesOf(shown: readonly Shown[]): readonly number[] {
  const counts = new Map<number, number>()
  for (const { sum } of shown) counts.set(sum, (counts.get(sum) ?? 0) + 1)
  const most = Math.max(...counts.values())
  return [...counts].filter(([, count]) => count === most).map(([sum]) => sum)
}

/** Whether a node's sum is wrong: by most of the others, or by the writer alone. Null: it is not. */
function wrongBy(own: Shown, others: readonly Shown[]): 'most' | 'writer' | null {
  const candidates = candidatesOf([own, ...others])
  if (!candidates.includes(own.sum)) return 'most'
  const isAgainst = ({ sum, writes }: Shown): boolean => writes && sum !== own.sum && candidates.includes(sum)
  return !own.writes && others.some(isAgainst) ? 'writer' : null
}

export class Comparison {
  readonly #deps: ComparisonDeps
  /** The last block that was shown, by shard. */
  readonly #through = new Map<number, number>()
  /** Looks at which only the writer had another sum, by shard. */
  readonly #tied = new Map<number, number>()
  #timer: NodeJS.Timeout | null = null
  #isOver = false

  constructor(deps: ComparisonDeps) {
    this.#deps = deps
  }

  /** From now on it looks by itself. */
  begin(): void {
    this.#timer = setTimeout(() => void this.look().finally(() => this.#isOver || this.begin()), LOOK_MS).unref()
  }

  close(): void {
    this.#isOver = true
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  /** Shows what this node has, and compares it. */
  async look(): Promise<void> {
    for (let shard = 0; shard < this.#deps.shards && !this.#isOver; shard++) {
      try {
        await this.#lookAt(shard)
      } catch (error) {
        if (!(error instanceof LogUnavailable)) this.#deps.failed(`shard ${shard} could not be compared`, error)
      }
    }
  }

  async #lookAt(shard: number): Promise<void> {
    const { cluster, keys, node, differs, roleOf, sumsOf } = this.#deps
    const role = roleOf(shard)
    if (role === 'none') return
    const own = new Map(sumsOf(shard))
    const key = `sums.${cluster}.shard-${shard}`
    for (;;) {
      const found = await keys.get(key)
      const all = (found?.value ?? {}) as Sums
      const wrong = this.#wrong(shard, [...own], all, role === 'writes')
      if (wrong !== null) {
        this.#isOver = true
        return differs(shard, wrong)
      }
      const last = Math.max(-1, ...own.keys())
      if (last <= (this.#through.get(shard) ?? -1)) return
      const shown: Record<string, readonly Shown[]> = { ...all }
      for (const [block, sum] of own) {
        const others = (all[block] ?? []).filter((one) => one.node !== node)
        shown[block] = [...others, { node, sum, writes: role === 'writes' }]
      }
      const kept = Object.entries(shown).sort(([a], [b]) => Number(a) - Number(b))
      if ((await keys.put(key, Object.fromEntries(kept.slice(-KEPT)), found?.revision ?? 0)) === null) continue
      this.#through.set(shard, last)
      return
    }
  }
  /** The first block in which this node is wrong, as far as that is known; or null. */
  #wrong(shard: number, own: readonly BlockSum[], all: Sums, writes: boolean): number | null {
    const { node } = this.#deps
    let tied: number | null = null
    for (const [block, sum] of own) {
      const others = (all[block] ?? []).filter((one) => one.node !== node)
      const by = others.length === 0 ? null : wrongBy({ node, sum, writes }, others)
      if (by === 'most') return block
      if (by === 'writer') tied ??= block
    }
    const looks = tied === null ? 0 : (this.#tied.get(shard) ?? 0) + 1
    this.#tied.set(shard, looks)
    return looks > TIED_LOOKS ? tied : null
  }
}
