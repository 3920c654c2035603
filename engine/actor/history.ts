/**
 * Requests with many historic events in the job's actor: their parts come in, and become events piece by piece
 * (services/history/ sends the commands).
 *
 * Owns: the commands, and what each changes. Leaves out: the check of a request (services/history/run-check.ts),
 * storing events (event-intake.ts).
 *
 * 1. Nothing of a request counts before all of its parts are on disk. From then on all of it is stored, whatever
 *    happens: a restart goes on with the next part. So a request is applied as a whole or not at all.
 * 2. A piece and the row that says how far the request is are one commit. A piece says which part it takes, and changes
 *    nothing where that is not the next one: so a part becomes events once.
 * 3. The row of a finished request stays until its sender is answered. The same request again is answered from it.
 */
import { must } from '../assert.js'
import { limits } from '../limits.js'
import type { Label } from '../domain/job/job.js'
import type { Author } from '../api/principal.js'
import type { Entry, KeyRange } from '../store/environment.js'
import { decodeHistory, encodeHistory, type HistoryRow } from '../store/history-row.js'
import { historyKey, jobKey, jobOfKey, jobRange, type ShardTable } from '../store/tables.js'
import type { ActorDeps } from './actor-deps.js'
import type { EventIntake } from './event-intake.js'
import { splitAuthor, withAuthor } from './message-author.js'
import type { Message } from './message.js'
import { requestOfTime } from './origin.js'

/** What a `history` message asks for. Its texts follow it. */
export type HistoryCommand =
  | {
      readonly op: 'begin'
      readonly hash: string
      readonly labels: readonly Label[]
      readonly events: number
      readonly parts: number
      readonly odd: HistoryRow['odd']
      /** Sizes of the texts of its first parts, which come along. */
      readonly bytes: readonly number[]
    }
  | { readonly op: 'more'; readonly id: number; readonly from: number; readonly bytes: readonly number[] }
  | { readonly op: 'piece'; readonly id: number; readonly part: number }
  /** It is answered, or given up. */
  | { readonly op: 'end'; readonly id: number }

/** Reads ranges: an environment or the store of a turn. */
interface Ranges {
  range(table: ShardTable, range: KeyRange): Iterable<Entry>
}

const LENGTH_BYTES = 4

/** `upload`: the number of the upload that the request is part of; 0: of none. */
export function encodeHistoryCommand(
  by: Author,
  command: HistoryCommand,
  texts: readonly Uint8Array[] = [],
  upload = 0,
): Buffer {
  const json = Buffer.from(JSON.stringify(command), 'utf8')
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(json.length)
  return withAuthor(by, Buffer.concat([length, json, ...texts]), upload)
}

function decodeCommand(body: Buffer): { command: HistoryCommand; texts: Buffer } {
  const end = LENGTH_BYTES + body.readUInt32LE(0)
  const command = JSON.parse(body.toString('utf8', LENGTH_BYTES, end)) as HistoryCommand
  return { command, texts: body.subarray(end) }
}

/** The requests of a job that are not over, in their order. */
export function readHistory(reads: Ranges, jobId: number): HistoryRow[] {
  const rows: HistoryRow[] = []
  const { from: first, to } = jobRange(jobId)
  for (let from = first; ; ) {
    // One request at a time: its parts, which come behind its row, are not read.
    const [entry] = reads.range('history', { from, to, limit: 1 })
    if (entry === undefined) return rows
    const row = decodeHistory(entry.value)
    rows.push(row)
    from = historyKey(jobId, row.id + 1, 0)
  }
}

/** The jobs that have such requests. */
export function historyJobs(reads: Ranges): number[] {
  const ids: number[] = []
  for (let from = jobKey(0); ; ) {
    const [entry] = reads.range('history', { from, limit: 1 })
    if (entry === undefined) return ids
    const id = jobOfKey(entry.key)
    ids.push(id)
    from = jobKey(id + 1)
  }
}

/** Applies the command in a message. The answer is the request's row after it, or null where there is none. */
export function takeHistory(
  deps: ActorDeps,
  intake: Pick<EventIntake, 'historicPart'>,
  message: Message,
): HistoryRow | null {
  const { by, request: upload, body } = splitAuthor(message.body)
  const { command, texts } = decodeCommand(body)
  const id = command.op === 'begin' ? message.micros : command.id
  const bytes = deps.store.get('history', historyKey(deps.settings.id, id, 0))
  const row = bytes === undefined ? null : decodeHistory(bytes)
  if (message.applied) return row
  if (command.op === 'begin') return begin(deps, { id, by, upload }, command, texts)
  if (row === null) return null
  switch (command.op) {
    case 'more':
      return row.state === 'coming' && row.next === command.from ? keep(deps, row, command.bytes, texts) : row
    case 'piece':
      return row.state === 'running' && row.next === command.part ? take(deps, intake, row, message.micros) : row
    case 'end':
      return row.state === 'running' ? row : end(deps, row)
  }
}

function begin(
  deps: ActorDeps,
  { id, by, upload }: Pick<HistoryRow, 'id' | 'by' | 'upload'>,
  { hash, labels, events, parts, odd, bytes }: Extract<HistoryCommand, { op: 'begin' }>,
  texts: Buffer,
): HistoryRow {
  // The walk sees committed rows only, so one turn may exceed the bound by the requests that it adds.
  const unanswered = readHistory(deps.store, deps.settings.id).filter(({ state }) => state === 'done')
  for (const row of unanswered.slice(0, Math.max(0, unanswered.length + 1 - limits.historicKnownMax))) end(deps, row)
  const row: HistoryRow = { id, by, upload, hash, labels, events, parts, odd, state: 'coming', next: 1 }
  return keep(deps, row, bytes, texts)
}

/** Keeps texts of the next parts. */
function keep(deps: ActorDeps, row: HistoryRow, sizes: readonly number[], texts: Buffer): HistoryRow {
  const { store, settings } = deps
  let [part, at] = [row.next, 0]
  for (const bytes of sizes) {
    store.put('history', historyKey(settings.id, row.id, part++), texts.subarray(at, at + bytes))
    at += bytes
  }
  return write(deps, part > row.parts ? { ...row, state: 'running', next: 1 } : { ...row, next: part })
}

/** The next part becomes events. */
function take(
  deps: ActorDeps,
  intake: Pick<EventIntake, 'historicPart'>,
  row: HistoryRow,
  atMicros: number,
): HistoryRow {
  const { store, settings, findings } = deps
  const key = historyKey(settings.id, row.id, row.next)
  const bytes = must(store.get('history', key), 'the part of a request')
  if (row.odd !== null && row.next === 1) findings.note('invalid_utf8', '', row.odd.place, atMicros, row.odd.events)
  intake.historicPart(Buffer.from(bytes).toString('utf8'), row.labels, {
    by: row.by,
    request: row.upload || requestOfTime(row.id),
    atMicros,
  })
  store.delete('history', key)
  return write(deps, { ...row, next: row.next + 1, ...(row.next === row.parts ? { state: 'done' } : {}) })
}

function end({ store, settings, stats }: ActorDeps, row: HistoryRow): null {
  // A finished request has no parts any more.
  for (let part = 1; row.state === 'coming' && part < row.next; part++)
    store.delete('history', historyKey(settings.id, row.id, part))
  store.delete('history', historyKey(settings.id, row.id, 0))
  stats.touch()
  return null
}

function write({ store, settings, stats }: ActorDeps, row: HistoryRow): HistoryRow {
  store.replace('history', historyKey(settings.id, row.id, 0), encodeHistory(row))
  stats.touch()
  return row
}
