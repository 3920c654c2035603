/**
 * Turns that the log of their shard may have, from before the shard went to another process.
 *
 * Owns: looking for their messages in the log, and when that is the last word. Leaves out: what becomes of them
 * (seat.ts, turn.ts).
 *
 * 1. A message is recognised by its mark and by all but its time, which another node may have given it.
 * 2. Whoever might append it is refused once the log has a later begin. So what is not before that is nowhere.
 */
import { isSameMessage, markOf } from '../../../actor/log/message-marks.js'
import { nextMessage, readTimes } from '../../../actor/message.js'
import { Refusal } from '../../../errors.js'
import { refusalExtra } from '../../../actor/reply.js'
import type { TurnResult, TurnTask, Unresolved } from '../../../actor/turn-task.js'
import type { RecordLog } from '../turn-log.js'
import { decodeRecord } from '../turn-record.js'

const unknownAnswer = refusalExtra(
  new Refusal('log_unavailable', 'the request was taken, and its answer is not known any more; look, or try again', {
    retryAfterSeconds: 2,
  }),
)

/** The latest begins of a log: the sequence of the last one, and the latest time of owning the shard among them. */
export class Begins {
  #sequence = 0
  #since = Number.NEGATIVE_INFINITY
  readonly #waiting = new Set<() => void>()

  saw(sequence: number, since: number | null): void {
    this.#sequence = Math.max(this.#sequence, sequence)
    this.#since = Math.max(this.#since, since ?? Number.NEGATIVE_INFINITY)
    for (const told of this.#waiting) told()
  }

  /** True where nothing appends the turn any more. */
  isPast({ since, begun }: Unresolved): boolean {
    return (since !== undefined && this.#since > since) || (begun !== undefined && this.#sequence > begun)
  }

  /** Resolves to true when nothing appends the turn any more; to false after so long, or when the signal aborts. */
  async past(turn: Unresolved, limitMs: number, signal: AbortSignal): Promise<boolean> {
    let wake = (): void => {}
    const woken = (): void => wake()
    // The timer alone says when the time is over: it may be a little ahead of other clocks, and comes once.
    let isOver = false
    const timer = setTimeout(() => {
      isOver = true
      wake()
    }, limitMs)
    this.#waiting.add(woken)
    signal.addEventListener('abort', woken)
    try {
      while (!this.isPast(turn) && !signal.aborted && !isOver) await new Promise<void>((resolve) => (wake = resolve))
      return this.isPast(turn)
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(woken)
      signal.removeEventListener('abort', woken)
    }
  }
}

/**
 * By message of the turn: its time in the records behind `behind` up to `through`; 0 where it is not there. Rejects
 * with LogUnavailable, LogPurged.
 */
export async function timesInLog(
  log: Pick<RecordLog, 'read'>,
  { memory, count }: Pick<TurnTask, 'memory' | 'count'>,
  behind: number,
  through: number,
): Promise<number[]> {
  const own = Buffer.from(memory)
  const wanted = new Map<number, { readonly place: number; readonly at: number }>()
  for (let place = 0, at = 0; place < count; place++, at = nextMessage(own, at)) {
    const mark = markOf(own, at)
    if (mark !== undefined) wanted.set(mark, { place, at })
  }
  const times = new Array<number>(count).fill(0)
  for await (const { bytes } of log.read(behind, Math.max(behind, through))) {
    const record = decodeRecord(bytes)
    if (record.kind !== 'turn') continue
    const logged = Buffer.from(record.turn.memory)
    const loggedTimes = readTimes(logged, record.turn.count)
    for (let i = 0, at = 0; i < record.turn.count; i++, at = nextMessage(logged, at)) {
      const mark = markOf(logged, at)
      const one = mark === undefined ? undefined : wanted.get(mark)
      if (one !== undefined && isSameMessage(own, one.at, logged, at)) times[one.place] = loggedTimes[i] as number
    }
  }
  return times
}

/** Of a message that the log has, the answer may not be known any more: a vote whose audit entry has been collected. */
export function withUnknownAnswers(result: TurnResult): TurnResult {
  const extras = result.extras.map((extra) =>
    extra.type === 'refusal' && extra.code === 'turn_failed' ? unknownAnswer : extra,
  )
  return { ...result, extras }
}
