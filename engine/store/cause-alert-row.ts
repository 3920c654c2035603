/**
 * The row of an alert in its cluster (cause/cause-rows.ts) as bytes. Every alert of a root cause job writes one, so it
 * is laid out by hand.
 *
 * | at | bytes | what                                                                         |
 * |----|-------|------------------------------------------------------------------------------|
 * | 0  | 1     | version of this layout: 1                                                    |
 * | 1  | 1     | 1: its time was assumed; 2: alone because late; 4: alone for want of an id   |
 * | 2  | 2     | side of the parent; side of the first follower                               |
 * | 4  | 3     | entities listed (at most 64); predecessors; earlier decisions                  |
 * | 7  | 1     | 0                                                                            |
 * | 8  | 6     | kinds, u16 each: own, parent's, first follower's                             |
 * | 14 | 2     | 0                                                                            |
 * | 16 | 12    | followers; rank; bytes of the entity's name: u32 each                        |
 * | 28 | 56    | f64 each: cluster, time, parent, delay, belief, belief of the followers, time since the start |
 * | 84 |       | by predecessor: kind u16, side u8, delay f64, belief f64                       |
 * |    |       | by earlier decision: time f64, label + 1 u8, source u8, confidence u16       |
 * |    |       | the name of the entity, UTF-8                                                |
 *
 * Numbers are little-endian.
 */
import { assert } from '../assert.js'
import { PREDECESSOR_FIELDS, type AlertRow, type PastDecision } from '../domain/cause/cause-rows.js'
import type { Side } from '../domain/cause/delays.js'
import { decisionSources } from './event-record.js'

const VERSION = 1
const FIXED_BYTES = 84
const PREDECESSOR_BYTES = 19
const DECISION_BYTES = 12

const ASSUMED = 1
const LATE = 2
const NO_ID = 4

export function encodeAlert(row: AlertRow): Buffer {
  const { predecessors, history, entity } = row
  const nameBytes = Buffer.byteLength(entity)
  const count = predecessors.length / PREDECESSOR_FIELDS
  const bytes = Buffer.allocUnsafe(
    FIXED_BYTES + count * PREDECESSOR_BYTES + history.length * DECISION_BYTES + nameBytes,
  )
  bytes[0] = VERSION
  bytes[1] = (row.assumed ? ASSUMED : 0) | (row.alone === 'late' ? LATE : row.alone === 'no_id' ? NO_ID : 0)
  bytes[2] = row.side
  bytes[3] = row.followerSide
  bytes[4] = row.lists
  bytes[5] = count
  bytes[6] = history.length
  bytes[7] = 0
  bytes.writeUInt16LE(row.kind, 8)
  bytes.writeUInt16LE(row.parentKind, 10)
  bytes.writeUInt16LE(row.followerKind, 12)
  bytes.writeUInt16LE(0, 14)
  bytes.writeUInt32LE(row.followers, 16)
  bytes.writeUInt32LE(row.rank, 20)
  bytes.writeUInt32LE(nameBytes, 24)
  bytes.writeDoubleLE(row.cluster, 28)
  bytes.writeDoubleLE(row.timeMs, 36)
  bytes.writeDoubleLE(row.parent, 44)
  bytes.writeDoubleLE(row.delayMs, 52)
  bytes.writeDoubleLE(row.belief, 60)
  bytes.writeDoubleLE(row.followerBelief, 68)
  bytes.writeDoubleLE(row.sinceMs, 76)
  let at = FIXED_BYTES
  for (let from = 0; from < predecessors.length; from += PREDECESSOR_FIELDS, at += PREDECESSOR_BYTES) {
    bytes.writeUInt16LE(predecessors[from] as number, at)
    bytes[at + 2] = predecessors[from + 1] as number
    bytes.writeDoubleLE(predecessors[from + 2] as number, at + 3)
    bytes.writeDoubleLE(predecessors[from + 3] as number, at + 11)
  }
  for (const [micros, label, confidence, source] of history) {
    bytes.writeDoubleLE(micros, at)
    bytes[at + 8] = label + 1
    bytes[at + 9] = Math.max(0, (decisionSources as readonly string[]).indexOf(source))
    bytes.writeUInt16LE(confidence, at + 10)
    at += DECISION_BYTES
  }
  bytes.write(entity, at, 'utf8')
  return bytes
}

export function decodeAlert(value: Uint8Array): AlertRow {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  assert(bytes[0] === VERSION, 'the row of an alert has a version that this code knows')
  const flags = bytes[1] as number
  const count = bytes[5] as number
  let at = FIXED_BYTES
  const predecessors: number[] = []
  for (let each = 0; each < count; each++, at += PREDECESSOR_BYTES) {
    predecessors.push(
      bytes.readUInt16LE(at),
      bytes[at + 2] as number,
      bytes.readDoubleLE(at + 3),
      bytes.readDoubleLE(at + 11),
    )
  }
  const history: PastDecision[] = []
  for (let each = 0; each < (bytes[6] as number); each++, at += DECISION_BYTES) {
    const source = decisionSources[bytes[at + 9] as number] ?? 'none'
    history.push([bytes.readDoubleLE(at), (bytes[at + 8] as number) - 1, bytes.readUInt16LE(at + 10), source])
  }
  return {
    cluster: bytes.readDoubleLE(28),
    timeMs: bytes.readDoubleLE(36),
    kind: bytes.readUInt16LE(8),
    entity: bytes.toString('utf8', at, at + bytes.readUInt32LE(24)),
    parent: bytes.readDoubleLE(44),
    parentKind: bytes.readUInt16LE(10),
    side: bytes[2] as Side,
    delayMs: bytes.readDoubleLE(52),
    belief: bytes.readDoubleLE(60),
    predecessors,
    followers: bytes.readUInt32LE(16),
    followerKind: bytes.readUInt16LE(12),
    followerSide: bytes[3] as Side,
    followerBelief: bytes.readDoubleLE(68),
    rank: bytes.readUInt32LE(20),
    sinceMs: bytes.readDoubleLE(76),
    lists: bytes[4] as number,
    alone: (flags & LATE) !== 0 ? 'late' : (flags & NO_ID) !== 0 ? 'no_id' : '',
    assumed: (flags & ASSUMED) !== 0,
    history,
  }
}
