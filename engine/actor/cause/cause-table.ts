/**
 * The rows of root cause analysis in a shard: domain/cause/cause-store.ts over the table `causes`.
 *
 * | key: job u32, part u8, number f64 | a row of that part: version byte, then MessagePack of its fields in order; |
 * |                                   | of an alert, store/cause-alert-row.ts                                      |
 * | key: job u32, 255, cluster f64, alert f64 | empty: the alert came into the cluster |
 *
 * Numbers are big-endian and never negative, so the order of bytes is the order of numbers.
 */
import { assert } from '../../assert.js'
import type { AlertRow } from '../../domain/cause/cause-rows.js'
import {
  causeFields,
  causeParts,
  type CauseStore,
  type CausePart,
  type CauseReads,
} from '../../domain/cause/cause-store.js'
import { decodeAlert, encodeAlert } from '../../store/cause-alert-row.js'
import type { KeyRange, Entry } from '../../store/environment.js'
import { pack, unpack } from '../../store/pack.js'
import type { ShardTable } from '../../store/tables.js'
import type { Reads } from '../event-table.js'
import type { TurnStore } from '../turn-store.js'

const VERSION = 1
const MEMBERS = 255
const NUMBER_AT = 5
const ALERT_AT = 13
const nothing = new Uint8Array(0)

/** Reads by key and in order: an environment or the store of a turn. */
export interface RangeReads extends Reads {
  range(table: ShardTable, range: KeyRange): Iterable<Entry>
}

function rowKey(jobId: number, part: number, number: number): Buffer {
  const key = Buffer.allocUnsafe(ALERT_AT)
  key.writeUInt32BE(jobId, 0)
  key[4] = part
  key.writeDoubleBE(number, NUMBER_AT)
  return key
}

function memberKey(jobId: number, cluster: number, alert: number): Buffer {
  const key = Buffer.allocUnsafe(ALERT_AT + 8)
  rowKey(jobId, MEMBERS, cluster).copy(key)
  key.writeDoubleBE(alert, ALERT_AT)
  return key
}

/** Reads the rows of one job. */
export class CauseRows implements CauseReads {
  readonly #reads: RangeReads
  protected readonly jobId: number

  constructor(reads: RangeReads, jobId: number) {
    this.#reads = reads
    this.jobId = jobId
  }

  get(part: CausePart, number: number): unknown {
    const bytes = this.#reads.get('causes', rowKey(this.jobId, causeParts.indexOf(part), number))
    return bytes === undefined ? undefined : decode(part, bytes)
  }

  *all(part: CausePart): Iterable<{ number: number; row: unknown }> {
    yield* this.before(part, null)
  }

  /** Rows of a part, in order or in reverse; with a `number` those below it. */
  *before(part: CausePart, number: number | null, reverse = false): Iterable<{ number: number; row: unknown }> {
    const place = causeParts.indexOf(part)
    const to =
      number === null ? rowKey(this.jobId, place + 1, 0).subarray(0, NUMBER_AT) : rowKey(this.jobId, place, number)
    const from = rowKey(this.jobId, place, 0).subarray(0, NUMBER_AT)
    for (const { key, value } of this.#reads.range('causes', { from, to, reverse })) {
      yield { number: numberAt(key, NUMBER_AT), row: decode(part, value) }
    }
  }

  /** The alerts that arrived in the cluster itself after `after`, in the order of their arrival. */
  *members(cluster: number, after: number, limit: number): Iterable<number> {
    const range = {
      from: memberKey(this.jobId, cluster, after + 1),
      to: memberKey(this.jobId, cluster, Infinity),
      limit,
    }
    for (const { key } of this.#reads.range('causes', range)) yield numberAt(key, ALERT_AT)
  }
}

/** For readers of what an actor owns: writes are ignored. */
export class CauseTableReader extends CauseRows implements CauseStore {
  put(): void {}
  putMember(): void {}
  deleteMember(): void {}
}

/** Reads and writes the rows in a turn. */
export class CauseTable extends CauseRows implements CauseStore {
  readonly #store: TurnStore

  constructor(store: TurnStore, jobId: number) {
    super(store, jobId)
    this.#store = store
  }

  put(part: CausePart, number: number, row: unknown): void {
    this.#store.put('causes', rowKey(this.jobId, causeParts.indexOf(part), number), encode(part, row))
  }

  putMember(cluster: number, alert: number): void {
    this.#store.put('causes', memberKey(this.jobId, cluster, alert), nothing)
  }

  deleteMember(cluster: number, alert: number): void {
    this.#store.delete('causes', memberKey(this.jobId, cluster, alert))
  }
}

type Fields = Record<string, unknown>

function encode(part: CausePart, row: unknown): Buffer {
  if (part === 'alerts') return encodeAlert(row as AlertRow)
  const bytes = pack(part === 'global' ? row : causeFields[part].map((name) => (row as Fields)[name]), 1)
  bytes[0] = VERSION
  return bytes
}

function decode(part: CausePart, bytes: Uint8Array): unknown {
  if (part === 'alerts') return decodeAlert(bytes)
  assert(bytes[0] === VERSION, 'the row of root cause analysis has a version that this code knows')
  const packed = unpack(bytes.subarray(1))
  if (part === 'global') return packed
  const row: Fields = {}
  for (const [at, name] of causeFields[part].entries()) row[name] = (packed as unknown[])[at]
  return row
}

function numberAt(key: Uint8Array, at: number): number {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).readDoubleBE(at)
}
