/**
 * The ledger of integrations: how far each step is, what it failed to deliver, what it remembers.
 *
 * Owns: the environment `integrations` of the data directory, its keys and rows, and when they are written. Leaves out:
 * what is delivered (delivery.ts). Events are not in it: a letter names its event, which is read from the shard when it
 * is sent again.
 *
 * | table      | key                                | value                                       |
 * |------------|------------------------------------|---------------------------------------------|
 * | places     | step                               | up to where events and changes are handled  |
 * | letters    | step, ingest time of the event u64 | a delivery that failed, waiting or for good |
 * | checkpoints | step                              | up to where an input has read; its own     |
 * | references | step, subject                      | what the counterpart calls it: a case's id  |
 * | refused    | step, 8 bytes of a hash of the id  | a document of an input that was no event    |
 *
 * A step is | job u32 | integration u32 | role u8 |, numbers big-endian.
 *
 * 1. One thread writes it, any may read it.
 * 2. A place moves in the same commit as the letters of what it passes: nothing is passed unseen.
 * 3. Writes are gathered for a moment; what a crash takes of them is delivered again (at least once).
 */
import { createHash } from 'node:crypto'
import { bounds } from '../bounds.js'
import { integrationRoles, type IntegrationRole } from '../../domain/job/job.js'
import { WriteBatch, type Environment } from '../../store/environment.js'
import { decodeJsonRow, encodeJsonRow } from '../../store/json-row.js'

export const ledgerTables = ['places', 'deadLetters', 'references', 'checkpoints', 'refused'] as const

/** The job of steps that are of the service itself: they tell watchdogs. No job has this id. */
export const NO_JOB = 0

/** A step that takes events out: which job, which integration, in which role. */
export interface StepId {
  readonly jobId: number
  readonly integrationId: number
  readonly role: IntegrationRole
}

/** Up to where a step has handled: events by ingest time, changed decisions by the time of the change and their event. */
export interface Place {
  readonly events: number
  readonly change: number
  readonly changeEvent: number
}

export interface DeadLetter {
  /** Waiting is tried again by itself; dead is not. */
  readonly state: 'waiting' | 'dead'
  /** Ingest time of the event. */
  readonly eventMicros: number
  /** Time of the change of decision that was to be told, 0 for the first decision. */
  readonly changeMicros: number
  readonly attempts: number
  readonly reason: string
  readonly firstMs: number
  readonly lastMs: number
  /** When it is tried again; of no meaning for the dead. */
  readonly nextMs: number
}

/** A document of an input that was no event. */
export interface RefusedDocument {
  readonly id: string
  readonly reason: string
  readonly attempts: number
  readonly firstMs: number
  readonly lastMs: number
  /** Base64; the beginning alone where it is not whole. */
  readonly body: string
  readonly isWhole: boolean
}

const STEP_BYTES = 9

