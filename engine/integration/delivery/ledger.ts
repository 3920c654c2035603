/**
 * The stored state of integrations: how far each step is, its dead letters, and the references of counterparts.
 *
 * Owns: the environment `integrations` of the data directory, its keys and rows, and when they are written. Leaves out:
 * what is delivered (delivery.ts). It stores no events: a dead letter names its event, which is read from the shard
 * when it is sent again.
 *
 * | table       | key                                | value                                              |
 * |-------------|------------------------------------|----------------------------------------------------|
 * | places      | step                               | up to where events and changes are handled         |
 * | letters     | step, ingest time of the event u64 | a failed delivery, waiting or dead                 |
 * | checkpoints | step                               | how far an input is, and when it last had anything |
 * | references  | step, subject                      | the id that the counterpart uses, such as a case's |
 * | refused     | step, 8 bytes of a hash of the id  | a refused document of an input                     |
 *
 * A step is | job u32 | integration u32 | role u8 |, numbers big-endian.
 *
 * 1. One thread writes it, any thread may read it.
 * 2. A place moves in the same commit as the dead letters of the events that it passes. No failure is lost.
 * 3. Writes are batched for a moment. What a crash loses of them is delivered again (at least once).
 */
import { cutText } from '../../domain/event/input/cut-text.js'
import { createHash } from 'node:crypto'
import { bounds } from '../bounds.js'
import { integrationRoles, type IntegrationRole } from '../../domain/job/job.js'
import { WriteBatch, type Environment } from '../../store/environment.js'
import { decodeJsonRow, encodeJsonRow } from '../../store/json-row.js'

export const ledgerTables = ['places', 'deadLetters', 'references', 'checkpoints', 'refused'] as const

/** The job id of the steps that send alerts of watchdogs: they belong to the service. No job has this id. */
export const NO_JOB = 0

/** A step: which job, which integration, in which role. */
export interface StepId {
  readonly jobId: number
  readonly integrationId: number
  readonly role: IntegrationRole
}

/** How far a step is: events by ingest time, changed decisions by the time of the change and their event. */
export interface StepProgress {
  readonly events: number
  readonly change: number
  readonly changeEvent: number
}

/** How far an input is. */
export interface InputProgress {
  /** The source's own plain data; null at the beginning. */
  readonly checkpoint: unknown
  /** When it last took documents in; null for never. */
  readonly lastTakenMs: number | null
}

export interface DeadLetter {
  /** A waiting one is retried automatically, a dead one is not. */
  readonly state: 'waiting' | 'dead'
  /** Ingest time of the event. */
  readonly eventMicros: number
  /** Time of the decision change, 0 for the first decision. */
  readonly changeMicros: number
  readonly attempts: number
  readonly reason: string
  readonly firstMs: number
  readonly lastMs: number
  /** When it is tried again; meaningless if dead. */
  readonly nextMs: number
}

export interface RefusedDocument {
  readonly id: string
  readonly reason: string
  readonly attempts: number
  readonly firstMs: number
  readonly lastMs: number
  /** Base64; only the beginning if not whole. */
  readonly body: string
  readonly isWhole: boolean
}

export function stepKey({ jobId, integrationId, role }: StepId): Buffer {
  const key = Buffer.alloc(9)
  key.writeUInt32BE(jobId, 0)
  key.writeUInt32BE(integrationId, 4)
  key[8] = integrationRoles.indexOf(role)
  return key
}

export function stepOfKey(bytes: Uint8Array): StepId {
  const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return {
    jobId: key.readUInt32BE(0),
    integrationId: key.readUInt32BE(4),
    role: integrationRoles[key[8] as number] as IntegrationRole,
  }
}

export function deadLetterKey(step: Uint8Array, eventMicros: number): Buffer {
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(BigInt(eventMicros))
  return Buffer.concat([step, time])
}

export function refusedKey(step: Uint8Array, id: string): Buffer {
  return Buffer.concat([step, createHash('sha256').update(id).digest().subarray(0, 8)])
}

/** The range of all keys that begin with these bytes. */
export function under(prefix: Uint8Array): { from: Uint8Array; to: Uint8Array } {
  return { from: prefix, to: Buffer.concat([prefix, Buffer.alloc(16, 0xff)]) }
}

/** How long writes are batched. */
const GATHER_MS = 200
const RETRY_MS = 1_000

export class Ledger {
  readonly #environment: Environment
  readonly #failed: (what: string, error: unknown) => void
  /** The last write of each key, by table and key. */
  #writes = new Map<string, { table: string; key: Uint8Array; value: Uint8Array | undefined }>()
  #timer: NodeJS.Timeout | null = null

  constructor(environment: Environment, failed: (what: string, error: unknown) => void) {
    this.#environment = environment
    this.#failed = failed
  }

