/**
 * Turns that other nodes send to this one, the owner of their shard.
 *
 * Owns: posting their messages into the mailbox here, and the answer. Leaves out: sending (remote-turns.ts), how
 * parcels travel (jetstream/parcels.ts).
 *
 * 1. A turn is taken whole, or not at all. Where one of a sender is not taken, none is that was sent before it came
 *    back: so messages of a sender keep their order.
 * 2. A message is posted with settings at least as new as those that its sender knows.
 */
import { isRefusal, Refusal } from '../../../errors.js'
import type { JobSettings } from '../../../domain/job/job.js'
import { readMessage, nextMessage, type Message } from '../../../actor/message.js'
import { orphanSettings } from '../../../actor/purge.js'
import { refusalExtra, REPLY_BYTES, writeEventReply, writeExtraReply, type Extra } from '../../../actor/reply.js'
import type { NewMessage, ResultReceiver } from '../../turn/turn-contract.js'
import type { IngestReceiver } from '../../../api/decision-service.js'
import type { TurnAnswer, TurnParcel } from './parcel.js'

export interface TurnsHostDeps {
  /** True where this node runs the turns of the shard. */
  isOwn(shard: number): boolean
  /** Posts a message. @throws Refusal. */
  post(message: NewMessage): void
  /** The settings of a job as they are here; undefined where there is none. */
  job(id: number): JobSettings | undefined
  /** Sequence of the last record of the shard that is applied here. */
  applied(shard: number): number
}

/** A message of a sender that says so counts as alone, where so few came with it. */
const ALONE_MAX = 8
/** Milliseconds until settings have to be here; between two looks. */
const [SETTINGS_MS, LOOK_MS] = [1_000, 5]
/** Settings with this revision are of a job that is deleted (purge.ts). */
const ORPHAN = Number.MAX_SAFE_INTEGER
const elsewhere: TurnAnswer = { elsewhere: true }

export class TurnsHost {
  readonly #deps: TurnsHostDeps
  /** By sender and shard: turns that were sent with no more failures than these are not taken. */
  readonly #refused = new Map<string, number>()
  /** By sender and shard: the turn before. */
  readonly #before = new Map<string, Promise<unknown>>()

  constructor(deps: TurnsHostDeps) {
    this.#deps = deps
  }

  /** Never rejects. */
  async run(parcel: TurnParcel): Promise<TurnAnswer> {
    const from = `${parcel.sender} ${parcel.shard}`
    const before = this.#before.get(from)
    let goOn = (): void => {}
    const posted = new Promise<void>((resolve) => (goOn = resolve))
    this.#before.set(from, posted)
    try {
      await before
      if (parcel.failures <= (this.#refused.get(from) ?? -1)) return elsewhere
      if (!this.#deps.isOwn(parcel.shard) || !(await this.#hasSettings(parcel))) {
        this.#refused.set(from, parcel.failures)
        return elsewhere
      }
      const answer = this.#post(parcel)
      goOn()
      return await answer
    } finally {
      goOn()
      if (this.#before.get(from) === posted) this.#before.delete(from)
    }
  }

  /** Resolves to true when the settings here are as new as the sender's. */
  async #hasSettings({ revisions, shard }: TurnParcel): Promise<boolean> {
    const isHere = (): boolean =>
      revisions.every(([id, revision]) => revision === ORPHAN || (this.#deps.job(id)?.revision ?? -1) >= revision)
    for (const end = performance.now() + SETTINGS_MS; !isHere(); ) {
      if (performance.now() > end || !this.#deps.isOwn(shard)) return false
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
    return true
  }

  async #post({ shard, count, messages, revisions }: TurnParcel): Promise<TurnAnswer> {
    const memory = Buffer.from(messages.buffer, messages.byteOffset, messages.length)
    const known = new Map(revisions)
    const replies = Buffer.alloc(count * REPLY_BYTES)
    const extras: Extra[] = []
    const isAlone = count <= ALONE_MAX
    const answered: Promise<void>[] = []
    for (let i = 0, at = 0; i < count; i++, at = nextMessage(memory, at)) {
      const message = readMessage(memory, at, 0)
      const { jobId } = message
      const job = known.get(jobId) === ORPHAN ? orphanSettings(jobId, shard) : this.#deps.job(jobId)
      answered.push(this.#postOne({ message, job, isAlone }, new Reply(replies, i * REPLY_BYTES, extras)))
    }
    await Promise.all(answered)
    return { replies, extras, sequence: this.#deps.applied(shard) }
  }

  #postOne(
    { message, job, isAlone }: { message: Message; job: JobSettings | undefined; isAlone: boolean },
    reply: Reply,
  ): Promise<void> {
    return new Promise((resolve) => {
      const { kind, eventId, idInBody, body } = message
      const refused = (refusal: Refusal): void => resolve(reply.refused(refusal))
      const ofEvent: IngestReceiver = {
        isAlone,
        answered: (answer, id) => resolve(reply.answered(answer, id === eventId ? null : id)),
        ingested: () => {},
        refused,
      }
      const ofOthers: ResultReceiver = { resolved: (result) => resolve(reply.resolved(result)), refused }
      try {
        if (job === undefined) throw new Refusal('job_not_found', 'job not found')
        this.#deps.post({ job, kind, eventId, idInBody, body, receiver: kind === 'ingest' ? ofEvent : ofOthers })
      } catch (error) {
        if (!isRefusal(error)) throw error
        refused(error)
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

  answered(...[answer, eventId]: Parameters<NonNullable<IngestReceiver['answered']>>): void {
    const extra = eventId === null ? -1 : this.#extras.push({ type: 'id', eventId }) - 1
    writeEventReply(this.#memory, this.#at, answer, extra)
  }

  resolved(result: unknown): void {
    writeExtraReply(this.#memory, this.#at, this.#extras.push({ type: 'result', result }) - 1)
  }

  refused(refusal: Refusal): void {
    writeExtraReply(this.#memory, this.#at, this.#extras.push(refusalExtra(refusal)) - 1)
  }
}