export function stepKey({ jobId, integrationId, role }: StepId): Buffer {
  const key = Buffer.alloc(STEP_BYTES)
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

/** Of the document of an input. */
export function refusedKey(step: Uint8Array, id: string): Buffer {
  return Buffer.concat([step, createHash('sha256').update(id).digest().subarray(0, 8)])
}

/** All keys that begin with these bytes. */
export function under(prefix: Uint8Array): { from: Uint8Array; to: Uint8Array } {
  return { from: prefix, to: Buffer.concat([prefix, Buffer.alloc(16, 0xff)]) }
}

/** Writes are gathered for so long. */
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

  place(step: StepId): Place | null {
    const bytes = this.#get('places', stepKey(step))
    return bytes === undefined ? null : (decodeJsonRow(bytes) as Place)
  }

  putPlace(step: StepId, place: Place): void {
    this.#put('places', stepKey(step), encodeJsonRow(place))
  }

  /** null where there is none. */
  checkpoint(step: StepId): unknown {
    const bytes = this.#get('checkpoints', stepKey(step))
    return bytes === undefined ? null : (decodeJsonRow(bytes) as { checkpoint: unknown }).checkpoint
  }

  putCheckpoint(step: StepId, checkpoint: unknown): void {
    this.#put('checkpoints', stepKey(step), encodeJsonRow({ checkpoint }))
  }

  *deadLetters(step: StepId): Iterable<DeadLetter> {
    this.flush()
    for (const { value } of this.#environment.range('deadLetters', under(stepKey(step))))
      yield decodeJsonRow(value) as DeadLetter
  }

  deadLetter(step: StepId, eventMicros: number): DeadLetter | null {
    const bytes = this.#get('deadLetters', deadLetterKey(stepKey(step), eventMicros))
    return bytes === undefined ? null : (decodeJsonRow(bytes) as DeadLetter)
  }

  putDeadLetter(step: StepId, deadLetter: DeadLetter): void {
    const reason = deadLetter.reason.slice(0, bounds.reasonCharsMax)
    this.#put(
      'deadLetters',
      deadLetterKey(stepKey(step), deadLetter.eventMicros),
      encodeJsonRow({ ...deadLetter, reason }),
    )
  }

  dropDeadLetter(step: StepId, eventMicros: number): void {
    this.#put('deadLetters', deadLetterKey(stepKey(step), eventMicros), undefined)
  }

  *refused(step: StepId): Iterable<RefusedDocument> {
    this.flush()
    for (const { value } of this.#environment.range('refused', under(stepKey(step))))
      yield decodeJsonRow(value) as RefusedDocument
  }

  refusedOne(step: StepId, id: string): RefusedDocument | null {
    const bytes = this.#get('refused', refusedKey(stepKey(step), id))
    return bytes === undefined ? null : (decodeJsonRow(bytes) as RefusedDocument)
  }

  putRefused(step: StepId, document: RefusedDocument): void {
    const reason = document.reason.slice(0, bounds.reasonCharsMax)
    this.#put('refused', refusedKey(stepKey(step), document.id), encodeJsonRow({ ...document, reason }))
  }

  dropRefused(step: StepId, id: string): void {
    this.#put('refused', refusedKey(stepKey(step), id), undefined)
  }

  reference(step: StepId, subject: string): string | null {
    const bytes = this.#get('references', Buffer.concat([stepKey(step), Buffer.from(subject)]))
    return bytes === undefined ? null : (decodeJsonRow(bytes) as { reference: string }).reference
  }

  /** Written at once: the next event of the same subject must find it, and a second case is worse than a late one. */
  putReference(step: StepId, subject: string, reference: string): void {
    this.#put('references', Buffer.concat([stepKey(step), Buffer.from(subject)]), encodeJsonRow({ reference }))
    this.flush()
  }

  /** Steps that anything is kept of. */
  steps(): StepId[] {
    this.flush()
    const keys = [...this.#environment.range('places', {}), ...this.#environment.range('checkpoints', {})]
    return keys.map(({ key }) => stepOfKey(key))
  }

  /** Forgets a step that is no more. */
  forget(step: StepId): void {
    this.flush()
    for (const table of ledgerTables) {
      for (const { key } of this.#environment.range(table, under(stepKey(step))))
        this.#put(table, Buffer.from(key), undefined)
    }
  }

  /** Writes what is gathered; false where the store does not take it now. */
  flush(): boolean {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#writes.size === 0) return true
    const batch = new WriteBatch()
    for (const { table, key, value } of this.#writes.values()) {
      if (value === undefined) batch.delete(table, key)
      else batch.put(table, key, value)
    }
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

  /** As it will be when all is written. */
  #get(table: string, key: Uint8Array): Uint8Array | undefined {
    const write = this.#writes.get(nameOf(table, key))
    return write === undefined ? this.#environment.get(table, key) : write.value
  }

  #put(table: string, key: Uint8Array, value: Uint8Array | undefined): void {
    this.#writes.set(nameOf(table, key), { table, key, value })
    if (this.#timer === null) this.#arm(GATHER_MS)
  }

  #arm(ms: number): void {
    this.#timer = setTimeout(() => this.flush(), ms).unref()
  }
}

function nameOf(table: string, key: Uint8Array): string {
  return `${table}/${Buffer.from(key).toString('latin1')}`
}
