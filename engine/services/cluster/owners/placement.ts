/**
 * Which node is to own which shard: rendezvous hashing (Thaler and Ravishankar, 1998) with a bound, so that no node has
 * more than its share. A node that comes or goes moves few shards.
 */
import { createHash } from 'node:crypto'

/** By shard: the node that is to own it. Empty where there is no node. */
export function placementOf(shards: number, nodes: readonly string[]): string[] {
  if (nodes.length === 0) return []
  const most = Math.ceil(shards / nodes.length)
  const counts = new Map<string, number>()
  return Array.from({ length: shards }, (_, shard) => {
    const [node = ''] = [...nodes]
      .filter((one) => (counts.get(one) ?? 0) < most)
      .sort((a, b) => weightOf(shard, b) - weightOf(shard, a))
    counts.set(node, (counts.get(node) ?? 0) + 1)
    return node
  })
}

function weightOf(shard: number, node: string): number {
  return createHash('sha256').update(`${shard} ${node}`).digest().readUInt32BE(0)
}
