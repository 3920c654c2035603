/**
 * The contract of the log: a turn is appended to the log of its shard before it is run.
 *
 * Owns: the interface between mailboxes and the log (`TurnLog`), that of a log of records (`RecordLog`), and how an
 * append fails. Leaves out: the bytes of records (turn-record.ts), who appends (logged-turns.ts) and who applies
 * (follower.ts, record-runner.ts).
 *
 * 1. `append` resolves when the record survives a power cut.
 * 2. A record is appended right behind the sequence that its writer names, or not at all. So a writer that does not
 *    know the end of the log cannot write.
 * 3. Records that a writer appends without waiting are in the log in this order. Where one is missing, all behind it
 *    are missing.
 * 4. Sequences begin at 1 and have no gaps. Records are never changed. The oldest are purged where snapshots cover them
 *    (snapshots/). The sequence of the last record stays what it was, even where all are purged.
 * 5. An append that failed with LogUnavailable may still take effect. Its writer reads the log before it goes on.
 *
 * The suite test/contracts/record-log.ts checks each log of records.
 */
import type { AppliedLog } from '../../actor/log/log-position.js'
import type { RunTurn, TurnRan } from '../turn/turn-contract.js'

/** A shard whose turns go through a log. */
export interface LoggedShard {
  readonly shard: number
  /** Runs a turn on the shard's thread. */
  readonly run: RunTurn
  /** How far the shard has applied its log, by its last commit. */
  applied(): AppliedLog
  /** Told of messages that were skipped because they kept failing. */
  failed(what: string, error: unknown): void
  /** Told of each turn that ran outside of the mailbox, with the last time of its messages, microseconds. */
  ranElsewhere?(ran: TurnRan, lastMicros: number): void
}

/** Where turns become durable. */
export interface TurnLog {
  /** What runs the turns of a shard: it appends each to the log, and then runs it. */
  runner(shard: LoggedShard): RunTurn
  /** Runs nothing outside of a shard's mailbox until the returned function is called. Absent: it never does. */
  still?(shard: number): Promise<() => void>
}

/** The store is the log: the commit of a turn makes it durable, so nothing is appended before. */
export const embeddedLog: TurnLog = { runner: ({ run }) => run }

export interface LogRecord {
  readonly sequence: number
  readonly bytes: Uint8Array
}

/** What a log holds. */
export interface LogExtent {
  /** The oldest record that is there; the last + 1 where none is. */
  readonly first: number
  /** The last record that was appended; 0 for none. */
  readonly last: number
  /** Of the records from `first` to `last`. */
  readonly bytes: number
}

/** The log of one shard. Its methods reject with LogUnavailable where it cannot be reached. */
export interface RecordLog {
  /**
   * Appends a record right behind sequence `after`; resolves with its own. An aborted `signal` ends the attempt.
   * Rejects with LogMoved where another record is there, and with LogUnavailable where it is not known whether this one
   * is.
   */
  append(bytes: Uint8Array, after: number, signal?: AbortSignal): Promise<number>
  /** The sequence of the last record; 0 where there is none. */
  last(): Promise<number>
  /**
   * The records behind `after`, up to `through`, which is not behind the last one. Throws LogPurged where the first of
   * them has been purged.
   */
  read(after: number, through: number): AsyncIterable<LogRecord>
  /**
   * The records behind `after`, and then each new one as it comes, until `signal` aborts. Throws LogPurged, too.
   */
  follow(after: number, signal: AbortSignal): AsyncIterable<LogRecord>
  extent(): Promise<LogExtent>
  /** Deletes the records up to `through`, and what only they need. May be repeated. */
  purge(through: number): Promise<void>
  close(): Promise<void>
}

/** Another writer has appended a record: this one is no longer the writer. */
export class LogMoved extends Error {}

/** The log does not answer, or what has become of a record is not known. */
export class LogUnavailable extends Error {}

/** Records that are needed are not in the log any more. */
export class LogGap extends Error {}

/** The same, because snapshots cover them: a copy that needs them is restored from a snapshot. */
export class LogPurged extends LogGap {}

/** Milliseconds until a log that ends too early counts as one that has lost records; between two looks. */
const [LOST_MS, LOOK_MS] = [2_000, 100]

/**
 * Where a log ends, which has had `applied` records. A server that was cut off may say less for a moment. Rejects with
 * LogUnavailable, and with LogGap where records are surely lost.
 */
export async function endOf(log: Pick<RecordLog, 'last'>, applied: number, what: string): Promise<number> {
  for (const end = performance.now() + LOST_MS; ; ) {
    const last = await log.last()
    if (last >= applied) return last
    if (performance.now() > end) throw new LogGap(`the log of ${what} ends with ${last}; ${applied} were applied`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}
