/**
 * Turns that go to the owner of their shard on another node.
 *
 * Owns: what is sent, what comes back to the mailbox, and what is refused. Leaves out: who the owner is
 * (services/cluster/owners/), how parcels travel (jetstream/parcels.ts).
 *
 * 1. A turn that the owner has not run goes back to the mailbox, which sends it again, in order. Where none was run for
 *    12 seconds, all that wait are refused.
 * 2. A turn that was sent and has no answer may take effect. Where its owner does not own the shard any more, it goes
 *    back to the mailbox, and is looked for in the log (unclear-turns.ts). Otherwise it is refused.
 *    An owner of an older version may still run it: then only a turn of events that are recognised goes back
 *    (repeatable.ts). No later turn of its run has been answered then, and none that is answered from now on counts:
 *    so events keep their order.
 * 3. The answer to a message that is no event comes when the copy here has it, so that its sender sees what it wrote.
 * 4. Events of such turns are not kept as the latest ones: another turn may have changed them.
 * 5. Turns run in the order of their mailbox, although several are under way. All that are under way go to one owner,
 *    as a numbered run. Where one of them is not run, none behind it is: the owner sees the gap, and nothing more is
 *    sent until all have come back. The mailbox says so with a turn that `opens` the shard.
 */
import { Refusal } from '../../../errors.js'
import { markMessages } from '../../../actor/log/message-marks.js'
import { kindOfMessage, nextMessage } from '../../../actor/message.js'
import { refusalExtra } from '../../../actor/reply.js'
import { refuseTurn, type TurnResult, type TurnTask } from '../../../actor/turn-task.js'
import { takeMark } from '../marks.js'
import { jobIdsOf } from '../turn-record.js'
import { decodeAnswer, encodeParcel, type TurnAnswer } from './parcel.js'
import { isRepeatable } from './repeatable.js'

/** `gone`: nobody has got it. `unclear`: it may take effect. */
export type Sent = { readonly answer: Uint8Array } | 'gone' | 'unclear'

/** Who runs the turns of a shard. */
export interface RemoteOwner {
  readonly process: string
  /** Of which time of owning it (owner-table.ts). */
  readonly since?: number | undefined
  /** When it does not own the shard any more, it runs nothing that others have sent before. */
  readonly givesBack: boolean
}

export interface RemoteTurnsDeps {
  /** Of this process. */
  readonly sender: string
  /** The process that runs the turns of the shard; null while none is known, or it is this one. */
  ownerOf(shard: number): RemoteOwner | null
  /** Sequence of the last record that the copy here has applied. */
  position(shard: number): number
  /** Sends bytes to a process. `isPast`: that process will not answer any more. */
  request(process: string, bytes: Uint8Array, isPast: () => boolean): Promise<Sent>
  /** Resolves when the copy has applied this record, or has not in time. */
  applied(shard: number, sequence: number): Promise<void>
  /** Sequence of the last record of the catalog that this node knows. */
  catalog(): number
}

/** Milliseconds that messages wait for an owner; between two tries; after which a failure is the first of others. */
const [WAIT_MS, RETRY_MS, APART_MS] = [12_000, 25, 3_000]
const RETRY_AFTER_SECONDS = 2
const turnedAway: TurnResult = { extras: [], turnedAway: true }

/** A run of which no turn was sent yet. */
function runOf(owner: RemoteOwner | null) {
  return { sent: 0, owner, isBroken: false, answered: -1, isLost: false }
}

type Answered = Exclude<TurnAnswer, { readonly failed: true }>
/** `failed`: its owner does not know what becomes of it. */
type NoAnswer = Exclude<Sent, object> | 'failed'

interface ShardState {
  /** The run that is under way, how many of its turns were sent, and to whom. */
  run: number
  sent: number
  owner: RemoteOwner | null
  /** One of its turns was not run. */
  isBroken: boolean
  /** The number of its latest turn that was answered; -1 for none. */
  answered: number
  /** A turn of it that may have been run went back to the mailbox. */
  isLost: boolean
  /** When turns began to come back without being run, and when the last one did, milliseconds. */
  awaySinceMs: number
  awayMs: number
  readonly revisions: Map<number, number>
}

export class RemoteTurns {
  readonly #deps: RemoteTurnsDeps
  readonly #shards = new Map<number, ShardState>()

  constructor(deps: RemoteTurnsDeps) {
    this.#deps = deps
  }

