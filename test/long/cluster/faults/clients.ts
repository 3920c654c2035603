/**
 * Clients that post events, vote on them and read them, a third of them at each node. Their answers are recorded.
 *
 * The event `k12` has values of its own at the decision points, so its bucket is its own and its votes are those of one
 * analyst: the consensus is the label of the last vote. Clients work on few events at a time, so that they meet there.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Action, History, KeyState, Operation } from '../../../support/history/history.js'

export const LABELS = ['A', 'B', 'C'] as const

const CLIENTS = 9
/** Events that are worked on at a time, and operations until the next ones are. */
const [KEYS, OPERATIONS] = [20, 600]
/** Milliseconds that a client waits for an answer. */
const LIMIT_MS = 15_000
/** An answer of this status says that nothing is known of what was asked. */
const UNCLEAR = new Set([0, 503])

export interface Answer {
  /** 0 where there is none; -1 where nothing was sent. */
  readonly status: number
  readonly body: never
  /** How old the answer may be, in seconds, where the node says so: it is not to be taken for the latest. */
  readonly staleness: string | null
}

export interface Asked {
  readonly address: string
  readonly key: string
}

export async function ask({ address, key }: Asked, method: string, path: string, body?: unknown): Promise<Answer> {
  try {
    const answer = await fetch(address + path, {
      method,
      headers: { 'x-service-api-key': key },
      signal: AbortSignal.timeout(LIMIT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const staleness = answer.headers.get('x-lag-ms')
    return { status: answer.status, body: (await answer.json()) as never, staleness }
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string }
    return { status: code === 'ECONNREFUSED' ? -1 : 0, body: undefined as never, staleness: null }
  }
}

/** What an event's export says of it. */
export function stateOf({ status, body }: Answer): KeyState | null {
  if (status === 404) return 'absent'
  if (status !== 200) return null
  const { consensus } = (body as { service_event: { service: { consensus: string | null } } }).service_event.service
  return consensus ?? 'unvoted'
}

export class Clients {
  /** The longest time without an acknowledged write, milliseconds, since it was set to 0. */
  longestMs = 0
  writes = 0
  /** False: reads are allowed to be old, and do not join the history. */
  areReadsChecked = true
  /** Answers of a status that no client expects. */
  readonly surprises: string[] = []
  readonly #history: History
  readonly #running: Promise<void>[]
  #operations = 0
  #lastMs = performance.now()
  #isOver = false

  constructor(nodes: readonly Asked[], history: History) {
    this.#history = history
    this.#running = Array.from({ length: CLIENTS }, (_, at) => this.#run(`c${at}`, nodes[at % nodes.length] as Asked))
  }

  /** Resolves when so many writes more are acknowledged. @throws Error where they are not in time. */
  async more(count: number, limitMs: number): Promise<void> {
    const goal = this.writes + count
    for (const end = performance.now() + limitMs; this.writes < goal; await sleep(20))
      if (performance.now() > end) throw new Error(`the cluster did not go on in ${limitMs / 1000} s`)
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#running)
  }

  async #run(client: string, node: Asked): Promise<void> {
    while (!this.#isOver) {
      const era = Math.floor(this.#operations++ / OPERATIONS)
      const key = `k${era * KEYS + Math.floor(Math.random() * KEYS)}`
      const chance = Math.random()
      const isClear =
        chance < 0.25
          ? await this.#post(client, node, key)
          : chance < 0.55
            ? await this.#vote(client, node, key)
            : await this.#read(client, node, key)
      if (!isClear) await sleep(50)
    }
  }

  async #post(client: string, node: Asked, key: string): Promise<boolean> {
    const beganMs = performance.now()
    const body = { job_id: 1, raw_body: { rule: key, host: key } }
    const answer = await ask(node, 'POST', `/api/v1/events/${key}`, body)
    return this.#wrote({ key, client, beganMs, action: { kind: 'post' } }, node, answer)
  }

  async #vote(client: string, node: Asked, key: string): Promise<boolean> {
    const beganMs = performance.now()
    const isChecked = this.areReadsChecked
    const label = LABELS[Math.floor(Math.random() * LABELS.length)] as string
    const body = { cortex_user: 'ann', feedback: label }
    const answer = await ask(node, 'PUT', `/api/v1/events/1/${key}/feedback`, body)
    const { status } = answer
    // A vote on what does not exist is a read.
    if (status === 404 && !isChecked) return true
    const action: Action = status === 404 ? { kind: 'read', state: 'absent' } : { kind: 'vote', label }
    return this.#wrote({ key, client, beganMs, action }, node, answer)
  }

  async #read(client: string, node: Asked, key: string): Promise<boolean> {
    const beganMs = performance.now()
    const isChecked = this.areReadsChecked
    const answer = await ask(node, 'GET', `/api/v1/events/1/${key}/export`)
    const state = stateOf(answer)
    if (state !== null && answer.staleness === null && isChecked)
      this.#history.add({ key, client, beganMs, endedMs: performance.now(), action: { kind: 'read', state } })
    return state !== null || this.#isExpected('a read', node, answer)
  }

  #wrote(operation: Omit<Operation, 'endedMs'>, node: Asked, answer: Answer): boolean {
    const { status } = answer
    if (status === -1) return false
    const nowMs = performance.now()
    if (UNCLEAR.has(status)) {
      this.#history.add({ ...operation, endedMs: Number.POSITIVE_INFINITY })
      return false
    }
    if (status === 201 || status === 200 || operation.action.kind === 'read') {
      this.#history.add({ ...operation, endedMs: nowMs })
      if (operation.action.kind !== 'read') {
        this.writes++
        this.longestMs = Math.max(this.longestMs, nowMs - this.#lastMs)
        this.#lastMs = nowMs
      }
      return true
    }
    return this.#isExpected(`${operation.action.kind} of ${operation.key}`, node, answer)
  }

  /** False; an answer that nobody expects is kept. */
  #isExpected(what: string, { address }: Asked, { status, body }: Answer): false {
    if (status > 0 && !UNCLEAR.has(status)) {
      const atMs = performance.now().toFixed(1)
      this.surprises.push(`${what} at ${address} was answered with ${status} at ${atMs}: ${JSON.stringify(body)}`)
    }
    return false
  }
}
