/** What is known of the models of a job, as committed: for readers. */
import type { PointValue } from '../../domain/event/point-value.js'
import type { Environment } from '../../store/environment.js'
import { decodeRegistry, type RegistryRow } from '../../store/registry-row.js'
import { decodeReplay, type ReplayRow } from '../../store/replay-row.js'
import { decodeBucket } from '../../store/bucket-row.js'
import { readBucket } from '../../store/bucket-table.js'
import type { TrialRow } from '../../store/trial-row.js'
import { jobRange, timeKey } from '../../store/tables.js'
import { eventAt, idOf, type Reads } from '../event-table.js'
import { readRegistryRow } from './registry.js'
import { readReplay } from './replay-commands.js'
import { readTrial } from './trial.js'

export class ModelReads {
  readonly #reads: Reads & Pick<Environment, 'range'>
  readonly #jobId: number

  constructor(reads: Reads & Pick<Environment, 'range'>, jobId: number) {
    this.#reads = reads
    this.#jobId = jobId
  }

  /** Of all models, in the order of versions. */
  all(): RegistryRow[] {
    return [...this.#reads.range('registry', jobRange(this.#jobId))].map(({ value }) => decodeRegistry(value))
  }

  one(version: number): RegistryRow | null {
    return readRegistryRow(this.#reads, this.#jobId, version)
  }

  /** The challenger and its comparison; null where there is none. */
  trial(): TrialRow | null {
    return readTrial(this.#reads, this.#jobId)
  }

  /** In the order of their requests. */
  replays(): ReplayRow[] {
    return [...this.#reads.range('replays', jobRange(this.#jobId))].map(({ value }) => decodeReplay(value))
  }

  replay(id: number): ReplayRow | null {
    return readReplay(this.#reads, this.#jobId, id)
  }

  /** Whether there are events from that ingest time on, up to before the other. */
  hasEvents(fromMicros: number, toMicros: number): boolean {
    const range = { from: timeKey(this.#jobId, fromMicros), to: timeKey(this.#jobId, toMicros), limit: 1 }
    return [...this.#reads.range('events', range)].length > 0
  }

  /** The values at the decision points of a bucket; null where it is gone. */
  bucketValues(bucketId: Uint8Array): readonly PointValue[] | null {
    const bytes = readBucket(this.#reads, this.#jobId, bucketId)
    return bytes === undefined ? null : decodeBucket(bytes).values
  }

  /** The id of the event with that ingest time; null where it is gone. */
  eventId(micros: number): string | null {
    const event = eventAt(this.#reads, this.#jobId, micros)
    return event === null ? null : idOf(event)
  }
}
