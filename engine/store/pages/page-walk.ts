/**
 * Whether the pages of a file of the store belong together: what the library takes for granted when it reads them.
 *
 * Owns: the walk from the roots to every page that is in use. Leaves out: the layout of a page (page-file.ts), what the
 * entries mean (verify/verify-shard.ts).
 *
 * 1. Every page that is reached has its own number, lies inside the file, and is reached once.
 * 2. Nodes fill a page without gaps and without lying over each other; their keys ascend, between those of the page above.
 * 3. A tree has the depth, pages and entries that it is said to have.
 * 4. A page is in use or on the list of free ones, and not both.
 * 5. Both of the two states that a file begins with, the latest and the one before, name the transaction that wrote their roots:
 *    otherwise the library would take the older one for the latest.
 * 6. Where values have checksums (checksums.ts), each is the one that was written under its key.
 */
import { CHECKSUMS_TABLE, ChecksumMemory } from '../checksums.js'
import {
  FLAG_BRANCH,
  FLAG_LEAF,
  FLAG_OVERFLOW,
  HEADER_BYTES,
  META_PAGES,
  NO_PAGE,
  PageDamage,
  PageFile,
  readTree,
  type Tree,
} from './page-file.js'
import { NODE_BIG, NODE_TREE, nodesOf, type Node } from './page-nodes.js'

const DEPTH_MAX = 32

/** What is wrong with a file; `page` where one can be named. */
export interface PageProblem {
  readonly page: number | null
  readonly what: string
}

interface Counted {
  branchPages: number
  leafPages: number
  overflowPages: number
  entries: number
}

/** Gets every entry of a tree's leaves, in order. The bytes are good during the call. */
type Visit = (key: Buffer, value: Buffer, flags: number) => void

class Walk {
  readonly problems: PageProblem[] = []
  readonly #file: PageFile
  /** 1: in use, 2: free. */
  readonly #state: Uint8Array
  readonly #checksums = new ChecksumMemory()
  #compare: (a: Buffer, b: Buffer) => number = Buffer.compare

  constructor(file: PageFile) {
    this.#file = file
    this.#state = new Uint8Array(file.meta.lastPage + 1)
  }

