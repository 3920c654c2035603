/**
 * The end of a shard's log, as its writer knows it.
 *
 * Owns: behind which sequence the next record is appended, which turns are in the log, and the settings in force there.
 * Leaves out: order, and what follows when an append fails (logged-turns.ts).
 *
 * 1. A turn is known by the times of its messages, so one that runs again is not appended again.
 * 2. A record brings the settings of its jobs that the log does not have.
 */
import type { JobSettings } from '../../domain/job/job.js'
import { markMessages } from '../../actor/log/message-marks.js'
import type { TurnTask } from '../../actor/turn-task.js'
import { takeMark } from './marks.js'
import type { RecordLog } from './turn-log.js'
import { encodeBegin, encodeTurn, jobIdsOf, loggedSettings, spanOf, type TurnSpan } from './turn-record.js'

/** Settings, by job. */
type Settings = ReadonlyMap<number, JobSettings>

/** Where a turn is in the log. */
export interface LogPlace {
  readonly sequence: number
  /** What the thread needs to have: settings that its record brought, and all that are in force there. */
  readonly brought: readonly JobSettings[]
  readonly inForce: Settings
  /** It was there before: its messages may be applied. */
  readonly isKnown: boolean
}

/** A turn that was appended, and is not known to be applied. */
interface Appended extends TurnSpan, Pick<LogPlace, 'brought' | 'inForce'> {
  readonly sequence: Promise<number>
}

export class LogEnd {
  readonly #log: RecordLog
  readonly #writer: string
  /** The next record is appended behind this sequence. */
  #sequence = 0
  /** Messages up to this time are in the log. */
  #loggedMicros = 0
  /** The same, or on their way there. */
  #lastMicros = 0
  #appended: Appended[] = []
  /** The latest settings that turns came with, and those in force at the end of the log. */
  readonly #latest = new Map<number, JobSettings>()
  #inForce: Settings = new Map()

  constructor(log: RecordLog, writer: string) {
    this.#log = log
    this.#writer = writer
  }

  /** The last time of a message in the log, or on its way there; 0 for none. */
  get lastMicros(): number {
    return this.#lastMicros
  }

  /** A turn came with these settings. */
  cameWith(settings: readonly JobSettings[]): void {
    for (const one of settings) this.#latest.set(one.id, loggedSettings(one))
  }

  /** The log was read and applied up to this sequence. `lastMicros` is the last time that was read; 0 for none. */
  reached(sequence: number, lastMicros: number, inForce: Settings): void {
    this.#sequence = sequence
    // What was on its way and has not been read is not there: its append has failed.
    this.#lastMicros = this.#loggedMicros = Math.max(this.#loggedMicros, lastMicros)
    this.#inForce = inForce
    this.#appended = []
  }

  /** Appends the record with which a writer begins; for `since` see encodeBegin. */
  async appendBegin(since?: number): Promise<number> {
    this.#sequence = await this.#log.append(encodeBegin(this.#writer, since), this.#sequence)
    return this.#sequence
  }

  /** Appends the turn, unless it is in the log. Rejects as an append does. */
  append(task: TurnTask, signal: AbortSignal): Promise<LogPlace> {
    const span = spanOf(task)
    if (task.isLogged === true || span.firstMicros <= this.#lastMicros) return this.#known(span)
    markMessages(Buffer.from(task.memory), task.count, takeMark)
    const brought = this.#lacking(task)
    if (brought.length > 0) this.#inForce = new Map([...this.#inForce, ...brought.map((one) => [one.id, one] as const)])
    const bytes = encodeTurn({ ...task, settings: brought }, this.#writer)
    const sequence = this.#log.append(bytes, this.#sequence++, signal)
    const inForce = this.#inForce
    this.#appended.push({ ...span, sequence, brought, inForce })
    this.#lastMicros = span.lastMicros
    const place = sequence.then((at) => {
      this.#loggedMicros = Math.max(this.#loggedMicros, span.lastMicros)
      return { sequence: at, brought, inForce, isKnown: false }
    })
    // Its turn may be turned away before anybody waits for it.
    place.catch(() => {})
    return place
  }

  /** The turn, and all before it, have been applied. */
  applied(task: TurnTask): void {
    const { lastMicros } = spanOf(task)
    this.#appended = this.#appended.filter((one) => one.lastMicros > lastMicros)
  }

  /** A turn that runs again, or a part of one. The whole record is applied with its last message. */
  async #known({ firstMicros, lastMicros }: TurnSpan): Promise<LogPlace> {
    const whole = this.#appended.find((one) => one.firstMicros <= firstMicros && lastMicros <= one.lastMicros)
    // It was applied when the log was read, so that running it changes nothing.
    if (whole === undefined) return { sequence: this.#sequence, brought: [], inForce: this.#inForce, isKnown: true }
    const { brought, inForce } = whole
    const sequence = await whole.sequence
    return { sequence: lastMicros === whole.lastMicros ? sequence : sequence - 1, brought, inForce, isKnown: true }
  }

  /** The latest settings of the turn's jobs, where the log does not have them. */
  #lacking(task: TurnTask): JobSettings[] {
    return [...jobIdsOf(task)].flatMap((id) => {
      const latest = this.#latest.get(id)
      return latest === undefined || (this.#inForce.get(id)?.revision ?? -1) >= latest.revision ? [] : [latest]
    })
  }
}