  place(step: StepId): StepProgress | null {
    return this.#row<StepProgress>('places', stepKey(step))
  }

  putPlace(step: StepId, place: StepProgress): void {
    this.#put('places', stepKey(step), encodeJsonRow(place))
  }

  progress(step: StepId): InputProgress {
    const { checkpoint = null, lastTakenMs = null } = this.#row<InputProgress>('checkpoints', stepKey(step)) ?? {}
    return { checkpoint, lastTakenMs }
  }

  putProgress(step: StepId, progress: InputProgress): void {
    this.#put('checkpoints', stepKey(step), encodeJsonRow(progress))
  }

  deadLetters(step: StepId): Iterable<DeadLetter> {
    return this.#rows<DeadLetter>('deadLetters', step)
  }

  deadLetter(step: StepId, eventMicros: number): DeadLetter | null {
    return this.#row<DeadLetter>('deadLetters', deadLetterKey(stepKey(step), eventMicros))
  }

  putDeadLetter(step: StepId, deadLetter: DeadLetter): void {
    this.#put('deadLetters', deadLetterKey(stepKey(step), deadLetter.eventMicros), encodeFailure(deadLetter))
  }

  dropDeadLetter(step: StepId, eventMicros: number): void {
    this.#put('deadLetters', deadLetterKey(stepKey(step), eventMicros), undefined)
  }

  refused(step: StepId): Iterable<RefusedDocument> {
    return this.#rows<RefusedDocument>('refused', step)
  }

  refusedOne(step: StepId, id: string): RefusedDocument | null {
    return this.#row<RefusedDocument>('refused', refusedKey(stepKey(step), id))
  }

  putRefused(step: StepId, document: RefusedDocument): void {
    this.#put('refused', refusedKey(stepKey(step), document.id), encodeFailure(document))
  }

  dropRefused(step: StepId, id: string): void {
    this.#put('refused', refusedKey(stepKey(step), id), undefined)
  }

  reference(step: StepId, subject: string): string | null {
    const key = Buffer.concat([stepKey(step), Buffer.from(subject)])
    return this.#row<{ reference: string }>('references', key)?.reference ?? null
  }

  /** To be flushed at once: after a crash the next event of the same subject must find it. */
  putReference(step: StepId, subject: string, reference: string): void {
    this.#put('references', Buffer.concat([stepKey(step), Buffer.from(subject)]), encodeJsonRow({ reference }))
  }

  /** Steps with a place or a checkpoint. */
  steps(): StepId[] {
    this.flush()
    const keys = [...this.#environment.range('places', {}), ...this.#environment.range('checkpoints', {})]
    return keys.map(({ key }) => stepOfKey(key))
  }

  /** Deletes everything of a removed step. */
  forget(step: StepId): void {
    this.flush()
    for (const table of ledgerTables)
      for (const { key } of this.#environment.range(table, under(stepKey(step))))
        this.#put(table, Buffer.from(key), undefined)
  }

  /** Writes the batch. Returns false if the store cannot take it now. */
  flush(): boolean {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#writes.size === 0) return true
    const batch = new WriteBatch()
    for (const { table, key, value } of this.#writes.values())
      if (value === undefined) batch.delete(table, key)
      else batch.put(table, key, value)
    try {
      this.#environment.commit(batch)
      this.#environment.refresh()
      this.#writes.clear()
      return true
    } catch (error) {
      this.#failed('the ledger of integrations could not be written', error)
      this.#arm(RETRY_MS)
      return false
    }
  }

  async close(): Promise<void> {
    this.flush()
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#environment.close()
  }

  /** A row, including writes that are not committed yet. */
  #row<T>(table: string, key: Uint8Array): T | null {
    const write = this.#writes.get(nameOf(table, key))
    const bytes = write === undefined ? this.#environment.get(table, key) : write.value
    return bytes === undefined ? null : (decodeJsonRow(bytes) as T)
  }

  *#rows<T>(table: string, step: StepId): Iterable<T> {
    this.flush()
    for (const { value } of this.#environment.range(table, under(stepKey(step)))) yield decodeJsonRow(value) as T
  }

  #put(table: string, key: Uint8Array, value: Uint8Array | undefined): void {
    this.#writes.set(nameOf(table, key), { table, key, value })
    if (this.#timer === null) this.#arm(GATHER_MS)
  }

  #arm(ms: number): void {
    this.#timer = setTimeout(() => this.flush(), ms).unref()
  }
}

function encodeFailure(row: DeadLetter | RefusedDocument): Uint8Array {
  return encodeJsonRow({ ...row, reason: cutText(row.reason, bounds.reasonCharsMax) })
}

function nameOf(table: string, key: Uint8Array): string {
  return `${table}/${Buffer.from(key).toString('latin1')}`
}
