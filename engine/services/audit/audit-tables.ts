/**
 * The audit log's tables in the catalog's environment, and their bytes.
 *
 * | table       | key                                   | value                                              |
 * |-------------|---------------------------------------|----------------------------------------------------|
 * | audit       | sequence (u64), from 1                | version u8, SHA-256 (32 bytes), the entry as JSON  |
 * | audit_times | time (u64, microseconds), sequence    | hashes of the fields to filter by, 8 bytes each    |
 * | audit_terms | field (u8), value in UTF-8            | number of entries with the value (u32)             |
 * | audit_meta  | `head`                                | version, number of entries (u64), last hash (32)   |
 * | audit_meta  | `taken`, shard (u32)                  | version, time up to which its outbox was taken     |
 *
 * Numbers are big-endian. The hash of an entry is SHA-256 over the hash before it and the bytes of its JSON as stored,
 * its canonical form. Before the first entry there are 32 zero bytes.
 */
import { createHash } from 'node:crypto'
import { Refusal } from '../../errors.js'
import type { AuditEntry } from '../../api/audit-service.js'

export const auditTables = ['audit', 'audit_times', 'audit_terms', 'audit_meta'] as const

const VERSION = 1
const HASH_BYTES = 32
const ENTRY_AT = 1 + HASH_BYTES
const NUMBER_BYTES = 8

/** The hash before the first entry. */
export const genesis: Uint8Array = Buffer.alloc(HASH_BYTES)

/** The head of the chain: the number of entries, and the last hash. */
export interface AuditHead {
  readonly count: number
  readonly hash: Uint8Array
}

export const noHead: AuditHead = { count: 0, hash: genesis }

/** An entry with its place in the chain. */
export interface ChainedEntry extends AuditEntry {
  readonly sequence: number
}

function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(NUMBER_BYTES)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

function numberAt(bytes: Uint8Array, at: number): number {
  return Number(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).readBigUInt64BE(at))
}

export function sequenceKey(sequence: number): Uint8Array {
  return numberBytes(sequence)
}

/** The sequence in a key of `audit`. */
export function sequenceOfKey(key: Uint8Array): number {
  return numberAt(key, 0)
}

/** A key of `audit_times`. Without `sequence` it is the first possible key of that time. */
export function timesKey(micros: number, sequence = 0): Uint8Array {
  return Buffer.concat([numberBytes(micros), numberBytes(sequence)])
}

/** The time in a key of `audit_times`, microseconds. */
export function microsOfTimesKey(key: Uint8Array): number {
  return numberAt(key, 0)
}

/** The sequence in a key of `audit_times`. */
export function sequenceOfTimesKey(key: Uint8Array): number {
  return numberAt(key, NUMBER_BYTES)
}

/** The canonical bytes of an entry: JSON with the fields in this order, without absent ones. */
export function canonicalBytes(entry: AuditEntry, sequence: number): Buffer {
  const { atMicros, by, analyst, action, object, job, changes, details } = entry
  return Buffer.from(
    JSON.stringify({
      sequence,
      atMicros,
      by: { kind: by.kind, name: by.name },
      analyst,
      action,
      object: { type: object.type, id: object.id, title: object.title },
      job: job === undefined ? undefined : { id: job.id, title: job.title },
      changes,
      details,
    }),
    'utf8',
  )
}

export function chainHash(before: Uint8Array, canonical: Uint8Array): Buffer {
  return createHash('sha256').update(before).update(canonical).digest()
}

/** A value of `audit`. */
export function encodeChained(hash: Uint8Array, canonical: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(VERSION), hash, canonical])
}

/** True where this program knows the version of a value of `audit`. */
export function isReadable(value: Uint8Array): boolean {
  return value[0] === VERSION && value.length > ENTRY_AT
}

/** The hash and the canonical bytes of a value of `audit`. @throws Refusal data_dir_newer. */
export function splitChained(value: Uint8Array): { hash: Uint8Array; canonical: Uint8Array } {
  mustKnow(value)
  return { hash: value.subarray(1, ENTRY_AT), canonical: value.subarray(ENTRY_AT) }
}

/** The entry in a value of `audit`. */
export function decodeChained(value: Uint8Array): { entry: ChainedEntry; hash: Uint8Array } {
  const { hash, canonical } = splitChained(value)
  const text = Buffer.from(canonical.buffer, canonical.byteOffset, canonical.byteLength).toString('utf8')
  return { entry: JSON.parse(text) as ChainedEntry, hash }
}

export const headKey: Uint8Array = Buffer.from('head')

export function encodeHead({ count, hash }: AuditHead): Buffer {
  return Buffer.concat([Buffer.of(VERSION), numberBytes(count), hash])
}

export function decodeHead(value: Uint8Array | undefined): AuditHead {
  if (value === undefined) return noHead
  mustKnow(value)
  return { count: numberAt(value, 1), hash: value.subarray(1 + NUMBER_BYTES) }
}

export function takenKey(shard: number): Uint8Array {
  const key = Buffer.from('taken    ')
  key.writeUInt32BE(shard, 5)
  return key
}

export function encodeTaken(micros: number): Buffer {
  return Buffer.concat([Buffer.of(VERSION), numberBytes(micros)])
}

export function decodeTaken(value: Uint8Array | undefined): number {
  if (value === undefined) return 0
  mustKnow(value)
  return numberAt(value, 1)
}

function mustKnow(value: Uint8Array): void {
  const version = value[0] ?? 0
  if (version === VERSION) return
  throw new Refusal('data_dir_newer', `a row of the audit log has version ${version}; this program knows ${VERSION}`)
}
