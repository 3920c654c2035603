/**
 * Decisions that changed after their event was stored: for output steps, which deliver them again, and for streams and
 * lists.
 *
 * Owns: the rows of the table `changes`. Leaves out: new events, which decision-feed.ts finds by their time without
 * such a row, delivery (delivery/delivery.ts), streams (services/stream/stream-reader.ts).
 *
 * 1. A row is in the commit of the change.
 * 2. A row is deleted when every output step of the job is past it, but not before limits.changesKeptMicros: a stream
 *    may go on where it broke off. `meta` notes up to which time there may have been rows.
 * 3. A row holds the decision that stood before. So a step can tell that there was a change, even if a later change
 *    restores that decision before the step gets to either.
 *
 * | at | bytes | meaning                                                     |
 * |----|-------|-------------------------------------------------------------|
 * | 0  | 1     | version of this layout: 1                                   |
 * | 1  | 1     | flags: 1 there was a decision, 2 it was an outlier, 4 the event was deleted, 8 outputs are not told |
 * | 2  | 1     | its label's index, 255 without one                          |
 * | 3  | 2     | its confidence, hundredths of a percent                     |
 */
import { assert } from '../assert.js'
import { limits } from '../limits.js'
import type { RuledDecision } from '../domain/decide/decision.js'
import type { JobSettings } from '../domain/job/job.js'
import { NO_LABEL, type RecordHeader } from '../store/record-header.js'
import { changeKey, changeOfKey, metaKey, timeOfValue, timeValue } from '../store/tables.js'
import type { Message } from './message.js'
import type { TurnStore } from './turn-store.js'

const VERSION = 1
const ROW_BYTES = 5
const DECIDED = 1
const OUTLIER = 2
const DELETED = 4
const NOT_TOLD = 8

/** Rows that one message deletes at most. */
const FORGOTTEN_MAX = 2_000

/** A stored event was decided, again or for the first time. */
export interface DecisionChange {
  readonly changeMicros: number
  /** Ingest time of the event. */
  readonly eventMicros: number
  /** The header that the event had. */
  readonly before: RecordHeader
  /** False: output steps leave it out. */
  readonly isTold?: boolean
}

/** Writes the row of a change. */
export function noteChange(
  store: TurnStore,
  { id }: Pick<JobSettings, 'id'>,
  { changeMicros, eventMicros, before, isTold = true }: DecisionChange,
): void {
  const row = Buffer.alloc(ROW_BYTES)
  row[0] = VERSION
  row[1] = (before.pending ? 0 : DECIDED) | (before.outlier ? OUTLIER : 0) | (isTold ? 0 : NOT_TOLD)
  row[2] = before.label < 0 ? NO_LABEL : before.label
  row.writeUInt16LE(before.confidence, 3)
  store.put('changes', changeKey(id, changeMicros, eventMicros), row)
}

/** Writes that an event was deleted: lists follow it (services/lists/event-columns.ts). */
export function noteDeletion(store: TurnStore, jobId: number, changeMicros: number, eventMicros: number): void {
  const row = Buffer.alloc(ROW_BYTES)
  row[0] = VERSION
  row[1] = DELETED
  row[2] = NO_LABEL
  store.put('changes', changeKey(jobId, changeMicros, eventMicros), row)
}

/** The decision that stood before a change: null where there was none. */
export function decisionBefore(row: Uint8Array): RuledDecision | null {
  assert(row[0] === VERSION && row.length === ROW_BYTES, 'the row of a change has a version that this code knows')
  const flags = row[1] as number
  if ((flags & DECIDED) === 0) return null
  const label = row[2] === NO_LABEL ? -1 : (row[2] as number)
  return { label, confidence: (row[3] as number) | ((row[4] as number) << 8), outlier: (flags & OUTLIER) !== 0 }
}

/** True where output steps are to be told of the change. */
export function isChangeTold(row: Uint8Array): boolean {
  return ((row[1] as number) & NOT_TOLD) === 0
}

/** A message: every output step has delivered this change and all before it. */
export function encodePassed(changeMicros: number, eventMicros: number): Buffer {
  return Buffer.concat([timeValue(changeMicros), timeValue(eventMicros)])
}

/** Deletes rows that every output step has delivered and that are old; the answer says whether there may be more. */
export function forgetPassed(store: TurnStore, { jobId, body, applied, micros }: Message): { more: boolean } {
  if (applied) return { more: true }
  const passed = changeKey(jobId, timeOfValue(body), timeOfValue(body.subarray(8)) + 1)
  const old = changeKey(jobId, Math.max(0, micros - limits.changesKeptMicros), 0)
  const to = Buffer.compare(passed, old) < 0 ? passed : old
  let [forgotten, through] = [0, 0]
  for (const { key } of store.range('changes', { from: changeKey(jobId, 0, 0), to, limit: FORGOTTEN_MAX })) {
    store.delete('changes', key)
    through = changeOfKey(key).changeMicros
    forgotten++
  }
  const noted = store.get('meta', metaKey('changes_forgotten'))
  if (through > (noted === undefined ? 0 : timeOfValue(noted)))
    store.put('meta', metaKey('changes_forgotten'), timeValue(through))
  return { more: forgotten === FORGOTTEN_MAX }
}
