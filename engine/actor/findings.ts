/**
 * The findings of a job (domain/event/finding.ts): those of its actor, and those that the main thread sends.
 *
 * 1. They are kept in memory during a turn, and written in its commit. A turn without findings pays nothing.
 */
import {
  cutExample,
  withFindings,
  type Finding,
  type FindingKind,
  type StoredFinding,
} from '../domain/event/finding.js'
import { decodeFindings, encodeFindings } from '../store/finding-row.js'
import { jobKey } from '../store/tables.js'
import type { Reads } from './event-table.js'
import type { Message } from './message.js'
import type { TurnStore } from './turn-store.js'

/** The findings that a job has stored; those of long ago, too. */
export function readFindings(reads: Reads, jobId: number): readonly StoredFinding[] {
  const row = reads.get('findings', jobKey(jobId))
  return row === undefined ? [] : decodeFindings(row)
}

/** The body of a `findings` message. */
export function encodeFindingsMessage(found: readonly Finding[]): Buffer {
  return Buffer.from(JSON.stringify(found.map((one) => ({ ...one, example: cutExample(one.example) }))), 'utf8')
}

export class Findings {
  readonly #jobId: number
  readonly #store: TurnStore
  /** Of this turn, by kind and field. */
  readonly #found = new Map<string, Finding & { count: number }>()
  /** The finding that was counted last: a sender's events are odd in the same way. */
  #latest: (Finding & { count: number }) | null = null
  #micros = 0

  constructor(jobId: number, store: TurnStore) {
    this.#jobId = jobId
    this.#store = store
  }

  /** Counts one finding of the message with the time `micros`. Of several the first example is kept. */
  // biome-ignore lint/complexity/useMaxParams: called where an event is read, in the hot path of odd events
  note(kind: FindingKind, field: string, example: string, micros: number, count = 1): void {
    if (micros > this.#micros) this.#micros = micros
    const latest = this.#latest
    if (latest?.kind === kind && latest.field === field) {
      latest.count += count
      return
    }
    const key = `${kind} ${field}`
    let found = this.#found.get(key)
    if (found === undefined) this.#found.set(key, (found = { kind, field, count: 0, example: cutExample(example) }))
    found.count += count
    this.#latest = found
  }

  /** Takes the findings of a message. */
  take({ body, micros, applied }: Message): null {
    if (applied) return null
    for (const { kind, field, example, count } of JSON.parse(body.toString('utf8')) as Finding[])
      this.note(kind, field, example, micros, count)
    return null
  }

  /** Forgets all: examples may hold what a person asked to delete. */
  clear(): void {
    this.#forget()
    this.#store.delete('findings', jobKey(this.#jobId))
  }

  /** Writes what the turn has found. */
  write(): void {
    if (this.#found.size === 0) return
    const stored = readFindings(this.#store, this.#jobId)
    this.#store.put(
      'findings',
      jobKey(this.#jobId),
      encodeFindings(withFindings(stored, [...this.#found.values()], this.#micros)),
    )
    this.#forget()
  }

  #forget(): void {
    this.#found.clear()
    this.#latest = null
  }
}
