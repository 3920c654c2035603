/** What snapshots need of a cluster, in memory: keys, objects, and a worker in the test's own thread. */
import { LogUnavailable } from '../../../engine/runtime/log/turn-log.js'
import { ObjectDamaged } from '../../../engine/runtime/log/jetstream/object-bucket.js'
import type { KeyValue } from '../../../engine/runtime/log/jetstream/cluster-keys.js'
import type { SnapshotObjects } from '../../../engine/runtime/log/snapshots/snapshot-objects.js'
import type { SnapshotWorker } from '../../../engine/runtime/log/snapshots/snapshot-threads.js'
import { makeSnapshot, restoreSnapshot } from '../../../engine/runtime/log/snapshots/snapshot-work.js'

/** Values that all nodes share. */
export class MemoryKeys {
  readonly values = new Map<string, KeyValue>()
  #revision = 0

  async get(key: string): Promise<KeyValue | null> {
    return this.values.get(key) ?? null
  }

  async put(key: string, value: unknown, revision: number): Promise<number | null> {
    if ((this.values.get(key)?.revision ?? 0) !== revision) return null
    this.values.set(key, { value: structuredClone(value), revision: ++this.#revision, storedMs: 0 })
    return this.#revision
  }
}

export class MemoryObjects implements SnapshotObjects {
  readonly objects = new Map<string, Buffer>()
  /** The servers are away from the next object on. */
  isAway = false

  async put(name: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const bytes: Uint8Array[] = []
    for await (const piece of pieces) bytes.push(Buffer.from(piece))
    if (this.isAway) throw new LogUnavailable('away')
    this.objects.set(name, Buffer.concat(bytes))
  }

  async *get(name: string): AsyncGenerator<Uint8Array> {
    const bytes = this.objects.get(name)
    if (bytes === undefined) throw new ObjectDamaged(`there is no object ${name}`)
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
  }

  async delete(name: string): Promise<void> {
    this.objects.delete(name)
  }

  async names(): Promise<string[]> {
    return [...this.objects.keys()]
  }

  /** Changes one byte in the middle. */
  damage(name: string): void {
    const bytes = this.objects.get(name) as Buffer
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1
  }
}

export function workerOver(objects: SnapshotObjects): SnapshotWorker {
  return {
    make: (task) => makeSnapshot(task, objects),
    restore: (task) => restoreSnapshot(task, objects),
    close: async () => {},
  }
}
