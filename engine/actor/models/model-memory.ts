/**
 * The memory that one thread has for models, over all jobs of all of its shards.
 *
 * Owns: which models stay open. Leaves out: how a model is opened (job-model.ts, trial.ts).
 *
 * 1. Above the bound, the models that were not used for longest go. Their jobs open them again from the store when an
 *    event needs them.
 * 2. Nothing goes within a turn, so a turn may go over the bound. One model may be larger than the bound.
 * 3. The checksum of a model is checked when it is opened first. A version never changes, so later that is not needed.
 * 4. Bytes are those of the stored model: what is made of it in memory grows with them.
 */
import { modelBounds } from '../../domain/learn/model-origin.js'
import { modelIdOf } from '../model-id.js'
import { ModelRows } from './model-rows.js'

/** Who has a model open. */
export interface ModelHolder {
  /** The turn that has used it last. */
  readonly usedAt: number
  /** Forgets the open model. */
  forgetModel(): void
}

/** A model that was opened. */
export interface OpenedModel {
  readonly jobId: number
  readonly version: number
  readonly bytes: number
}

/** Cells that the main thread reads, as Int32. */
export const modelCells = { open: 0, kibibytes: 1, opened: 2, count: 3 } as const

const KIB = 1024

/** The part of one of so many threads. `megabytes`: of all; absent: the default. */
export function modelBytesOfThread(megabytes: number | undefined, threads: number): number {
  const all = megabytes === undefined ? modelBounds.bytesInMemory : megabytes * KIB * KIB
  return Math.ceil(all / threads)
}

export class ModelMemory {
  readonly #max: number
  readonly #cells: Int32Array
  /** How models are read. */
  readonly rows = new ModelRows()
  readonly #bytesOf = new Map<ModelHolder, number>()
  /** Models whose checksum was right. */
  readonly #checked = new Set<string>()
  #bytes = 0
  #turn = 1

  /** `cells`: as many as `modelCells.count`. */
  constructor(max: number = modelBounds.bytesInMemory, cells: Int32Array = new Int32Array(modelCells.count)) {
    this.#max = max
    this.#cells = cells
    this.#show()
  }

  /** Bytes of all open models. */
  get bytes(): number {
    return this.#bytes
  }

  get turn(): number {
    return this.#turn
  }

  /** The checksum of this version was right before. */
  isChecked(jobId: number, version: number): boolean {
    return this.#checked.has(modelIdOf(jobId, version))
  }

  /** The holder has opened a model of so many bytes, in place of any other, and its checksum is right. */
  opened(holder: ModelHolder, { jobId, version, bytes }: OpenedModel): void {
    this.#checked.add(modelIdOf(jobId, version))
    this.#bytes += bytes - (this.#bytesOf.get(holder) ?? 0)
    this.#bytesOf.set(holder, bytes)
    Atomics.add(this.#cells, modelCells.opened, 1)
    this.#show()
  }

  /** The holder has no model any more. */
  drop(holder: ModelHolder): void {
    this.#bytes -= this.#bytesOf.get(holder) ?? 0
    if (this.#bytesOf.delete(holder)) this.#show()
  }

  /** A turn has ended. Where the bound is exceeded, models go until an eighth of it is free. */
  shrink(): void {
    this.#turn++
    if (this.#bytes <= this.#max || this.#bytesOf.size < 2) return
    const oldestFirst = [...this.#bytesOf.keys()].sort((a, b) => a.usedAt - b.usedAt)
    // The one that was used last stays.
    for (const holder of oldestFirst.slice(0, -1)) {
      if (this.#bytes <= this.#max * (7 / 8)) return
      holder.forgetModel()
      this.drop(holder)
    }
  }

  #show(): void {
    Atomics.store(this.#cells, modelCells.open, this.#bytesOf.size)
    Atomics.store(this.#cells, modelCells.kibibytes, Math.ceil(this.#bytes / KIB))
  }
}
