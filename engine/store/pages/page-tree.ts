/**
 * The walk through one tree of a file, from its root to every entry (page-walk.ts, 1 to 3).
 *
 * Owns: the order of keys, long values, and counting. Leaves out: the nodes of a page (page-nodes.ts), which pages are
 * in use (page-use.ts).
 */
import {
  FLAG_BRANCH,
  FLAG_LEAF,
  FLAG_OVERFLOW,
  HEADER_BYTES,
  NO_PAGE,
  PageDamage,
  type PageFile,
  type Tree,
} from './page-file.js'
import { NODE_BIG, nodesOf, type Node } from './page-nodes.js'
import type { PageUse } from './page-use.js'

const DEPTH_MAX = 32
/** The figures of a tree that are counted, and what they are called. */
const FIGURES = [
  ['branchPages', 'branch pages'],
  ['leafPages', 'leaf pages'],
  ['overflowPages', 'overflow pages'],
  ['entries', 'entries'],
] as const

/** Gets every entry of a tree, in order. The bytes are valid during the call. */
export type Visit = (key: Buffer, value: Buffer, flags: number) => void

export class TreeWalk {
  readonly #file: PageFile
  readonly #use: PageUse
  readonly #name: string
  readonly #visit: Visit
  readonly #compare: (a: Buffer, b: Buffer) => number
  readonly #readsLeaves: () => boolean
  #isWhole = true
  readonly #counted = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 }

  /**
   * `name` begins sentences about the tree. `compare` is the order of its keys. Leaves are passed over while
   * `readsLeaves` is false.
   */
  constructor(
    file: PageFile,
    use: PageUse,
    {
      name,
      visit,
      compare = Buffer.compare,
      readsLeaves = () => true,
    }: {
      name: string
      visit: Visit
      compare?: (a: Buffer, b: Buffer) => number
      readsLeaves?: () => boolean
    },
  ) {
    this.#file = file
    this.#use = use
    this.#name = name
    this.#visit = visit
    this.#compare = compare
    this.#readsLeaves = readsLeaves
  }

  /** Walks the tree once, and notes what is wrong. */
  run(tree: Tree): void {
    if (tree.root === NO_PAGE) {
      if (tree.entries !== 0 || tree.depth !== 0) this.#use.note(null, `${this.#name} has entries and no pages`)
      return
    }
    if (tree.depth < 1 || tree.depth > DEPTH_MAX) {
      this.#use.note(null, `${this.#name} has an impossible depth`)
      return
    }
    this.#page(tree.root, tree.depth, null, null)
    if (!this.#isWhole) return
    for (const [figure, words] of FIGURES) {
      if (this.#counted[figure] === tree[figure] || this.#use.problems.length > 0) continue
      this.#use.note(null, `${this.#name} has ${this.#counted[figure]} ${words}; ${tree[figure]} are recorded`)
    }
  }

  /** One page and all below it. `low` is the least key that it may hold, `high` the first that it may not. */
  #page(page: number, depth: number, low: Buffer | null, high: Buffer | null): void {
    try {
      this.#use.take(page, 1)
      const isBranch = depth > 1
      if (!isBranch && !this.#readsLeaves()) {
        this.#isWhole = false
        return
      }
      const nodes = nodesOf(this.#file.read(page), page, isBranch ? FLAG_BRANCH : FLAG_LEAF)
      // The first key of a branch page has no meaning.
      this.#checkKeys(isBranch ? nodes.slice(1) : nodes, low, high)
      if (!isBranch) return this.#leaf(nodes)
      this.#counted.branchPages++
      for (const [place, { key, child }] of nodes.entries()) {
        this.#page(child, depth - 1, place === 0 ? low : key, nodes[place + 1]?.key ?? high)
      }
    } catch (error) {
      if (!(error instanceof PageDamage)) throw error
      this.#use.note(page, `of ${this.#name}: ${error.message}`)
    }
  }

  #checkKeys(nodes: readonly Node[], low: Buffer | null, high: Buffer | null): void {
    let before: Buffer | null = null
    for (const { key } of nodes) {
      if (before !== null && this.#compare(before, key) >= 0) throw new PageDamage('its keys are out of order')
      if (low !== null && this.#compare(key, low) < 0) throw new PageDamage('a key belongs on a page before it')
      if (high !== null && this.#compare(key, high) >= 0) throw new PageDamage('a key belongs on a page after it')
      before = key
    }
  }

  #leaf(nodes: readonly Node[]): void {
    this.#counted.leafPages++
    this.#counted.entries += nodes.length
    for (const { key, value, flags, length } of nodes) {
      this.#visit(key, (flags & NODE_BIG) === 0 ? value : this.#overflow(value, length), flags)
    }
  }

  /** A long value, which lies on pages of its own. */
  #overflow(named: Buffer, length: number): Buffer {
    const [page, count] = [Number(named.readBigUInt64LE(0)), Number(named.readBigUInt64LE(16))]
    const needed = Math.floor((HEADER_BYTES - 1 + length) / this.#file.meta.pageBytes) + 1
    // A shorter value that replaced a longer one keeps its pages.
    if (count < needed) throw new PageDamage(`a value of ${length} bytes has ${count} pages`)
    this.#use.take(page, count)
    const bytes = this.#file.read(page, count)
    if (
      Number(bytes.readBigUInt64LE(0)) !== page ||
      bytes.readUInt16LE(18) !== FLAG_OVERFLOW ||
      bytes.readUInt32LE(20) !== count
    ) {
      throw new PageDamage(`page ${page} is not the long value that it should be`)
    }
    this.#counted.overflowPages += count
    return bytes.subarray(HEADER_BYTES, HEADER_BYTES + length)
  }
}
