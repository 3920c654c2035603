/**
 * Reads a file of the store page by page, without the library: a damaged page is an error here, where the library would
 * end the process.
 *
 * Owns: the layout of pages as LMDB writes them (data version 2, little-endian, 64 bits). Leaves out: how pages hang
 * together (page-walk.ts).
 *
 * | page     | at | what                                                                                           |
 * |----------|----|------------------------------------------------------------------------------------------------|
 * | any      | 0  | page number u64, transaction u64, unused u16, flags u16, lower u16, upper u16; overflow: pages u32 |
 * | meta     | 24 | magic u32, version u32, 16 bytes, free pages' tree 48, main tree 48, last page u64, transaction |
 * | branch   | 24 | u16 a node: where it begins, counted from 24. Node: page u48, key's length u16, key            |
 * | leaf     | 24 | the same. Node: value's length u32, flags u16, key's length u16, key, value                    |
 *
 * A tree has 48 bytes: u32, flags u16, depth u16, branch pages u64, leaf pages u64, overflow pages u64, entries u64,
 * root u64.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** LMDB's magic number. */
export const MAGIC = 0xbeefc0de
const DATA_VERSION = 2
export const HEADER_BYTES = 24
/** Meta pages at the beginning of a file. They are part of no tree. */
export const META_PAGES = 2
/** Length of every page in this service's files. */
export const META_PAGE_BYTES = 8192
/** The longest page that LMDB allows. */
export const PAGE_BYTES_MAX = 65_536
const TREE_BYTES = 48
/** A file's largest size. It reserves address space, not disk. */
export const MAP_BYTES = 128 * 1024 ** 3
/** The root of a tree without entries. */
export const NO_PAGE = 2 ** 64

/** Bytes read at a time. Neighbours in a tree are often neighbours in the file, but not in long runs. */
const WINDOW_BYTES = 64 * 1024

export const FLAG_BRANCH = 1
export const FLAG_LEAF = 2
export const FLAG_OVERFLOW = 4
const FLAG_META = 8

/** A damaged page. The message ends a sentence that begins with the page or file. */
export class PageDamage extends Error {}

export interface Tree {
  /** 0 for the tables of this service. */
  readonly flags: number
  readonly depth: number
  readonly branchPages: number
  readonly leafPages: number
  readonly overflowPages: number
  readonly entries: number
  readonly root: number
}

/** The state of the file as its latest transaction left it. */
export interface Meta {
  readonly pageBytes: number
  readonly freeTree: Tree
  readonly mainTree: Tree
  readonly lastPage: number
  readonly transaction: number
}

export function readTree(bytes: Buffer, at: number): Tree {
  if (at + TREE_BYTES > bytes.length) throw new PageDamage('a tree that is cut off')
  const root = bytes.readBigUInt64LE(at + 40)
  return {
    flags: bytes.readUInt16LE(at + 4),
    depth: bytes.readUInt16LE(at + 6),
    branchPages: Number(bytes.readBigUInt64LE(at + 8)),
    leafPages: Number(bytes.readBigUInt64LE(at + 16)),
    overflowPages: Number(bytes.readBigUInt64LE(at + 24)),
    entries: Number(bytes.readBigUInt64LE(at + 32)),
    root: root === 0xffff_ffff_ffff_ffffn ? NO_PAGE : Number(root),
  }
}

export class PageFile {
  readonly #fd: number
  readonly bytes: number
  /** The two meta pages. */
  readonly metas: readonly [Meta, Meta]
  /** The later of them. */
  readonly meta: Meta
  #window: Buffer = Buffer.alloc(0)
  #windowAt = 0

  /** @throws PageDamage if one of the two meta pages is damaged. */
  constructor(path: string) {
    this.#fd = openSync(path, 'r')
    try {
      this.bytes = fstatSync(this.#fd).size
      this.metas = this.#readMetas()
      this.meta = this.metas[1].transaction > this.metas[0].transaction ? this.metas[1] : this.metas[0]
    } catch (error) {
      closeSync(this.#fd)
      throw error
    }
  }

  get pages(): number {
    return Math.floor(this.bytes / this.meta.pageBytes)
  }

  /** The bytes of `count` pages, which stay as they are. @throws PageDamage if the file ends before. */
  read(page: number, count = 1): Buffer {
    const { pageBytes } = this.meta
    const [from, length] = [page * pageBytes, count * pageBytes]
    if (from + length > this.bytes) throw new PageDamage('the file ends before it')
    if (from < this.#windowAt || from + length > this.#windowAt + this.#window.length) {
      this.#windowAt = from
      this.#window = this.#readBytes(from, Math.max(length, Math.min(WINDOW_BYTES, this.bytes - from)))
    }
    return this.#window.subarray(from - this.#windowAt, from - this.#windowAt + length)
  }

  /** The transaction that wrote a page. */
  transactionOf(page: number): number {
    return Number(this.read(page).readBigUInt64LE(8))
  }

  close(): void {
    closeSync(this.#fd)
  }

  #readBytes(from: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(length)
    for (let at = 0; at < length; ) {
      const read = readSync(this.#fd, bytes, at, length - at, from + at)
      if (read === 0) throw new PageDamage('the file ends before it')
      at += read
    }
    return bytes
  }

  #readMetas(): [Meta, Meta] {
    const first = this.#metaAt(0)
    const second = this.#metaAt(first?.pageBytes ?? META_PAGE_BYTES)
    if (first === null && second === null) throw new PageDamage('it does not begin like a file of the store')
    if (first === null || second === null)
      throw new PageDamage(`page ${first === null ? 0 : 1}, one of the two that it begins with, is damaged`)
    return [first, second]
  }

  #metaAt(from: number): Meta | null {
    if (from + 168 > this.bytes) return null
    const page = this.#readBytes(from, 168)
    const isMeta =
      page.readUInt16LE(18) === FLAG_META && page.readUInt32LE(24) === MAGIC && page.readUInt32LE(28) === DATA_VERSION
    const pageBytes = page.readUInt32LE(48)
    if (!isMeta || (pageBytes & (pageBytes - 1)) !== 0 || pageBytes < 256 || pageBytes > PAGE_BYTES_MAX) return null
    const lastPage = Number(page.readBigUInt64LE(144))
    if (lastPage * pageBytes > MAP_BYTES) return null
    return {
      pageBytes,
      freeTree: readTree(page, 48),
      mainTree: readTree(page, 48 + TREE_BYTES),
      lastPage,
      transaction: Number(page.readBigUInt64LE(152)),
    }
  }
}
