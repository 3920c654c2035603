/**
 * Turns that other nodes send to this one, the owner of their shard.
 *
 * Owns: posting their messages into the mailbox here, and the answer. Leaves out: sending (remote-turns.ts), how
 * parcels travel (jetstream/parcels.ts).
 *
 * 1. A turn is taken whole, or not at all. Turns of a run are taken in order, and none behind one that was not: so
 *    messages of a sender keep their order.
 * 2. A message is posted with settings at least as new as those that its sender knows. Where this node knows as much of
 *    the catalog and has no such job, the job is gone, and the message is refused.
 * 3. Before a shard is given away, turns of others are sent back, and those that were taken are answered (`drain`).
 *    Otherwise they would go on from here, and each sender would wait for two nodes. Messages that still wait when the
 *    shard goes are not run from here: their senders look for them in the log, and send the rest to the next owner.
 */
import { isRefusal, Refusal } from '../../../errors.js'
import type { JobSettings } from '../../../domain/job/job.js'
import { markOf } from '../../../actor/log/message-marks.js'
import { nextMessage, readMessage, type Message } from '../../../actor/message.js'
import { orphanSettings } from '../../../actor/purge.js'
import { refusalExtra, REPLY_BYTES, writeEventReply, writeExtraReply, type Extra } from '../../../actor/reply.js'
import type { NewMessage, Receiver } from '../../turn/turn-contract.js'
import type { IngestReceiver } from '../../../api/decision-service.js'
import type { TurnAnswer, TurnParcel } from './parcel.js'

export interface TurnsHostDeps {
  /** True where this node runs the turns of the shard. */
  isOwn(shard: number): boolean
  /** For which time of owning it this node runs them (owner-table.ts). */
  since(shard: number): number | undefined
  /** Posts a message. @throws Refusal. */
  post(message: NewMessage): void
  /** The settings of a job as they are here; undefined where there is none. */
  job(id: number): JobSettings | undefined
  /** Sequence of the last record of the catalog that is applied here; infinite where this node writes it. */
  catalog(): number
  /** Sequence of the last record of the shard that is applied here. */
  applied(shard: number): number
}

/** A message of a sender that says so counts as alone, where so few came with it. */
const ALONE_MAX = 8
/** Milliseconds until settings have to be here; between two looks. */
const [SETTINGS_MS, LOOK_MS] = [1_000, 5]
/** Settings with this revision are of a job that is deleted (purge.ts). */
const ORPHAN = Number.MAX_SAFE_INTEGER
/** Runs that are remembered. The oldest is forgotten, and its sender begins another one. */
const RUNS_MAX = 4_096
const elsewhere: TurnAnswer = { elsewhere: true }
const failed: TurnAnswer = { failed: true }

/** `moved`: it is not in the log, and does not come there from here; `unclear`: it may be there. */
type Answered = 'told' | 'moved' | 'unclear'

interface Posted {
  readonly message: Message
  readonly job: JobSettings | undefined
  readonly isAlone: boolean
  readonly mark: number | undefined
}

/** The latest run of a sender's turns to a shard. */
interface Run {
  readonly run: number
  /** The number of its next turn. */
  next: number
  /** Resolves when the turn before was taken, or was not. */
  before: Promise<unknown>
}

export class TurnsHost {
  readonly #deps: TurnsHostDeps
  /** By sender and shard, the one that was used last at the end. */
  readonly #runs = new Map<string, Run>()
  /** By shard: turns that were taken and are not answered. */
  readonly #taken = new Map<number, Set<Promise<unknown>>>()
  /** Shards that are about to be given away. */
  readonly #draining = new Set<number>()

  constructor(deps: TurnsHostDeps) {
    this.#deps = deps
  }

  /** Never rejects. */
  async run(parcel: TurnParcel): Promise<TurnAnswer> {
    const run = this.#runOf(parcel)
    const { before } = run
    let goOn = (): void => {}
    run.before = new Promise<void>((resolve) => (goOn = resolve))
    try {
      await before
      if (!this.#isNext(run, parcel) || !(await this.#mayTake(parcel)) || !this.#isNext(run, parcel)) return elsewhere
      run.next++
      const answer = this.#post(parcel)
      this.#takes(parcel.shard, answer)
      goOn()
      return await answer
    } finally {
      goOn()
    }
  }

  /** Takes no more turns of a shard, until `resume`. Resolves when those that were taken are answered, or in time. */
  async drain(shard: number, limitMs: number): Promise<void> {
    this.#draining.add(shard)
    const answered = Promise.all(this.#taken.get(shard) ?? [])
    let timer: NodeJS.Timeout | undefined
    const late = new Promise((resolve) => (timer = setTimeout(resolve, limitMs)))
    await Promise.race([answered, late])
    clearTimeout(timer)
  }

  resume(shard: number): void {
    this.#draining.delete(shard)
  }

  /** The run of a turn: a new one, where it is of a later one than the sender's latest. */
  #runOf({ sender, shard, run }: TurnParcel): Run {
    const from = `${sender} ${shard}`
    const known = this.#runs.get(from)
    const latest = known !== undefined && known.run >= run ? known : { run, next: 0, before: Promise.resolve() }
    this.#runs.delete(from)
    this.#runs.set(from, latest)
    const [oldest] = this.#runs.keys()
    if (this.#runs.size > RUNS_MAX && oldest !== undefined) this.#runs.delete(oldest)
    return latest
  }

  /** False also where a later run has begun: nothing of an earlier one is taken then. */
  #isNext(run: Run, { sender, shard, run: number, at }: TurnParcel): boolean {
    return this.#runs.get(`${sender} ${shard}`) === run && run.run === number && run.next === at
  }

  #takes(shard: number, answer: Promise<unknown>): void {
    const taken = this.#taken.get(shard) ?? new Set()
    this.#taken.set(shard, taken)
    taken.add(answer)
    void answer.finally(() => taken.delete(answer)).catch(() => {})
  }

