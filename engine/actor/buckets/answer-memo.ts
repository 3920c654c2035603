/**
 * What a job without buckets decides for events with the same values: the model is asked once.
 *
 * Owns: which answers are in memory. Leaves out: deciding (job-model.ts).
 *
 * 1. Equal bytes at the decision points are equal values, and a model answers equal values alike (S17). So an answer
 *    holds until another model is active. Votes are on single events here, and a new event has none.
 * 2. It is counted in the memory of its thread (bucket-memory.ts), and begins anew at its own bound.
 */
import { ABSENT, ByteTable } from '../../domain/event/byte-table.js'
import { lacksPoints } from '../../domain/event/decision-points.js'
import type { PointKey } from '../../domain/event/point-tree.js'
import type { PointValues } from '../../domain/event/point-value.js'
import { absentPoints, type PointTally } from '../../domain/metrics/point-tally.js'
import type { DecidedBucket } from '../job-model.js'
import type { BucketHolder, BucketMemory } from './bucket-memory.js'

/** About what an answer takes without the bytes of its key. */
const ANSWER_BYTES = 250
/** About 10,000 answers. A stream in which every event is new needs no more. */
const BYTES_MAX = 4 * 1024 * 1024

const noId = Buffer.alloc(0)

/** An answer, as JobModel fills it in. */
export interface KnownAnswer extends DecidedBucket {
  readonly lacksPoints: boolean
  /** The decision points without a value. */
  readonly absent: readonly number[]
  /** The tally that has these values, and its window then (point-counter.ts). */
  toldTo: PointTally | null
  toldWindow: number
}

export class AnswerMemo implements BucketHolder {
  readonly #memory: BucketMemory
  readonly #fingerprint: number
  readonly #answers: KnownAnswer[] = []
  /** Null: there is none. Jobs with buckets never have one. */
  #keys: ByteTable | null = null
  #version = 0

  /** `fingerprint` of the job's present decision points. */
  constructor(fingerprint: number, memory: BucketMemory) {
    this.#fingerprint = fingerprint
    this.#memory = memory
  }

  /** Bytes of all answers, about. */
  get bytes(): number {
    return (this.#keys?.bytesUsed ?? 0) + ANSWER_BYTES * this.#answers.length
  }

  /** The answer for values with this key by this version of the model. */
  of({ view, length, hash }: PointKey, version: number, values: () => PointValues): KnownAnswer | null {
    if (version !== this.#version) {
      this.#forget()
      this.#version = version
    }
    const known = this.#keys?.find(view, 0, length, hash) ?? ABSENT
    if (known >= 0) return this.#answers[known] as KnownAnswer
    if (known !== ABSENT) return null
    if (this.bytes > BYTES_MAX) this.#forget()
    const own = values()
    const answer: KnownAnswer = {
      id: noId,
      fingerprint: this.#fingerprint,
      hasBallot: false,
      decision: null,
      votesState: 0,
      lacksPoints: lacksPoints(own),
      absent: absentPoints(own),
      toldTo: null,
      toldWindow: 0,
    }
    this.#keys ??= new ByteTable()
    this.#answers[this.#keys.add(view, 0, length, hash)] = answer
    this.#memory.count(this, length + ANSWER_BYTES)
    return answer
  }

  shrink(): void {
    this.#forget()
  }

  /** It is not used any more. */
  drop(): void {
    this.#memory.drop(this)
  }

  #forget(): void {
    if (this.#answers.length === 0) return
    this.#memory.count(this, -this.bytes)
    this.#keys = null
    this.#answers.length = 0
  }
}
