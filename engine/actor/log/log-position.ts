/**
 * What a shard that is fed by a log stores beside its state: how far it has applied the log, and the settings of its
 * jobs.
 *
 * Owns: two kinds of rows in `meta`. Leaves out: the log (runtime/log/), sums of what is written (block-sums.ts).
 *
 * 1. The position is in the commit of the state that it belongs to, so a record is applied once.
 * 2. A record brings only settings that its log did not have. Stored, they are there after a restart, and in a copy of
 *    the shard.
 */
import type { JobSettings } from '../../domain/job/job.js'
import type { Environment, WriteBatch } from '../../store/environment.js'
import { pack, unpack } from '../../store/pack.js'
import { loggedSettingsKey, loggedSettingsRange, metaKey, timeOfValue, timeValue } from '../../store/tables.js'
import type { TurnTask } from '../turn-task.js'
import { BlockSums, readBlockSums, type BlockSum } from './block-sums.js'

/** How far a shard has applied its log. */
export interface AppliedLog {
  /** Sequence of the last record whose turn wrote something; 0 for none. */
  readonly sequence: number
  readonly settings: readonly JobSettings[]
  /** Of what its latest records wrote. */
  readonly sums: readonly BlockSum[]
}

/** How far the shard in this environment has applied its log, by its last commit. */
export function readAppliedLog(environment: Environment): AppliedLog {
  const value = environment.get('meta', metaKey('log_sequence'))
  return {
    sequence: value === undefined ? 0 : timeOfValue(value),
    settings: [...environment.range('meta', loggedSettingsRange)].map((row) => unpack(row.value) as JobSettings),
    sums: readBlockSums(environment),
  }
}

export class LogPosition {
  /** By job: settings that are to be written; null: the job is gone. */
  readonly #unwritten = new Map<number, JobSettings | null>()
  /** That of the turn which runs; undefined where no log feeds the shard. */
  #sequence: number | undefined
  readonly #environment: () => Pick<Environment, 'get'>
  readonly #sums = new BlockSums()

  constructor(environment: () => Pick<Environment, 'get'>) {
    this.#environment = environment
  }

  /** A turn begins, and the shard uses its settings from now on. */
  begin({ sequence, settings, opens }: Pick<TurnTask, 'sequence' | 'settings' | 'opens'>): void {
    // What was written before may not be committed.
    if (opens) this.#sums.forget()
    this.#sequence = sequence
    if (sequence !== undefined) for (const one of settings) this.#unwritten.set(one.id, one)
  }

  /** All rows of the job have been deleted. */
  dropped(jobId: number): void {
    if (this.#sequence !== undefined) this.#unwritten.set(jobId, null)
  }

  /** Adds what is to be stored to the batch of the turn. */
  write(batch: WriteBatch): void {
    if (this.#sequence === undefined) return
    this.#sums.write(batch, this.#sequence, this.#environment())
    batch.put('meta', metaKey('log_sequence'), timeValue(this.#sequence))
    for (const [jobId, settings] of this.#unwritten) {
      const key = loggedSettingsKey(jobId)
      if (settings === null) batch.delete('meta', key)
      else batch.put('meta', key, pack(settings))
    }
  }

  /** What `write` has added is committed, or another thread commits it. */
  committed(): void {
    this.#unwritten.clear()
  }
}
