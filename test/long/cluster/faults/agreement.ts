/** In the end each node in turn owns the catalog, and all say the same of each event. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalCluster, Process } from '../../../../bench/cluster/local-cluster.js'
import type { History } from '../../../support/history/history.js'
import { jobDocument } from '../job-document.js'
import { ask, stateOf } from './clients.js'

/** Milliseconds until a cluster goes on: the servers' own choice of leaders takes most of them. */
export const GOES_ON_MS = 60_000
/** Milliseconds between two looks at a cluster. */
const LOOK_MS = 50

/** The node that owns the catalog. @throws Error where there is none in time. */
export async function ownerOf(all: LocalCluster): Promise<Process> {
  for (const end = performance.now() + GOES_ON_MS; performance.now() < end; await sleep(LOOK_MS)) {
    const found = await all.owner()
    if (found !== null) return found
  }
  throw new Error('no node is the owner')
}

/**
 * Each answer is explained. Before a write is acknowledged, the copy of one node may have it and that of its owner not:
 * how often reads show that is told.
 */
export function assertExplained(history: History): void {
  assert.deepEqual(history.faults(true), [])
  const apart = history.faults().length
  if (apart > 0) console.log(`${apart} events whose reads do not agree on a write that was not acknowledged yet`)
}

/** Makes job 1, and waits until each node takes events of it. */
export async function makeJob(all: LocalCluster): Promise<void> {
  const { key, nodes } = all
  const [first] = nodes as [Process]
  const made = await ask({ address: first.address, key }, 'POST', '/api/v2/resources', jobDocument('one'))
  assert.equal(made.status, 200)
  // A node that follows late is not waited for.
  for (const [at, { address }] of nodes.entries())
    for (const end = performance.now() + GOES_ON_MS; ; await sleep(LOOK_MS)) {
      const body = { job_id: 1, raw_body: { rule: 'first', host: 'first' } }
      const { status } = await ask({ address, key }, 'POST', `/api/v1/events/first-${at}`, body)
      if (status === 201) break
      assert.ok(performance.now() < end, `events are answered with ${status}`)
    }
}

/**
 * Asks each node about each event of the history while it owns the catalog; then `killed` ends the node and starts it
 * again. What they say joins the history. Each counts as many events of job 1 as there are.
 */
export async function assertAgreement(
  all: LocalCluster,
  history: History,
  killed: (node: Process) => Promise<void>,
): Promise<void> {
  const states: Record<string, string | null>[] = []
  for (let turn = 0; turn < all.nodes.length; turn++) {
    const now = await ownerOf(all)
    const asked = { address: now.address, key: all.key }
    const said: Record<string, string | null> = {}
    for (const event of history.keys) {
      const beganMs = performance.now()
      const state = stateOf(await ask(asked, 'GET', `/api/v1/events/1/${event}/export`))
      said[event] = state
      if (state !== null) {
        const action = { kind: 'read', state } as const
        history.add({ key: event, client: now.name, beganMs, endedMs: performance.now(), action })
      }
    }
    states.push(said)
    const job = (await ask(asked, 'GET', '/api/v1/jobs/1')).body as { processed_documents_count: number }
    // The first event at each node is in no history.
    const stored = all.nodes.length + Object.values(said).filter((state) => state !== null && state !== 'absent').length
    assert.equal(job.processed_documents_count, stored, `${now.name} counts other events than it has`)
    await killed(now)
  }
  for (const said of states) assert.deepEqual(said, states[0])
  assertExplained(history)
}