  #isHere(shard: number, since: number | undefined): boolean {
    const { isOwn, since: sinceOf } = this.#deps
    return isOwn(shard) && !this.#draining.has(shard) && (since === undefined || since === sinceOf(shard))
  }

  /** Resolves to true when the shard and all that the turn needs are here. */
  async #mayTake({ revisions, catalog, shard, since }: TurnParcel): Promise<boolean> {
    const { job, catalog: applied } = this.#deps
    const isKnown = (): boolean =>
      revisions.every(([id, revision]) => revision === ORPHAN || (job(id)?.revision ?? -1) >= revision) ||
      applied() >= catalog
    for (const end = performance.now() + SETTINGS_MS; this.#isHere(shard, since); ) {
      if (isKnown()) return true
      if (performance.now() > end) return false
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
    return false
  }

  async #post({ shard, count, messages, revisions }: TurnParcel): Promise<TurnAnswer> {
    const memory = Buffer.from(messages.buffer, messages.byteOffset, messages.length)
    const known = new Map(revisions)
    const replies = Buffer.alloc(count * REPLY_BYTES)
    const extras: Extra[] = []
    const isAlone = count <= ALONE_MAX
    const answered: Promise<Answered>[] = []
    for (let i = 0, at = 0; i < count; i++, at = nextMessage(memory, at)) {
      const message = readMessage(memory, at, 0)
      const { jobId } = message
      const job = known.get(jobId) === ORPHAN ? orphanSettings(jobId, shard) : this.#deps.job(jobId)
      const mark = markOf(memory, at)
      answered.push(this.#postOne({ message, job, isAlone, mark }, new Reply(replies, i * REPLY_BYTES, extras)))
    }
    const how = await Promise.all(answered)
    // Of a turn that was run in part its sender finds out from the log.
    if (!how.every((one) => one === 'told')) return how.every((one) => one === 'moved') ? elsewhere : failed
    return { replies, extras, sequence: this.#deps.applied(shard) }
  }

  #postOne({ message, job, isAlone, mark }: Posted, reply: Reply): Promise<Answered> {
    return new Promise((resolve) => {
      const { kind, eventId, idInBody, body, origin } = message
      const common = {
        refused: (refusal: Refusal): void => resolve(reply.refused(refusal)),
        moved: (mayBeLogged: boolean): void => resolve(mayBeLogged ? 'unclear' : 'moved'),
      }
      const ofEvent: Receiver = {
        isAlone,
        answered: (answer, id) => resolve(reply.answered(answer, id === eventId ? null : id)),
        ingested: () => {},
        ...common,
      }
      const ofOthers: Receiver = { resolved: (result) => resolve(reply.resolved(result)), ...common }
      try {
        if (job === undefined) throw new Refusal('job_not_found', 'job not found')
        const receiver = kind === 'ingest' ? ofEvent : ofOthers
        this.#deps.post({ job, kind, eventId, idInBody, body, origin, mark, receiver })
      } catch (error) {
        if (!isRefusal(error)) throw error
        common.refused(error)
      }
    })
  }
}

/** The reply to one message, on its way into the answer. */
class Reply {
  readonly #memory: Buffer
  readonly #at: number
  readonly #extras: Extra[]

  constructor(memory: Buffer, at: number, extras: Extra[]) {
    this.#memory = memory
    this.#at = at
    this.#extras = extras
  }

  answered(...[answer, eventId]: Parameters<NonNullable<IngestReceiver['answered']>>): 'told' {
    const extra = eventId === null ? -1 : this.#extras.push({ type: 'id', eventId }) - 1
    writeEventReply(this.#memory, this.#at, answer, extra)
    return 'told'
  }

  resolved(result: unknown): 'told' {
    writeExtraReply(this.#memory, this.#at, this.#extras.push({ type: 'result', result }) - 1)
    return 'told'
  }

  refused(refusal: Refusal): 'told' {
    writeExtraReply(this.#memory, this.#at, this.#extras.push(refusalExtra(refusal)) - 1)
    return 'told'
  }
}
