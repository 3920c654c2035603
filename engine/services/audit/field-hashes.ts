/**
 * The fields that the audit log can be filtered by, and a hash of eight bytes for each field of an entry.
 *
 * Owns: the fields, their values in an entry, and the hashes. Leaves out: the tables (audit-tables.ts), queries
 * (audit-query.ts).
 *
 * 1. A hash is the first eight bytes of SHA-256 over field and value. A scan compares hashes and opens no entry. Two
 *    values of a field share a hash with a probability of 2⁻⁶⁴.
 */
import { createHash } from 'node:crypto'
import type { AuditEntry } from '../../api/audit-service.js'

/** In the order of their hashes. A filter for `user` also finds the analyst of a vote. */
export const filterFields = ['user', 'analyst', 'action', 'object_type', 'object_id', 'job_id'] as const
export type FilterField = (typeof filterFields)[number]

export const HASH_BYTES = 8
/** Hashes kept in memory. */
const REMEMBERED_MAX = 4_096

const remembered = new Map<string, Buffer>()

/** The value of a field in an entry, or null. */
export function fieldOf(field: FilterField, entry: AuditEntry): string | null {
  switch (field) {
    case 'user':
      return entry.by.name
    case 'analyst':
      return entry.analyst ?? null
    case 'action':
      return entry.action
    case 'object_type':
      return entry.object.type
    case 'object_id':
      return entry.object.id
    case 'job_id':
      return entry.job === undefined ? null : String(entry.job.id)
  }
}

/** The hash of a value; all zero for null. */
export function fieldHash(field: FilterField, value: string | null): Buffer {
  // Analysts are users: a filter for a user compares one hash with both fields.
  const space = field === 'analyst' ? 'user' : field
  const text = value === null ? '' : `${space} ${value}`
  const known = remembered.get(text)
  if (known !== undefined) return known
  const hash =
    value === null ? Buffer.alloc(HASH_BYTES) : createHash('sha256').update(text).digest().subarray(0, HASH_BYTES)
  if (remembered.size >= REMEMBERED_MAX) remembered.clear()
  remembered.set(text, hash)
  return hash
}

/** The hashes of an entry's fields, one after the other. */
export function fieldHashesOf(entry: AuditEntry): Buffer {
  return Buffer.concat(filterFields.map((field) => fieldHash(field, fieldOf(field, entry))))
}
