/** Reads the nodes of a branch or leaf page, and checks that they fill it without overlaps (layout: page-file.ts). */
import { FLAG_BRANCH, FLAG_LEAF, HEADER_BYTES, PAGE_BYTES_MAX, PageDamage } from './page-file.js'

const NODE_BYTES = 8
/** Flag of a leaf's node whose value lies on pages of its own. */
export const NODE_BIG = 1
/** Flag of a leaf's node whose value is a tree. */
export const NODE_TREE = 2
/** The value of a NODE_BIG node: page u64, transaction u64, pages u64. */
const BIG_BYTES = 24

export interface Node {
  readonly key: Buffer
  readonly value: Buffer
  readonly flags: number
  /** Length of the value, which may lie on pages of its own. */
  readonly length: number
  /** In a branch page: the page below. */
  readonly child: number
}

/** By place in a page: the last call that found a node there. Kept from call to call, so that none allocates it. */
const taken = new Float64Array(PAGE_BYTES_MAX / 2)
let call = 0

/** The nodes in the order of their keys. @throws PageDamage. */
export function nodesOf(bytes: Buffer, page: number, kind: number): Node[] {
  if (Number(bytes.readBigUInt64LE(0)) !== page) throw new PageDamage('it has the number of another page')
  if (bytes.readUInt16LE(18) !== kind) throw new PageDamage('it is of the wrong kind')
  const [lower, upper] = [bytes.readUInt16LE(20), bytes.readUInt16LE(22)]
  const room = bytes.length - HEADER_BYTES
  if (lower % 2 !== 0 || lower > upper || upper > room) throw new PageDamage('its bounds are impossible')
  const count = lower / 2
  if (count < (kind === FLAG_BRANCH ? 2 : 1)) throw new PageDamage('it is empty')
  const nodes: Node[] = []
  let filled = 0
  call++
  for (let i = 0; i < count; i++) {
    const at = bytes.readUInt16LE(HEADER_BYTES + 2 * i)
    if (at < upper || at % 2 !== 0 || at + NODE_BYTES > room || taken[at / 2] === call)
      throw new PageDamage('a node lies where none can be')
    taken[at / 2] = call
    const node = nodeAt(bytes, HEADER_BYTES + at, kind)
    filled += node.bytes
    nodes.push(node)
  }
  if (filled !== room - upper) throw new PageDamage('its nodes have gaps or overlaps')
  return nodes
}

function nodeAt(page: Buffer, at: number, kind: number): Node & { readonly bytes: number } {
  const flags = page.readUInt16LE(at + 4)
  const keyBytes = page.readUInt16LE(at + 6)
  const keyAt = at + NODE_BYTES
  const length = page.readUInt32LE(at)
  const isLeaf = kind === FLAG_LEAF
  if (isLeaf && flags !== 0 && flags !== NODE_BIG && flags !== NODE_TREE)
    throw new PageDamage('a node has impossible flags')
  const valueBytes = isLeaf ? ((flags & NODE_BIG) === 0 ? length : BIG_BYTES) : 0
  const end = keyAt + keyBytes + valueBytes
  if (end > page.length) throw new PageDamage('a node reaches over its end')
  const used = end - at
  return {
    key: page.subarray(keyAt, keyAt + keyBytes),
    value: page.subarray(keyAt + keyBytes, end),
    flags: isLeaf ? flags : 0,
    length,
    child: length + flags * 2 ** 32,
    bytes: used + (used % 2),
  }
}
