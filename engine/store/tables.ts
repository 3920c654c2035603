/**
 * The tables of a shard, and the layout of their keys.
 *
 * Numbers in keys are big-endian, so that byte order is number order. In the table, `job` is the job's id (u32), and
 * `time` the ingest time in microseconds (u64). The time is unique in the service, so it names the event's record.
 *
 * | table    | key                          | value                                              |
 * |----------|------------------------------|----------------------------------------------------|
 * | events   | job, time                    | event record (store/event-record.ts)               |
 * | ids      | job, client's event id UTF-8 | time: which record has this id; number of the request that sent it last |
 * | pending  | job, time                    | empty: stored, decided when the job starts         |
 * | awaited  | job, time                    | empty: stored, decided when its enrichment has ended |
 * | lookups  | job, time                    | enrichment of the event (store/enrichment-row.ts)  |
 * | buckets  | job, bucket number (u32)     | bucket row (store/bucket-row.ts)                   |
 * | bucket_ids | job, bucket id (16 bytes)  | number of the bucket, but for new ones (store/bucket-table.ts) |
 * | bucket_tail | job, bucket number        | ids of new buckets (store/bucket-table.ts)         |
 * | counts   | job, bucket number           | events of the bucket, but for deferred ones (buckets/bucket-counts.ts) |
 * | ballots  | job, subject (8 or 16 bytes) | what its votes say together, and the consensus (store/ballot-row.ts) |
 * | votes    | job, subject, time           | the votes on one event of the subject; time 0: on the whole bucket |
 * | states   | job, subject, number (u32)   | the ballot as it was under that number (store/ballot-row.ts) |
 * | answers  | job, time                    | the decision that a voted event had before (store/first-answer-row.ts) |
 * | notes    | job, time                    | notes on the event (store/note-row.ts)             |
 * | picks    | job, time of the vote        | a vote that the service asked for, and its promise (store/pick-row.ts) |
 * | tasks    | job, time of the request     | a reprocessing task (store/reprocess-row.ts)       |
 * | history  | job, time, number (u32)      | a request with historic events, and its parts (store/history-row.ts) |
 * | changes  | job, time of the change, time | the decision before a changed one: for steps and for streams |
 * | autonomy | job                          | the safety contract and its gates (store/autonomy-row.ts) |
 * | audits   | job, time                    | an audited event: its draw and its outcome         |
 * | dues     | job, deadline, time          | empty: an audit that is not answered yet           |
 * | causes   | job, part, number            | root cause analysis (cause/cause-table.ts)         |
 * | models   | job, version (u32)           | summary and bytes of one trained model             |
 * | registry | job, version (u32)           | what is known of a model, kept or not (store/registry-row.ts) |
 * | replays  | job, time of the request     | a replay and its report (store/replay-row.ts)      |
 * | trials   | job                          | the challenger and its comparison (store/trial-row.ts) |
 * | shadows  | job, time                    | an event that the challenger decided differently   |
 * | stats    | job                          | counters and learning state of the job             |
 * | points   | job                          | different values at the decision points (store/point-row.ts) |
 * | findings | job                          | what was odd in its events (store/finding-row.ts)  |
 * | shapes   | shape number (u32)           | its field names, JSON (event/shape-tree.ts)        |
 * | words    | word number (u32)            | its text, UTF-8 (event/words.ts)                   |
 * | outbox   | time                         | entries on their way to the audit log (actor/audit-outbox.ts) |
 * | meta     | name                         | of the shard: last time, how far counts and changes are, audit log, and |
 * |          |                              | of a shard that a log feeds: its position, sums, settings of jobs |
 */
import { putFourBytesBigEndian } from './number-bytes.js'

/** The tables of a shard. */
export const shardTables = [
  'events',
  'ids',
  'pending',
  'awaited',
  'lookups',
  'buckets',
  'bucket_ids',
  'bucket_tail',
  'counts',
  'ballots',
  'votes',
  'states',
  'answers',
  'notes',
  'picks',
  'tasks',
  'history',
  'changes',
  'autonomy',
  'audits',
  'dues',
  'causes',
  'models',
  'registry',
  'replays',
  'trials',
  'shadows',
  'stats',
  'points',
  'findings',
  'shapes',
  'words',
  'outbox',
  'meta',
] as const

