/**
 * Requests from one process of a cluster to another, of any size, over NATS.
 *
 * Owns: subjects, parts, and when a request counts as lost. Leaves out: what is requested (spread/).
 *
 * | 0 part u32 | 4 parts u32 | 8 bytes of the part |
 *
 * 1. A message of NATS has a largest size, so a request and its answer come in parts. What is not complete is dropped.
 * 2. A request is sent once. Where nobody listens, the servers say so.
 */
import type { Msg, NatsConnection } from '@nats-io/transport-node'
import type { Sent } from '../spread/remote-turns.js'

/** Bytes for subject and headers of a message; bytes of a part's head. */
const [OVERHEAD_BYTES, HEAD_BYTES] = [1_024, 8]
const NO_RESPONDERS = 503
/**
 * Milliseconds until a request has no answer; between two looks at whether its process is past; until such a process
 * has answered; until parts have to be complete.
 */
const [ANSWER_MS, LOOK_MS, PAST_MS, PARTS_MS] = [15_000, 50, 150, 30_000]

interface Waiting {
  readonly parts: Parts
  settle(sent: Sent): void
}

/** Parts that have come. */
interface Parts {
  readonly came: (Uint8Array | undefined)[]
  count: number
  readonly sinceMs: number
}

export interface ParcelsDeps {
  readonly connection: NatsConnection
  /** Of the streams. */
  readonly name: string
  /** Of this process, unique. */
  readonly process: string
}

export class Parcels {
  readonly #deps: ParcelsDeps
  readonly #waiting = new Map<string, Waiting>()
  /** By the subject of their answer: requests that are not complete. */
  readonly #incomplete = new Map<string, Parts>()
  readonly #ends: (() => void)[] = []
  #count = 0

  constructor(deps: ParcelsDeps) {
    this.#deps = deps
    const { connection } = deps
    const answers = connection.subscribe(`${this.#answersTo}.*`, {
      callback: (_error, message) => this.#answered(message),
    })
    const sweeping = setInterval(() => this.#sweep(), PARTS_MS).unref()
    this.#ends.push(
      () => answers.unsubscribe(),
      () => clearInterval(sweeping),
    )
  }

  /** Answers requests from now on. `run` does not reject. */
  serve(run: (request: Uint8Array) => Promise<Uint8Array>): void {
    const { connection, name, process } = this.#deps
    const requests = connection.subscribe(`${name}.to.${process}`, {
      callback: (_error, message) => {
        const { reply } = message
        const whole = reply === undefined ? null : this.#take(reply, message.data)
        if (whole !== null) void run(whole).then((answer) => this.#publish(reply as string, answer))
      },
    })
    this.#ends.push(() => requests.unsubscribe())
  }

  /** Sends a request to a process, once. `isPast`: that process will not answer any more. Never rejects. */
  request(process: string, bytes: Uint8Array, isPast: () => boolean): Promise<Sent> {
    const id = String(++this.#count)
    return new Promise((resolve) => {
      const beganMs = performance.now()
      let pastMs = 0
      const looking = setInterval(() => {
        const nowMs = performance.now()
        if (pastMs === 0 && isPast()) pastMs = nowMs
        if (nowMs - beganMs > ANSWER_MS || (pastMs > 0 && nowMs - pastMs > PAST_MS)) settle('unclear')
      }, LOOK_MS)
      const settle = (sent: Sent): void => {
        clearInterval(looking)
        this.#waiting.delete(id)
        resolve(sent)
      }
      this.#waiting.set(id, { parts: { came: [], count: 0, sinceMs: beganMs }, settle })
      try {
        this.#publish(`${this.#deps.name}.to.${process}`, bytes, `${this.#answersTo}.${id}`)
      } catch {
        settle('unclear')
      }
    })
  }

  close(): void {
    for (const end of this.#ends) end()
    for (const one of [...this.#waiting.values()]) one.settle('unclear')
  }

  get #answersTo(): string {
    return `${this.#deps.name}.answers.${this.#deps.process}`
  }

  #publish(subject: string, bytes: Uint8Array, reply?: string): void {
    const { connection } = this.#deps
    if (connection.isClosed()) return
    const most = (connection.info?.max_payload ?? 1024 ** 2) - OVERHEAD_BYTES
    const parts = Math.max(1, Math.ceil(bytes.length / most))
    for (let part = 0; part < parts; part++) {
      const head = Buffer.alloc(HEAD_BYTES)
      head.writeUInt32LE(part, 0)
      head.writeUInt32LE(parts, 4)
      const frame = Buffer.concat([head, bytes.subarray(part * most, (part + 1) * most)])
      connection.publish(subject, frame, reply === undefined ? {} : { reply })
    }
  }

  #answered({ subject, headers, data }: Msg): void {
    const waiting = this.#waiting.get(subject.slice(subject.lastIndexOf('.') + 1))
    if (waiting === undefined) return
    if (headers?.code === NO_RESPONDERS) return waiting.settle('gone')
    const whole = add(waiting.parts, data)
    if (whole !== null) waiting.settle({ answer: whole })
  }

  #take(from: string, frame: Uint8Array): Uint8Array | null {
    let parts = this.#incomplete.get(from)
    if (parts === undefined) this.#incomplete.set(from, (parts = { came: [], count: 0, sinceMs: performance.now() }))
    const whole = add(parts, frame)
    if (whole !== null) this.#incomplete.delete(from)
    return whole
  }

  #sweep(): void {
    const until = performance.now() - PARTS_MS
    for (const [from, { sinceMs }] of this.#incomplete) if (sinceMs < until) this.#incomplete.delete(from)
  }
}

/** The whole, where this is the last part of it. */
function add(parts: Parts, frame: Uint8Array): Uint8Array | null {
  if (frame.length < HEAD_BYTES) return null
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.length)
  const [part, of] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4)]
  if (of === 1) return Buffer.from(bytes.subarray(HEAD_BYTES))
  if (parts.came[part] === undefined) parts.count++
  parts.came[part] = Buffer.from(bytes.subarray(HEAD_BYTES))
  return parts.count === of ? Buffer.concat(parts.came as Uint8Array[]) : null
}