  /** Not async up to the request: turns are sent in the order of the calls. */
  readonly send = async (task: TurnTask, signal: AbortSignal): Promise<TurnResult> => {
    const state = this.#stateOf(task.shard)
    for (const { id, revision } of task.settings) state.revisions.set(id, revision)
    const owner = this.#deps.ownerOf(task.shard)
    if (task.opens) Object.assign(state, runOf(owner), { run: state.run + 1 })
    else if (state.isBroken || !isSame(state.owner, owner)) {
      state.isBroken = true
      return turnedAway
    }
    const at = state.sent
    const behind = this.#deps.position(task.shard)
    const sent = owner === null || signal.aborted ? 'gone' : await this.#ask(owner, task, state)
    if (sent === 'gone' || (typeof sent !== 'string' && 'elsewhere' in sent))
      return await this.#again(task, state, signal)
    if (sent === 'unclear' || sent === 'failed' || state.isLost) {
      const hasMoved = !isSame(this.#deps.ownerOf(task.shard), owner)
      if (owner?.givesBack === true && owner.since !== undefined && (hasMoved || sent === 'failed')) {
        state.isBroken = true
        return { ...turnedAway, unresolved: { behind, since: owner.since } }
      }
      if (!hasMoved || state.answered >= at || !isRepeatable(task))
        return refuse(task, 'the owner of the shard does not answer; the request may take effect; try again')
      state.isLost = true
      return await this.#again(task, state, signal)
    }
    state.awayMs = Number.NEGATIVE_INFINITY
    state.answered = Math.max(state.answered, at)
    Buffer.from(task.replies).set(sent.replies)
    if (!isAllEvents(task)) await this.#deps.applied(task.shard, sent.sequence)
    return { extras: sent.extras, ranElsewhere: true, changed: [...jobIdsOf(task)] }
  }

  async #ask(owner: RemoteOwner, task: TurnTask, state: ShardState): Promise<Answered | NoAnswer> {
    const { sender, ownerOf, request, catalog } = this.#deps
    const { shard, count } = task
    const { process, since } = owner
    markMessages(Buffer.from(task.memory), count, takeMark)
    const [run, at] = [state.run, state.sent++]
    const revisions = [...jobIdsOf(task)].map((id) => [id, state.revisions.get(id) ?? 0] as const)
    const content = { count, messages: messagesOf(task), revisions, catalog: catalog() }
    const parcel = encodeParcel({ sender, shard, since, run, at, ...content })
    const sent = await request(process, parcel, () => !isSame(ownerOf(shard), owner))
    if (typeof sent === 'string') return sent
    try {
      const answer = decodeAnswer(sent.answer)
      return 'failed' in answer ? 'failed' : answer
    } catch {
      // It was run, and must not be run again.
      return 'unclear'
    }
  }

  /** Nothing of it was run. */
  async #again(task: TurnTask, state: ShardState, signal: AbortSignal): Promise<TurnResult> {
    state.isBroken = true
    const nowMs = performance.now()
    if (nowMs - state.awayMs > APART_MS) state.awaySinceMs = nowMs
    state.awayMs = nowMs
    if (nowMs - state.awaySinceMs > WAIT_MS)
      return refuse(task, 'no node of the cluster runs this shard now; try again')
    if (!signal.aborted) await pause(RETRY_MS, signal)
    return turnedAway
  }

  #stateOf(shard: number): ShardState {
    let state = this.#shards.get(shard)
    if (state === undefined) {
      const away = { awaySinceMs: 0, awayMs: Number.NEGATIVE_INFINITY }
      state = { run: 0, ...runOf(null), ...away, revisions: new Map() }
      this.#shards.set(shard, state)
    }
    return state
  }
}

function isSame(one: RemoteOwner | null, other: RemoteOwner | null): boolean {
  return one?.process === other?.process && one?.since === other?.since
}

/** Refuses all messages of the turn with log_unavailable. */
export function refuse(task: TurnTask, message: string): TurnResult {
  const refusal = new Refusal('log_unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
  return { ...refuseTurn(task, refusalExtra(refusal)), ranElsewhere: true, changed: [] }
}

function messagesOf({ memory, count }: TurnTask): Uint8Array {
  const messages = Buffer.from(memory)
  let end = 0
  for (let i = 0; i < count; i++) end = nextMessage(messages, end)
  return messages.subarray(0, end)
}

function isAllEvents({ memory, count }: TurnTask): boolean {
  const messages = Buffer.from(memory)
  for (let i = 0, at = 0; i < count; i++, at = nextMessage(messages, at))
    if (kindOfMessage(messages, at) !== 'ingest') return false
  return true
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
