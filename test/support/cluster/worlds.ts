/** Worlds of nodes (node.ts), and what tests do with them. */
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { EventView } from '../../../engine/api/decision-service.js'
import type { JobSettings } from '../../../engine/domain/job/job.js'
import { FileLog } from '../../../engine/runtime/log/file-log.js'
import { encodeFeedback } from '../../../engine/actor/votes/feedback.js'
import { afterwards } from '../afterwards.js'
import { recordedAuthor } from '../author.js'
import { temporaryDirectory } from '../engine/files.js'
import { jobSettings } from '../engine/shard.js'
import { Keys } from './keys.js'
import { TestNode, type World } from './node.js'

export const SHARDS = 4
/** One in each shard. */
export const jobs = Array.from({ length: SHARDS }, (_, shard) => jobSettings({ id: shard + 1, shard }))

export function worldOf(test: TestContext, more: Partial<World> = {}): World {
  const directory = temporaryDirectory(test)
  const logs = jobs.map((_, shard) => new FileLog(join(directory, `turns-${shard}`)))
  afterwards(test, () => Promise.all(logs.map((log) => log.close())))
  const known = new Map(jobs.map((job) => [job.id, job]))
  return { directory, keys: new Keys(), logs, jobs: known, nodes: new Map(), ...more }
}

export async function start(test: TestContext, world: World, name: string): Promise<TestNode> {
  const node = await TestNode.start(world, name)
  afterwards(test, async () => {
    if (!node.isCut) await node.kill()
  })
  return node
}

export function post(node: TestNode, job: JobSettings, eventId: string | null, body: unknown): Promise<EventView> {
  return new Promise((resolve, reject) => {
    const bytes = Buffer.from(JSON.stringify({ job_id: job.id, raw_body: body }))
    const receiver = { ingested: resolve, refused: reject }
    node.data.shards.post({ job, kind: 'ingest', eventId, idInBody: false, body: bytes, receiver })
  })
}

/** A vote of one analyst on an event. */
export function vote(node: TestNode, job: JobSettings, eventId: string, label: string): Promise<unknown> {
  return node.data.shards.ask(job, 'feedback', eventId, encodeFeedback({ analyst: 'ann', label }, recordedAuthor))
}

export const ownAll = (node: TestNode): boolean => node.own.length === SHARDS
export const share = (nodes: readonly TestNode[]): number[][] => nodes.map(({ own }) => own)
export const isSpread = (...nodes: readonly TestNode[]): boolean =>
  nodes.every(({ own }) => own.length > 0) && share(nodes).flat().length === SHARDS