  /** Returns the names of the tables. */
  run(): string[] {
    const { freeTree, lastPage } = this.#file.meta
    this.#state.fill(1, 0, META_PAGES)
    this.#states()
    const free: number[] = []
    this.#compare = (a, b) => Number(a.readBigUInt64LE() - b.readBigUInt64LE())
    this.#tree('the list of free pages', freeTree, (_, value) => {
      for (const page of pagesIn(value)) free.push(page)
    })
    this.#compare = Buffer.compare
    const tables = this.tables()
    const names = tables.map(({ name }) => name)
    const check: Visit = names.includes(CHECKSUMS_TABLE) ? (key, value) => this.#mustBeAsWritten(key, value) : () => {}
    for (const { name, tree } of tables) this.#tree(`table ${name}`, tree, check)
    for (const page of free) {
      if (page < META_PAGES || page > lastPage) this.#note(page, 'is listed as free and is not a page of the file')
      else if (this.#state[page] !== 0)
        this.#note(page, this.#state[page] === 1 ? 'is listed as free and is in use' : 'is listed as free twice')
      else this.#state[page] = 2
    }
    if (this.problems.length > 0) return names
    const lost = this.#state.indexOf(0)
    if (lost >= 0) this.#note(lost, 'is neither in use nor listed as free')
    return names
  }

  used(): number[] {
    return Array.from(this.#state.keys()).filter((page) => this.#state[page] === 1)
  }

  #states(): void {
    for (const [
      page,
      {
        mainTree: { root, flags },
        transaction,
        lastPage,
      },
    ] of this.#file.metas.entries()) {
      if (flags !== 0) this.#note(page, 'has flags that are none of this service')
      if (root === NO_PAGE) continue
      const written = root > lastPage || root >= this.#file.pages ? -1 : this.#file.transactionOf(root)
      if (written !== transaction) this.#note(page, 'names another transaction than the one that wrote its root')
    }
  }

  #mustBeAsWritten(key: Buffer, stored: Buffer): void {
    if (!this.#checksums.isRight(key, stored))
      throw new PageDamage(`the entry ${key.toString('hex')} is not what was written`)
  }

  tables(): { readonly name: string; readonly tree: Tree }[] {
    const tables: { name: string; tree: Tree }[] = []
    this.#tree('the list of tables', this.#file.meta.mainTree, (key, value, flags) => {
      if ((flags & NODE_TREE) === 0) throw new PageDamage('an entry that is no table')
      const [name, tree] = [key.toString('latin1').replace(/\0$/, ''), readTree(value, 0)]
      if (tree.flags !== 0) throw new PageDamage(`table ${name} has flags that are none of this service`)
      tables.push({ name, tree })
    })
    return tables
  }

  #note(page: number | null, what: string): void {
    if (this.problems.length < PROBLEMS_MAX) this.problems.push({ page, what })
  }

  #tree(name: string, tree: Tree, visit: Visit): void {
    if (tree.root === NO_PAGE) {
      if (tree.entries !== 0 || tree.depth !== 0) this.#note(null, `${name} has entries and no pages`)
      return
    }
    const counted: Counted = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 }
    if (tree.depth < 1 || tree.depth > DEPTH_MAX) return this.#note(null, `${name} has an impossible depth`)
    this.#page(name, tree.root, tree.depth, null, null, counted, visit)
    for (const part of ['branchPages', 'leafPages', 'overflowPages', 'entries'] as const) {
      if (counted[part] !== tree[part] && this.problems.length === 0) {
        this.#note(null, `${name} has ${counted[part]} ${words[part]} and says that it has ${tree[part]}`)
      }
    }
  }

  /** One page and all below it; `low` is the least key that may be there, `high` the first that may not. */
  #page(
    name: string,
    page: number,
    depth: number,
    low: Buffer | null,
    high: Buffer | null,
    counted: Counted,
    visit: Visit,
  ): void {
    try {
      this.#take(page, 1)
      const bytes = this.#file.read(page)
      const nodes = nodesOf(bytes, page, depth > 1 ? FLAG_BRANCH : FLAG_LEAF)
      this.#checkKeys(
        nodes.map(({ key }) => key),
        depth > 1,
        low,
        high,
      )
      if (depth === 1) return this.#leaf(nodes, counted, visit)
      counted.branchPages++
      for (const [place, { key, child }] of nodes.entries()) {
        this.#page(name, child, depth - 1, place === 0 ? low : key, nodes[place + 1]?.key ?? high, counted, visit)
      }
    } catch (error) {
      if (!(error instanceof PageDamage)) throw error
      this.#note(page, `of ${name}: ${error.message}`)
    }
  }

  #leaf(nodes: readonly Node[], counted: Counted, visit: Visit): void {
    counted.leafPages++
    counted.entries += nodes.length
    for (const { key, value, flags, length } of nodes) {
      if ((flags & NODE_BIG) === 0) visit(key, value, flags)
      else visit(key, this.#overflow(value, length, counted), flags)
    }
  }

  /** A value that lies on pages of its own. */
  #overflow(named: Buffer, length: number, counted: Counted): Buffer {
    const [page, count] = [Number(named.readBigUInt64LE(0)), Number(named.readBigUInt64LE(16))]
    const needed = Math.floor((HEADER_BYTES - 1 + length) / this.#file.meta.pageBytes) + 1
    // A shorter value in the place of a longer one keeps its pages.
    if (count < needed) throw new PageDamage(`a value of ${length} bytes has ${count} pages`)
    this.#take(page, count)
    const bytes = this.#file.read(page, count)
    if (
      Number(bytes.readBigUInt64LE(0)) !== page ||
      bytes.readUInt16LE(18) !== FLAG_OVERFLOW ||
      bytes.readUInt32LE(20) !== count
    ) {
      throw new PageDamage(`page ${page} is not the long value that it should be`)
    }
    counted.overflowPages += count
    return bytes.subarray(HEADER_BYTES, HEADER_BYTES + length)
  }

  #take(page: number, count: number): void {
    for (let each = page; each < page + count; each++) {
      if (!(each >= META_PAGES && each < this.#state.length))
        throw new PageDamage(`page ${each} is not a page of the file`)
      if (this.#state[each] !== 0) throw new PageDamage(`page ${each} is in use twice`)
      this.#state[each] = 1
    }
  }

  /** The first key of a branch page says nothing. */
  #checkKeys(keys: readonly Buffer[], isBranch: boolean, low: Buffer | null, high: Buffer | null): void {
    for (let i = isBranch ? 1 : 0; i < keys.length; i++) {
      const key = keys[i] as Buffer
      const before = i > (isBranch ? 1 : 0) ? (keys[i - 1] as Buffer) : null
      if (before !== null && this.#compare(before, key) >= 0) throw new PageDamage('its keys are out of order')
      if (low !== null && this.#compare(key, low) < 0) throw new PageDamage('a key belongs on a page before it')
      if (high !== null && this.#compare(key, high) >= 0) throw new PageDamage('a key belongs on a page behind it')
    }
  }
}

const PROBLEMS_MAX = 100
/** Pages of one run of free ones; a store of 128 GiB has no more. */
const RUN_MAX = 2 ** 24
const words = {
  branchPages: 'branch pages',
  leafPages: 'leaf pages',
  overflowPages: 'overflow pages',
  entries: 'entries',
} as const

/** An entry of the list of free pages: the number of words, and they, 8 bytes each: a page; -n and the first of n pages; 0. */
function pagesIn(value: Buffer): number[] {
  const words = Number(value.readBigUInt64LE(0))
  if ((words + 1) * 8 > value.length) throw new PageDamage('a list of free pages that is cut off')
  const pages: number[] = []
  let run = 1
  for (let i = 1; i <= words; i++) {
    const word = Number(value.readBigInt64LE(i * 8))
    if (word === 0) continue
    if (word < 0) run = -word
    else {
      if (run > RUN_MAX) throw new PageDamage('a list of free pages with an impossible number of them')
      for (let page = word; page < word + run; page++) pages.push(page)
      run = 1
    }
  }
  return pages
}

/** The tables of a file, read from its pages. @throws PageDamage. */
export function tableNames(path: string): string[] {
  const file = new PageFile(path)
  try {
    return new Walk(file)
      .tables()
      .map(({ name }) => name)
      .filter((name) => name !== CHECKSUMS_TABLE)
  } finally {
    file.close()
  }
}

export interface PagesReport {
  /** Up to a hundred. */
  readonly problems: readonly PageProblem[]
  /** As far as they could be read. */
  readonly tables: readonly string[]
  readonly hasChecksums: boolean
  /** Pages that hold something, those that the file begins with included. */
  usedPages(): number[]
}

/** Everything that is wrong with the pages of a file. Reads all that is in use. */
export function walkPages(path: string): PagesReport {
  let file: PageFile
  try {
    file = new PageFile(path)
  } catch (error) {
    if (!(error instanceof PageDamage)) throw error
    return { problems: [{ page: null, what: error.message }], tables: [], hasChecksums: false, usedPages: () => [] }
  }
  try {
    const walk = new Walk(file)
    const names = walk.run()
    const tables = names.filter((name) => name !== CHECKSUMS_TABLE)
    return {
      problems: walk.problems,
      tables,
      hasChecksums: names.includes(CHECKSUMS_TABLE),
      usedPages: () => walk.used(),
    }
  } finally {
    file.close()
  }
}
