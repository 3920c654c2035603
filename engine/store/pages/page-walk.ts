/**
 * Checks that the pages of a file hang together: all that the library takes for granted when it reads them.
 *
 * Owns: the walk through all trees of a file. Leaves out: one tree (page-tree.ts), the layout of a page (page-file.ts),
 * the meaning of entries (verify/verify-shard.ts).
 *
 * 1. Every page that is reached has its own number, lies inside the file, and is reached once.
 * 2. Nodes fill a page without gaps and overlaps. Their keys ascend, within the bounds that the page above gives.
 * 3. A tree has the depth, pages and entries that its description names.
 * 4. A page is either in use or on the list of free pages.
 * 5. A file begins with two meta pages: its latest state and the one before. Each names the transaction that wrote its
 *    root. Otherwise the library would take the older state for the latest.
 * 6. If values have checksums (checksums.ts), each fits its value and key.
 */
import { CHECKSUMS_TABLE, ChecksumMemory } from '../checksums.js'
import { NO_PAGE, PageDamage, PageFile, readTree, type Tree } from './page-file.js'
import { NODE_TREE } from './page-nodes.js'
import { TreeWalk, type Visit } from './page-tree.js'
import { PageUse, type PageProblem } from './page-use.js'

/** Pages of one run of free ones; a store of 128 GiB has no more. */
const RUN_MAX = 2 ** 24

export interface PagesReport {
  /** Up to a hundred. */
  readonly problems: readonly PageProblem[]
  /** As far as they could be read. */
  readonly tables: readonly string[]
  readonly hasChecksums: boolean
  /** The pages in use, meta pages included. */
  usedPages(): number[]
}

/** Everything that is wrong with the pages of a file. Reads all pages in use. */
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
      problems: walk.use.problems,
      tables,
      hasChecksums: names.includes(CHECKSUMS_TABLE),
      usedPages: () => walk.use.used(),
    }
  } finally {
    file.close()
  }
}

/**
 * What would end the process where the library reads the file, or null: pages that do not hang together. Values are not
 * compared with their checksums. Pages with entries are passed over once `readsLeaves` is false.
 */
export function firstDamage(path: string, readsLeaves: () => boolean): PageProblem | null {
  let file: PageFile
  try {
    file = new PageFile(path)
  } catch (error) {
    if (!(error instanceof PageDamage)) throw error
    return { page: null, what: error.message }
  }
  try {
    const walk = new Walk(file)
    walk.runTrees(readsLeaves)
    return walk.use.problems[0] ?? null
  } finally {
    file.close()
  }
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

class Walk {
  readonly use: PageUse
  readonly #file: PageFile
  readonly #checksums = new ChecksumMemory()

  constructor(file: PageFile) {
    this.#file = file
    this.use = new PageUse(file.meta.lastPage)
  }

  /** Returns the names of the tables. */
  run(): string[] {
    this.#checkMetas()
    const free = this.#freePages()
    const tables = this.tables()
    const names = tables.map(({ name }) => name)
    const visit: Visit = names.includes(CHECKSUMS_TABLE) ? (key, value) => this.#checkValue(key, value) : () => {}
    for (const { name, tree } of tables) new TreeWalk(this.#file, this.use, { name: `table ${name}`, visit }).run(tree)
    this.use.free(free)
    const lost = this.use.problems.length === 0 ? this.use.lost() : -1
    if (lost >= 0) this.use.note(lost, 'is neither in use nor listed as free')
    return names
  }

  /** As `run`, without what the values are, and without pages that are lost. */
  runTrees(readsLeaves: () => boolean): void {
    this.#checkMetas()
    const free = this.#freePages()
    for (const { name, tree } of this.tables())
      new TreeWalk(this.#file, this.use, { name: `table ${name}`, visit: () => {}, readsLeaves }).run(tree)
    this.use.free(free)
  }

  #checkMetas(): void {
    for (const [page, { mainTree, transaction, lastPage }] of this.#file.metas.entries()) {
      const { root, flags } = mainTree
      if (flags !== 0) this.use.note(page, 'has flags that this service does not use')
      if (root === NO_PAGE) continue
      const written = root > lastPage || root >= this.#file.pages ? -1 : this.#file.transactionOf(root)
      if (written !== transaction) this.use.note(page, 'names another transaction than the one that wrote its root')
    }
  }

  #freePages(): number[] {
    const pages: number[] = []
    const compare = (a: Buffer, b: Buffer): number => Number(a.readBigUInt64LE() - b.readBigUInt64LE())
    const visit: Visit = (_, value) => {
      for (const page of pagesIn(value)) pages.push(page)
    }
    new TreeWalk(this.#file, this.use, { name: 'the list of free pages', visit, compare }).run(this.#file.meta.freeTree)
    return pages
  }

  tables(): { readonly name: string; readonly tree: Tree }[] {
    const tables: { name: string; tree: Tree }[] = []
    const visit: Visit = (key, value, flags) => {
      if ((flags & NODE_TREE) === 0) throw new PageDamage('an entry that is no table')
      const [name, tree] = [key.toString('latin1').replace(/\0$/, ''), readTree(value, 0)]
      if (tree.flags !== 0) throw new PageDamage(`table ${name} has flags that this service does not use`)
      tables.push({ name, tree })
    }
    new TreeWalk(this.#file, this.use, { name: 'the list of tables', visit }).run(this.#file.meta.mainTree)
    return tables
  }

  #checkValue(key: Buffer, stored: Buffer): void {
    if (!this.#checksums.isRight(key, stored))
      throw new PageDamage(`the entry ${key.toString('hex')} is not what was written`)
  }
}

/**
 * The pages that an entry of the list of free pages names: a count of words, then the words, 8 bytes each. A word is a
 * page; or -n, and the next word is the first of n pages; or 0.
 */
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
