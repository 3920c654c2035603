/**
 * The snapshots that a node makes and restores, and the purge of the logs that they allow.
 *
 * Owns: when a snapshot is made, by which node, what is purged and deleted. Leaves out: the work
 * (runtime/log/snapshots/), the claim (snapshot-claim.ts), which snapshot is restored (restoring.ts).
 *
 * 1. A node makes a snapshot of a log that it follows. The writer makes one only where the log has grown twice as far:
 *    then nobody follows it.
 * 2. A log is purged up to the last snapshot but one, never further. So one that turns out damaged loses nothing: the
 *    one before and the rest of the log have the same.
 * 3. Any node purges and deletes what the list allows: a node that died before it did leaves nothing behind.
 */
import { randomBytes } from 'node:crypto'
import { isRefusal } from '../../../errors.js'
import { coveredBy, type Snapshot } from '../../../runtime/log/snapshots/snapshot-list.js'
import type { SnapshotObjects } from '../../../runtime/log/snapshots/snapshot-objects.js'
import type { SnapshotWorker } from '../../../runtime/log/snapshots/snapshot-threads.js'
import { LogUnavailable } from '../../../runtime/log/turn-log.js'
import { missingCopies, restoreCopy } from './restoring.js'
import { SnapshotClaim } from './snapshot-claim.js'
import type { PartRole, SnapshotPart, SnapshotSettings } from './snapshot-part.js'
import type { ClusterKeys } from '../../../runtime/log/jetstream/cluster-keys.js'

/** Milliseconds between two looks at the logs. */
const LOOK_MS = 5_000
/** The writer waits until its log is so many times longer. */
const WRITER_FACTOR = 2

export interface SnapshotsDeps {
  readonly dataDir: string
  readonly node: string
  readonly parts: readonly SnapshotPart[]
  readonly settings: SnapshotSettings
  readonly keys: Pick<ClusterKeys, 'get' | 'put'>
  readonly objects: Pick<SnapshotObjects, 'names' | 'delete'>
  readonly worker: SnapshotWorker
  roleOf(part: SnapshotPart): PartRole
  told(what: string, details?: Readonly<Record<string, unknown>>): void
  failed(what: string, error: unknown): void
}

export class Snapshots {
  readonly #deps: SnapshotsDeps
  readonly #claims: ReadonlyMap<string, SnapshotClaim>
  /** Where the log was at the last try, by part. */
  readonly #tried = new Map<string, number>()
  #ending = new Int32Array(new SharedArrayBuffer(4))
  #looking: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | null = null
  #isOver = false

  constructor(deps: SnapshotsDeps) {
    this.#deps = deps
    const { keys, node, parts } = deps
    this.#claims = new Map(parts.map(({ name }) => [name, new SnapshotClaim(keys, name, node)]))
  }

  /** From now on it looks by itself. */
  begin(): void {
    this.#timer = setTimeout(() => {
      this.#looking = this.look().finally(() => void (this.#isOver || this.begin()))
    }, LOOK_MS).unref()
  }

  /** Makes each snapshot that is due, and purges what may go. */
  async look(): Promise<void> {
    for (const part of this.#deps.parts) {
      if (this.#isOver) return
      try {
        await this.#lookAt(part)
      } catch (error) {
        if (error instanceof LogUnavailable || isRefusal(error, 'draining') || this.#isOver) continue
        this.#deps.failed(`the snapshot of ${part.name} could not be made`, error)
      }
    }
  }

  /**
   * Restores the copies that cannot be completed from their logs. Nobody has the data directory's environments open.
   * Rejects with LogUnavailable, and LogGap where there is no snapshot.
   */
  async restore(): Promise<void> {
    const { dataDir, parts, worker, told } = this.#deps
    const missing = await missingCopies(dataDir, parts)
    if (missing.length === 0) return
    // What is being made reads files that are about to be replaced.
    Atomics.store(this.#ending, 0, 1)
    await this.#looking
    if (this.#isOver) return
    this.#ending = new Int32Array(new SharedArrayBuffer(4))
    const restored = missing.map((part) => restoreCopy(part, { dataDir, worker, told, ending: this.#ending }))
    const failed = (await Promise.allSettled(restored)).find(({ status }) => status === 'rejected')
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason
  }

  /** Gives up what is under way. */
  async close(): Promise<void> {
    this.#isOver = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    Atomics.store(this.#ending, 0, 1)
    await this.#looking
    await this.#deps.worker.close()
  }

  async #lookAt(part: SnapshotPart): Promise<void> {
    const { settings, roleOf } = this.#deps
    const role = roleOf(part)
    if (role === 'none') return
    const [snapshots, extent] = [await part.list.read(), await part.log.extent()]
    await this.#purge(part, snapshots, extent.first)
    const newest = snapshots[0]?.sequence ?? 0
    const records = extent.last - newest
    const factor = role === 'writes' ? WRITER_FACTOR : 1
    const bytes = (extent.bytes * records) / Math.max(1, extent.last - extent.first + 1)
    if (records < 1 || (records < settings.records * factor && bytes < settings.bytes * factor)) return
    // A copy that is behind its log is tried again when the log has grown, and not at once.
    const tried = this.#tried.get(part.name) ?? 0
    if (tried > newest && extent.last - tried < records / 4) return
    await this.#make(part, newest, extent.last)
  }

  async #make(part: SnapshotPart, after: number, last: number): Promise<void> {
    const claim = this.#claims.get(part.name) as SnapshotClaim
    if (!(await claim.take())) return
    try {
      const beganMs = performance.now()
      const { dataDir, node, worker, objects, told } = this.#deps
      const prefix = `${part.name}.${randomBytes(6).toString('hex')}`
      const { environments } = part
      const task = { kind: 'make', dataDir, environments, prefix, ending: this.#ending, after } as const
      const { sequence, files } = await worker.make(task)
      this.#tried.set(part.name, last)
      if (files.length === 0) return
      const snapshot: Snapshot = { sequence, madeAt: new Date().toISOString(), node, files }
      if (!(await part.list.add(snapshot))) {
        for (const { object } of files) await objects.delete(object)
        return
      }
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
      const seconds = (performance.now() - beganMs) / 1_000
      told('a snapshot was made', { part: part.name, sequence, bytes, seconds: Number(seconds.toFixed(1)) })
      const { first } = await part.log.extent()
      const snapshots = await part.list.read()
      await this.#purge(part, snapshots, first)
      await this.#deleteOthers(part, snapshots)
    } finally {
      await claim.release()
    }
  }

  /** Purges what two snapshots cover. */
  async #purge({ name, log }: SnapshotPart, snapshots: readonly Snapshot[], first: number): Promise<void> {
    const through = coveredBy(snapshots)
    if (through < first) return
    await log.purge(through)
    this.#deps.told('the log was purged', { part: name, through })
  }

  /** Objects that no list names: of older snapshots, and of nodes that died. The claim is this node's. */
  async #deleteOthers({ name }: SnapshotPart, snapshots: readonly Snapshot[]): Promise<void> {
    const named = new Set(snapshots.flatMap(({ files }) => files.map(({ object }) => object)))
    for (const object of await this.#deps.objects.names())
      if (object.startsWith(`${name}.`) && !named.has(object)) await this.#deps.objects.delete(object)
  }
}
