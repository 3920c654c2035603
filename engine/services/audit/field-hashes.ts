/**
 * What entries of the audit log can be filtered by, made small: one mark of eight bytes a field.
 *
 * Owns: the fields, their values in an entry, and their marks. Leaves out: the tables (audit-tables.ts), the questions
 * (audit-query.ts).
 *
 * 1. A mark is the first eight bytes of SHA-256 over field and value: a scan compares marks and opens no entry. That two
 *    values of one field share a mark is as likely as guessing a number of nineteen digits.
 */
import { createHash } from 'node:crypto'
import type { AuditEntry } from '../../api/audit-service.js'

/** In the order of their marks. `user` also means the analyst whose vote it is. */
export const filterFields = ['user', 'analyst', 'action', 'object_type', 'object_id', 'job_id'] as const
export type FilterField = (typeof filterFields)[number]

export const FILTER_BYTES = 8
/** Marks that are kept at hand. */
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

/** The mark of a value; all zero for null. */
export function markOf(field: FilterField, value: string | null): Buffer {
  // The analyst is a user too: a question for a user compares one mark with both.
  const space = field === 'analyst' ? 'user' : field
  const text = value === null ? '' : `${space} ${value}`
  const known = remembered.get(text)
  if (known !== undefined) return known
  const mark =
    value === null ? Buffer.alloc(FILTER_BYTES) : createHash('sha256').update(text).digest().subarray(0, FILTER_BYTES)
  if (remembered.size >= REMEMBERED_MAX) remembered.clear()
  remembered.set(text, mark)
  return mark
}

/** The marks of an entry, side by side. */
export function filtersOf(entry: AuditEntry): Buffer {
  return Buffer.concat(filterFields.map((field) => markOf(field, fieldOf(field, entry))))
}
