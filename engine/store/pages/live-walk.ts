/**
 * Checks the pages of a file while others write to it: page by page, without the library.
 *
 * Owns: the order of the pages, and when what was read counts. Leaves out: how a page must be (page-nodes.ts), the pace
 * (verify/page-check-thread.ts), and what only a walk through a still file can see (page-walk.ts).
 *
 * 1. A step reads the way from the root of a table to one of its leaves. It counts if no commit came while it read: the
 *    library writes to no page of the latest state before the next commit.
 * 2. A step goes on behind the last key of the step before, whatever was written since.
 * 3. Damage counts if it was read several times, with a pause between.
 */
import {
  FLAG_BRANCH,
  FLAG_LEAF,
  FLAG_OVERFLOW,
  NO_PAGE,
  PageDamage,
  PageFile,
  readTree,
  type Tree,
} from './page-file.js'
import { NODE_BIG, NODE_TREE, nodesOf, type Node } from './page-nodes.js'

const DEPTH_MAX = 32

/** Where a walk is: in a table, at the leaf of `from`; null: its first. */
interface Place {
  readonly table: string
  readonly from: Buffer | null
}

/** A page that would end the process where the library reads it. `what` ends a sentence that begins with the page. */
export interface LiveDamage {
  readonly page: number
  readonly what: string
}

/** What a step found. `moved`: a commit came meanwhile, so the step has to be taken again. */
export type LiveStep = 'checked' | 'moved' | 'end' | LiveDamage

export class LiveWalk {
  readonly #path: string
  #place: Place | null = null

  constructor(path: string) {
    this.#path = path
  }

  /** Checks the next leaf, and the way to it. Goes on only if it was checked. */
  step(): LiveStep {
    const file = this.#open()
    if (file === 'moved') return 'moved'
    try {
      let [found, next]: [LiveStep, Place | null] = ['end', null]
      try {
        next = this.#next(file)
        if (next !== null) found = 'checked'
      } catch (error) {
        if (!(error instanceof DamageAt)) throw error
        found = { page: error.page, what: error.message }
      }
      const now = this.#open()
      if (now === 'moved') return 'moved'
      now.close()
      if (now.meta.transaction !== file.meta.transaction) return 'moved'
      if (found === 'checked') this.#place = next
      return found
    } finally {
      file.close()
    }
  }

  /** The file in its latest state. A beginning that is being written is read again. */
  #open(): PageFile | 'moved' {
    try {
      return new PageFile(this.#path)
    } catch (error) {
      if (error instanceof PageDamage) return 'moved'
      throw error
    }
  }

  /** Checks a leaf. Returns where the next one is, or null at the end of the file. */
  #next(file: PageFile): Place | null {
    const tables = tablesOf(file)
    const at = this.#place
    const here = at === null ? tables[0] : tables.find(({ name }) => name >= at.table)
    if (here === undefined) return null
    const from = at?.table === here.name ? at.from : null
    const behind = here.tree.root === NO_PAGE ? null : leafOf(file, here.tree, `of table ${here.name}`, from).behind
    if (behind !== null) return { table: here.name, from: behind }
    const following = tables[tables.indexOf(here) + 1]
    return following === undefined ? null : { table: following.name, from: null }
  }
}

/** Damage with its page. */
class DamageAt extends Error {
  readonly page: number

  constructor(page: number, what: string) {
    super(what)
    this.page = page
  }
}

function tablesOf(file: PageFile): { readonly name: string; readonly tree: Tree }[] {
  const tables: { name: string; tree: Tree }[] = []
  const main = file.meta.mainTree
  if (main.root === NO_PAGE) return tables
  for (let from: Buffer | null = null; ; ) {
    const { page, nodes, behind } = leafOf(file, main, 'of the list of tables', from)
    for (const { key, value, flags } of nodes) {
      if ((flags & NODE_TREE) === 0) throw new DamageAt(page, 'of the list of tables: an entry that is no table')
      tables.push({ name: key.toString('latin1').replace(/\0$/, ''), tree: at(page, '', () => readTree(value, 0)) })
    }
    if (behind === null) return tables
    from = behind
  }
}

/** Runs a check of a page. @throws DamageAt. */
function at<T>(page: number, whose: string, check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof PageDamage)) throw error
    throw new DamageAt(page, whose === '' ? error.message : `${whose}: ${error.message}`)
  }
}

/** The leaf with the first key from `from` on, checked. `behind`: the first key that belongs on the next leaf. */
function leafOf(
  file: PageFile,
  tree: Tree,
  whose: string,
  from: Buffer | null,
): { readonly page: number; readonly nodes: readonly Node[]; readonly behind: Buffer | null } {
  let [page, behind]: [number, Buffer | null] = [tree.root, null]
  if (tree.depth < 1 || tree.depth > DEPTH_MAX) throw new DamageAt(page, `${whose}: it has an impossible depth`)
  for (let depth = tree.depth; depth > 1; depth--) {
    const nodes = nodesAt(file, page, whose, FLAG_BRANCH)
    let child = 0
    // The first key of a branch page has no meaning.
    while (from !== null && child + 1 < nodes.length && Buffer.compare((nodes[child + 1] as Node).key, from) <= 0)
      child++
    behind = nodes[child + 1]?.key ?? behind
    page = (nodes[child] as Node).child
  }
  const nodes = nodesAt(file, page, whose, FLAG_LEAF)
  for (const { value, flags, length } of nodes) if ((flags & NODE_BIG) !== 0) checkLong(file, value, length, whose)
  // A copy: the page that it lies in need not stay in memory.
  return { page, nodes, behind: behind === null ? null : Buffer.from(behind) }
}

function nodesAt(file: PageFile, page: number, whose: string, kind: number): readonly Node[] {
  return at(page, whose, () => {
    if (page > file.meta.lastPage) throw new PageDamage('it is not a page of the file')
    const nodes = nodesOf(file.read(page), page, kind)
    for (let i = kind === FLAG_BRANCH ? 2 : 1; i < nodes.length; i++)
      if (Buffer.compare((nodes[i - 1] as Node).key, (nodes[i] as Node).key) >= 0)
        throw new PageDamage('its keys are out of order')
    return nodes
  })
}

/** A long value begins on a page that says how many there are. */
function checkLong(file: PageFile, named: Buffer, length: number, whose: string): void {
  const [page, count] = [Number(named.readBigUInt64LE(0)), Number(named.readBigUInt64LE(16))]
  at(page, whose, () => {
    if (count * file.meta.pageBytes < length || page + count - 1 > file.meta.lastPage)
      throw new PageDamage(`a value of ${length} bytes has ${count} pages`)
    const bytes = file.read(page)
    const isLong = Number(bytes.readBigUInt64LE(0)) === page && bytes.readUInt16LE(18) === FLAG_OVERFLOW
    if (!isLong || bytes.readUInt32LE(20) !== count) throw new PageDamage('it is not the long value that it should be')
  })
}