/** Tables of the shard itself, not of one of its jobs. */
export const sharedTables: readonly string[] = ['shapes', 'words', 'outbox', 'meta']

export type ShardTable = (typeof shardTables)[number]

const TWO_32 = 2 ** 32
/** Bytes of the job's id, which every key of a job begins with. */
export const JOB_BYTES = 4
export const TIME_KEY_BYTES = 12

/** The first possible key of a job in any table. That of `job + 1` is the end. */
export function jobKey(job: number): Buffer {
  const key = Buffer.allocUnsafe(4)
  key.writeUInt32BE(job, 0)
  return key
}

/** The job in a key that begins with one. */
export function jobOfKey(key: Uint8Array): number {
  return uint32At(key, 0)
}

/** All keys of one job. */
export function jobRange(job: number): { from: Buffer; to: Buffer } {
  return { from: jobKey(job), to: jobKey(job + 1) }
}

/** Key of an event in `events`, `pending`, `awaited`, `notes` and `lookups`, and of a task. */
export function timeKey(job: number, micros: number): Buffer {
  return writeTimeKey(Buffer.allocUnsafe(TIME_KEY_BYTES), job, micros)
}

/** Writes a timeKey over the TIME_KEY_BYTES at `at`. Returns `key`. */
export function writeTimeKey(key: Buffer, job: number, micros: number, at = 0): Buffer {
  putFourBytesBigEndian(key, at, job)
  putFourBytesBigEndian(key, at + 4, Math.floor(micros / TWO_32))
  putFourBytesBigEndian(key, at + 8, micros % TWO_32)
  return key
}

/** The time in a key of timeKey, or the one that begins at `at`. */
export function timeOfKey(key: Uint8Array, at = JOB_BYTES): number {
  return uint32At(key, at) * TWO_32 + uint32At(key, at + 4)
}

/** Called for every event of a scan, so no view is made. */
function uint32At(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) * 0x1000000 +
    (((bytes[at + 1] as number) << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number))
  )
}

/** Key of a changed decision: when it changed, and of which event. In `dues`: a deadline, and whose. */
export function changeKey(job: number, changeMicros: number, eventMicros: number): Buffer {
  return Buffer.concat([timeKey(job, changeMicros), timeValue(eventMicros)])
}

/** Key of a request with historic events, and of its parts from 1 on. */
export function historyKey(job: number, id: number, part: number): Buffer {
  const key = Buffer.concat([timeKey(job, id), Buffer.alloc(JOB_BYTES)])
  key.writeUInt32BE(part, TIME_KEY_BYTES)
  return key
}

/** True for the key of a request, false for one of its parts. */
export function isHistoryRow(key: Uint8Array): boolean {
  return uint32At(key, TIME_KEY_BYTES) === 0
}

/** The times in a key of changeKey. */
export function changeOfKey(key: Uint8Array): { changeMicros: number; eventMicros: number } {
  return { changeMicros: timeOfKey(key), eventMicros: timeOfValue(key.subarray(12)) }
}

/** Key of a client's event id. */
export function idKey(job: number, eventId: Uint8Array): Buffer {
  return writeIdKey(Buffer.allocUnsafe(4 + eventId.length), job, eventId)
}

/** Writes an idKey over all of `key`. The id lies at `at` in `bytes`. Returns `key`. */
export function writeIdKey(key: Buffer, job: number, bytes: Uint8Array, at = 0): Buffer {
  key.writeUInt32BE(job, 0)
  // For so few bytes a loop is faster than a call.
  for (let i = 4; i < key.length; i++) key[i] = bytes[at + i - 4] as number
  return key
}

/** Key of a bucket's id, or of a bucket's ballot. */
export function bucketKey(job: number, bucketId: Uint8Array): Buffer {
  return idKey(job, bucketId)
}

/** Key of the votes on the event with that ingest time; 0 for votes on the whole bucket. */
export function voteKey(job: number, subject: Uint8Array, micros: number): Buffer {
  return Buffer.concat([jobKey(job), subject, timeValue(micros)])
}

