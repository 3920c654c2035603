/**
 * What N nodes of a cluster take together, from the processor time of an event on each of them.
 *
 * Requests and shards are spread evenly. So an event comes to the owner of its shard with a chance of 1 / N; otherwise
 * another node takes it, and sends it to the owner. Every node has a copy of every shard, and decides each event for
 * it. On the average, with M for the main thread, a node has for each event of the cluster
 *
 *   ((M own + (N - 1) M standby) / N + (N - 1) / N (M enters + M hosts + (N - 2) M standby)) / N
 *
 * and the same of the other threads. Each machine has c cores, and the NATS servers have machines of their own. A node
 * also works while there are no events: it looks who is live, and whether its copies are whole. The cluster takes the
 * least of what is left of the main thread, of c - 1 cores for the other threads, and of all c cores of a node.
 */
import { rounded, type Cost } from '../harness/thread-cost.js'

/** Of one event, on each kind of node. */
export interface NodeCosts {
  /** The owner of the shard, where the event came to it. */
  readonly own: Cost
  /** The node to which it came, and the owner then. */
  readonly enters: Cost
  readonly hosts: Cost
  /** Each other node, which applies the log. */
  readonly standby: Cost
  /** What a node takes of a processor without any event. */
  readonly resting: Cost
}

export interface Taken {
  readonly perSecond: number
  readonly fullFirst: string
}

/** Microseconds of one part of a cost, for each event of the cluster, on the average node of `nodes`. */
export function share({ own, enters, hosts, standby }: NodeCosts, of: (cost: Cost) => number, nodes: number): number {
  const atOwner = of(own) + (nodes - 1) * of(standby)
  const elsewhere = nodes < 2 ? 0 : of(enters) + of(hosts) + (nodes - 2) * of(standby)
  return (atOwner / nodes + ((nodes - 1) / nodes) * elsewhere) / nodes
}

/** Events per second of the whole cluster, with enough jobs. */
export function takenBy(costs: NodeCosts, nodes: number, cores: number): Taken {
  const main = share(costs, (cost) => cost.main, nodes)
  const rest = share(costs, (cost) => cost.deciding + cost.others, nodes)
  const { resting } = costs
  const others = resting.deciding + resting.others
  const limits = [
    { fullFirst: 'main threads', perSecond: (1e6 * (1 - resting.main)) / main },
    { fullFirst: 'deciding threads', perSecond: (1e6 * (cores - 1 - others)) / rest },
    { fullFirst: 'processors', perSecond: (1e6 * (cores - resting.main - others)) / (main + rest) },
  ]
  return limits.reduce((least, one) => (one.perSecond < least.perSecond ? one : least))
}

/** `2 nodes 40,000/s (full first: main threads), ...`. */
export function inWords(costs: NodeCosts, counts: readonly number[], cores: number): string {
  return counts
    .map((nodes) => {
      const { perSecond, fullFirst } = takenBy(costs, nodes, cores)
      return `${nodes} ${nodes === 1 ? 'node' : 'nodes'} ${rounded(perSecond)}/s (full first: ${fullFirst})`
    })
    .join(', ')
}
