/** The shards of a node that is not the owner, as reads see them. */
import { must } from '../../assert.js'
import type { JobReader } from '../read/job-reader.js'

export class CopiedShards {
  readonly #readers: readonly JobReader[]
  /** How often each shard has committed: other threads wait on it for new events. */
  readonly commits: Int32Array
  /** No message waits here. */
  readonly messages = 0

  constructor(readers: readonly JobReader[]) {
    this.#readers = readers
    this.commits = new Int32Array(new SharedArrayBuffer(readers.length * Int32Array.BYTES_PER_ELEMENT))
  }

  /** The shard has applied a record. */
  applied(shard: number): void {
    this.reader(shard).refresh()
    Atomics.add(this.commits, shard, 1)
  }

  reader(shard: number): JobReader {
    return must(this.#readers[shard], 'shard', shard)
  }
}