/** All keys of votes on a subject. A subject of 8 bytes is no prefix of one of 16, which is a hash. */
export function voteRange(job: number, subject: Uint8Array): { from: Buffer; to: Buffer } {
  return { from: voteKey(job, subject, 0), to: voteKey(job, subject, Number.MAX_SAFE_INTEGER) }
}

/** The subject and the time in a key of voteKey. */
export function voteOfKey(key: Uint8Array): { subject: Uint8Array; micros: number } {
  const at = key.length - 8
  return { subject: key.subarray(JOB_BYTES, at), micros: timeOfKey(key, at) }
}

/** Key of a state of a ballot. */
export function stateKey(job: number, subject: Uint8Array, state: number): Buffer {
  const key = Buffer.concat([jobKey(job), subject, Buffer.alloc(4)])
  key.writeUInt32BE(state, key.length - 4)
  return key
}

/** All keys of states of a subject. As in voteRange, no subject is a prefix of another. */
export function stateRange(job: number, subject: Uint8Array): { from: Buffer; to: Buffer } {
  return { from: stateKey(job, subject, 0), to: stateKey(job, subject, 2 ** 32 - 1) }
}

export const COUNT_KEY_BYTES = 8

/** Key of a bucket, and of its counts. */
export function countKey(job: number, bucketNumber: number): Buffer {
  return writeCountKey(Buffer.allocUnsafe(COUNT_KEY_BYTES), job, bucketNumber)
}

/** Writes a countKey over the COUNT_KEY_BYTES at `at`. Returns `key`. */
export function writeCountKey(key: Buffer, job: number, bucketNumber: number, at = 0): Buffer {
  key.writeUInt32BE(job, at)
  key.writeUInt32BE(bucketNumber, at + 4)
  return key
}

/** Key of a model version; laid out like a countKey. */
export function modelKey(job: number, version: number): Buffer {
  return countKey(job, version)
}

/** The number in a key of countKey, or the version in one of modelKey. */
export function bucketNumberOf(key: Uint8Array): number {
  return uint32At(key, JOB_BYTES)
}

export const versionOfKey = bucketNumberOf

/** Values of the shard. */
type MetaName = 'last_time' | 'counted_through' | 'audit_head' | 'changes_forgotten' | 'log_sequence' | 'log_sums'

/** Key of a value of the shard. */
export function metaKey(name: MetaName): Buffer {
  return Buffer.from(name, 'latin1')
}

const LOGGED_SETTINGS = 'settings of job '

/** Key of the settings of a job, in a shard that is fed by a log. */
export function loggedSettingsKey(job: number): Buffer {
  return Buffer.concat([Buffer.from(LOGGED_SETTINGS, 'latin1'), jobKey(job)])
}

/** All keys of loggedSettingsKey. */
export const loggedSettingsRange = {
  from: Buffer.from(LOGGED_SETTINGS, 'latin1'),
  to: Buffer.from(`${LOGGED_SETTINGS.slice(0, -1)}!`, 'latin1'),
}

/** A time as a value of `ids`. */
export function timeValue(micros: number): Buffer {
  const value = Buffer.allocUnsafe(8)
  value.writeUInt32BE(Math.floor(micros / TWO_32), 0)
  value.writeUInt32BE(micros % TWO_32, 4)
  return value
}

/** A value of `ids`: a time, and the number of a request (actor/origin.ts), if it is not 0. */
export function idValue(micros: number, request: number): Buffer {
  if (request === 0) return timeValue(micros)
  const value = Buffer.allocUnsafe(12)
  value.set(timeValue(micros))
  value.writeUInt32BE(request, 8)
  return value
}

/** The number of the request in a value of idValue; 0 for none. */
export function requestOfId(value: Uint8Array): number {
  return value.length < 12 ? 0 : uint32At(value, 8)
}

/** The time in a value of timeValue or idValue. */
export function timeOfValue(value: Uint8Array): number {
  return uint32At(value, 0) * TWO_32 + uint32At(value, 4)
}
