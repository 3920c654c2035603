/**
 * Runs records of a log on their shard, outside of its mailbox.
 *
 * Owns: the retries of a record, and what is skipped. Leaves out: where records come from (follower.ts,
 * logged-turns.ts).
 *
 * 1. A record is run as in a mailbox: where its turn keeps failing, its messages run one by one, and those that still
 *    fail are skipped. So a bug that one message meets has the same effect wherever the log is applied.
 * 2. A store that cannot commit skips nothing: the record is applied later, or never (RecordRefused).
 * 3. A message that was applied before is only answered: messages of a log have increasing times.
 */
import { limits } from '../../limits.js'
import type { JobSettings } from '../../domain/job/job.js'
import { isApplied, type TurnResult, type TurnTask } from '../../actor/turn-task.js'
import type { RefusalExtra } from '../../actor/reply.js'
import { repliesFor, spanOf, splitTurn, type LoggedTurn } from './turn-record.js'
import type { LoggedShard } from './turn-log.js'

/** The store of the shard did not take a record. */
export class RecordRefused extends Error {
  readonly refusal: RefusalExtra | undefined

  constructor(refusal: RefusalExtra | undefined) {
    super(`a record of the log could not be applied: ${refusal?.message ?? 'its turn was turned away'}`)
    this.refusal = refusal
  }
}

export class RecordRunner {
  readonly #shard: Pick<LoggedShard, 'shard' | 'run' | 'failed'>
  /** By job: those of the latest record that brought any. */
  readonly #settings: Map<number, JobSettings>
  #place = 0
  #opens = true
  #failure: unknown = null

  /** `settings` are those that the shard has stored (log-position.ts). */
  constructor(shard: Pick<LoggedShard, 'shard' | 'run' | 'failed'>, settings: readonly JobSettings[]) {
    this.#shard = shard
    this.#settings = new Map(settings.map((one) => [one.id, one]))
  }

  /** Those in force behind the last record, by job. */
  get settings(): ReadonlyMap<number, JobSettings> {
    return this.#settings
  }

  /** Returns the results of its parts that were applied. Rejects with RecordRefused. */
  async run(turn: LoggedTurn, sequence: number): Promise<TurnResult[]> {
    for (const settings of turn.settings) this.#settings.set(settings.id, settings)
    const whole = await this.#try(turn, sequence)
    if (whole !== null) return [whole]
    const results: TurnResult[] = []
    for (const [at, piece] of splitTurn(turn).entries()) {
      const result = await this.#try(piece, at === turn.count - 1 ? sequence : sequence - 1)
      if (result !== null) results.push(result)
      else
        this.#shard.failed(
          `shard ${this.#shard.shard} skips the message ${spanOf(piece).firstMicros} of record ${sequence}`,
          this.#failure,
        )
    }
    return results
  }

  /** Writes the replies of a turn whose messages are applied. Null where it fails each time. */
  answer({ memory, count, replies }: TurnTask, sequence: number): Promise<TurnResult | null> {
    return this.#try({ memory, count, settings: [] }, sequence, replies)
  }

  /** Null where it fails each time. */
  async #try(
    turn: LoggedTurn,
    sequence: number,
    replies: SharedArrayBuffer = repliesFor(turn.count),
  ): Promise<TurnResult | null> {
    for (let attempt = 0; attempt < limits.turnAttemptsMax; attempt++) {
      try {
        const result = await this.#shard.run({ ...this.#task(turn, sequence), replies }, () => {})
        if (isApplied(result)) return result
        this.#opens = true
        if (result.turnedAway === true) continue
        const [refusal] = result.extras
        throw new RecordRefused(refusal?.type === 'refusal' ? refusal : undefined)
      } catch (error) {
        this.#opens = true
        if (error instanceof RecordRefused) throw error
        this.#failure = error
      }
    }
    return null
  }

  #task({ memory, count, settings }: LoggedTurn, sequence: number): Omit<TurnTask, 'replies'> {
    const opens = this.#opens
    this.#opens = false
    return {
      shard: this.#shard.shard,
      memory,
      count,
      settings: opens ? [...this.#settings.values()] : settings,
      place: ++this.#place,
      opens,
      again: true,
      handsOver: false,
      traced: false,
      sequence,
    }
  }
}
