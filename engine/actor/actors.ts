/**
 * The actors of a shard that are in memory.
 *
 * Owns: which actors stay. Leaves out: what an actor does (job-actor.ts), what is written before they go (shard.ts).
 *
 * 1. An actor is a copy of the store, so it may go between turns. The next message of its job makes it again.
 * 2. Those that had no message for longest go first. One with a bucket whose counts are not stored yet stays.
 */
import { must } from '../assert.js'
import { limits } from '../limits.js'
import type { JobSettings } from '../domain/job/job.js'
import type { ActorsMax } from './actor-deps.js'
import { JobActor, type JobActorDeps } from './job-actor.js'

export class Actors {
  readonly #max: ActorsMax
  readonly #settings = new Map<number, JobSettings>()
  /** By job, in the order of the last turns in which they had a message. */
  readonly #actors = new Map<number, JobActor>()
  /** Those that had a message in this turn. */
  readonly #touched = new Set<JobActor>()

  constructor(max: ActorsMax = limits.actorsMax) {
    this.#max = max
  }

  /** Takes the settings of a job. True where its actor was in memory: it starts with no buckets. */
  configure(settings: JobSettings): boolean {
    this.#settings.set(settings.id, settings)
    const actor = this.#actors.get(settings.id)
    if (actor === undefined) return false
    actor.drop()
    actor.configure(settings)
    return true
  }

  /** The actor of a job that has a message in this turn. */
  touch(jobId: number, deps: () => JobActorDeps): JobActor {
    const known = this.#actors.get(jobId)
    if (known !== undefined && this.#touched.has(known)) return known
    const actor = known ?? new JobActor(must(this.#settings.get(jobId), 'the settings of job', jobId), deps())
    this.#actors.delete(jobId)
    this.#actors.set(jobId, actor)
    this.#touched.add(actor)
    return actor
  }

  /** The job was deleted. Its actor still ends the turn. */
  remove(jobId: number): void {
    this.#actors.get(jobId)?.drop()
    this.#actors.delete(jobId)
  }

  /** All actors that had a message in this turn write what only its end knows. */
  finish(decided: number[]): void {
    for (const actor of this.#touched) actor.finish(decided)
    this.#touched.clear()
  }

  /** A turn has ended. Where there are too many actors, an eighth of them goes. */
  shrink(): void {
    const { working } = this.#max
    if (this.#actors.size > working) this.#keep(Math.floor((working * 7) / 8))
  }

  /** There is nothing to do for a while. */
  rest(): void {
    this.#keep(this.#max.resting)
  }

  #keep(most: number): void {
    let left = this.#actors.size - most
    for (const [jobId, actor] of this.#actors) {
      if (left-- <= 0) return
      if (actor.forget()) this.#actors.delete(jobId)
    }
  }

  /** All state in memory is void. The settings stay. */
  clear(): void {
    for (const actor of this.#actors.values()) actor.drop()
    this.#actors.clear()
    this.#touched.clear()
  }
}
