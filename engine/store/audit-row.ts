/**
 * The rows of `audits`. Audits are written as fast as events, so they are short:
 *
 * | 0 version u8 | 1 flags u8 | 2 label u8 | 3 subject bytes u8 | 4 confidence u16 | 6 from u16 | 8 model u32 |
 * | 12 analysts u32 | 16 drawn f64 | 24 due f64 | 32 rate f64 | 40 subject | bucket, unless it is the subject or none |
 *
 * Numbers are little-endian; times are microseconds; confidences are hundredths of a percent.
 */
import { assert, must } from '../assert.js'
import type { Audit, AuditOutcome } from '../domain/autonomy/audit.js'
import { decodeJsonRow } from './json-row.js'

/** Version 1 was JSON. */
const VERSION = 2
const FIXED_BYTES = 40

/** By their number in the lowest two bits of the flags. */
const outcomes: readonly AuditOutcome[] = ['pending', 'clean', 'failure', 'late']
const OUTCOME = 3
const SECOND = 4
const DIFFER = 8
const GONE = 16
const HAS_BUCKET = 32
const BUCKET_IS_SUBJECT = 64

export function encodeAudit(audit: Audit): Buffer {
  const { subject, bucketId } = audit
  const subjectBytes = subject.length / 2
  const behind = bucketId === null || bucketId === subject ? '' : bucketId
  const row = Buffer.allocUnsafe(FIXED_BYTES + subjectBytes + behind.length / 2)
  row[0] = VERSION
  row[1] =
    outcomes.indexOf(audit.outcome) |
    (audit.second ? SECOND : 0) |
    (audit.differ ? DIFFER : 0) |
    (audit.gone === true ? GONE : 0) |
    (bucketId === null ? 0 : HAS_BUCKET) |
    (bucketId === subject ? BUCKET_IS_SUBJECT : 0)
  row[2] = audit.label
  row[3] = subjectBytes
  row.writeUInt16LE(audit.confidence, 4)
  row.writeUInt16LE(audit.from, 6)
  row.writeUInt32LE(audit.modelVersion, 8)
  row.writeUInt32LE(audit.analysts, 12)
  row.writeDoubleLE(audit.drawnMicros, 16)
  row.writeDoubleLE(audit.dueMicros, 24)
  row.writeDoubleLE(audit.rate, 32)
  row.write(subject, FIXED_BYTES, 'hex')
  row.write(behind, FIXED_BYTES + subjectBytes, 'hex')
  return row
}

export function decodeAudit(value: Uint8Array): Audit {
  if (value[0] === 1) return decodeJsonRow(value) as Audit
  assert(value[0] === VERSION, 'the row has a version that this code knows')
  const row = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  const flags = row[1] as number
  const end = FIXED_BYTES + (row[3] as number)
  const subject = row.toString('hex', FIXED_BYTES, end)
  const bucketId = (flags & BUCKET_IS_SUBJECT) !== 0 ? subject : row.toString('hex', end)
  return {
    drawnMicros: row.readDoubleLE(16),
    dueMicros: row.readDoubleLE(24),
    label: row[2] as number,
    confidence: row.readUInt16LE(4),
    from: row.readUInt16LE(6),
    modelVersion: row.readUInt32LE(8),
    rate: row.readDoubleLE(32),
    bucketId: (flags & HAS_BUCKET) === 0 ? null : bucketId,
    subject,
    second: (flags & SECOND) !== 0,
    outcome: must(outcomes[flags & OUTCOME], 'outcome', flags & OUTCOME),
    analysts: row.readUInt32LE(12),
    differ: (flags & DIFFER) !== 0,
    ...((flags & GONE) === 0 ? {} : { gone: true }),
  }
}
