/** What a node says of itself in the cluster's keys: the value `node.NAME`. */
import { Refusal } from '../../../errors.js'

export interface Member {
  readonly node: string
  /** One life of the process: 8 bytes in hexadecimal. */
  readonly process: string
  readonly url: string
  /** As in protocol.ts; absent in versions that have none. */
  readonly protocol?: number
  /** It runs nothing of other nodes for a shard that it does not own any more; absent in older versions. */
  readonly givesBack?: boolean
  /** `joining`: its copies are not current yet. `leaving`: it gives its shards away. */
  readonly state: 'joining' | 'ready' | 'leaving'
  /** So that the value changes. */
  readonly count: number
}

/** This node, and the revision of its value where it has taken its name already (node-claim.ts). */
export interface OwnMember extends Omit<Member, 'state' | 'count'> {
  readonly revision?: number
}

/** The values of all nodes. */
export const allNodes = 'node.*'

export function nodeKey(node: string): string {
  return `node.${node}`
}

/** The sentence with which a process ends that is not the only one under its name. */
export function isTaken({ node, url }: Pick<Member, 'node' | 'url'>): Refusal {
  return new Refusal(
    'data_dir_in_use',
    `another process runs as node ${node} of the cluster, at ${url}: a data directory belongs to one process, and a ` +
      'copy of it is no other node. Stop one of both, or give this one an empty directory',
  )
}
