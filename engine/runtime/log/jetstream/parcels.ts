/**
 * Requests from one process of a cluster to another, of any size, over NATS.
 *
 * Owns: subjects, and when a request counts as lost. Leaves out: what is requested (spread/), frames (parcel-frame.ts),
 * what the other process knows of it (parcel-host.ts).
 *
 * 1. A request is sent once. Where nobody listens, the servers say so.
 * 2. NATS may lose a message with the server that had it. So the sender asks for a parcel whose answer does not come:
 *    either the answer comes again, or the parcel has not come and is not taken any more.
 */
import type { Msg, NatsConnection } from '@nats-io/transport-node'
import type { Sent } from '../spread/remote-turns.js'
import { decodeFrame, emptyFrame, framesOf, Parts } from './parcel-frame.js'
import { ParcelHost, type ParcelAnswer } from './parcel-host.js'

const NO_RESPONDERS = 503
/**
 * Milliseconds until a request has no answer; between two looks at it; between two questions what has become of it;
 * until a process that is past has answered; between two sweeps.
 */
const [ANSWER_MS, LOOK_MS, ASK_MS, PAST_MS, SWEEP_MS] = [12_000, 50, 400, 300, 10_000]

interface Waiting {
  readonly parts: Parts
  settle(sent: Sent): void
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
  /** By number, the oldest first. */
  readonly #waiting = new Map<number, Waiting>()
  readonly #ends: (() => void)[] = []
  #count = 0

  constructor(deps: ParcelsDeps) {
    this.#deps = deps
    const answers = deps.connection.subscribe(`${this.#answersTo}.>`, {
      callback: (_error, message) => this.#answered(message),
    })
    this.#ends.push(() => answers.unsubscribe())
  }

  /** Answers requests from now on. `run` does not reject. */
  serve(run: (request: Uint8Array) => Promise<Uint8Array>): void {
    const { connection, name, process } = this.#deps
    const host = new ParcelHost({ run, answer: (to, answer) => this.#answer(to, answer) })
    const requests = connection.subscribe(`${name}.to.${process}`, {
      callback: (_error, { reply = '', data }) => {
        // NAME.answers.PROCESS.NUMBER, and `.lookup` where it is a question.
        const [sender = '', number = ''] = reply.split('.').slice(name.split('.').length + 1)
        const to = `${name}.answers.${sender}.${number}`
        if (/^\d+$/.test(number)) host.take({ sender, number: Number(number), to }, data)
      },
    })
    const sweeping = setInterval(() => host.sweep(), SWEEP_MS).unref()
    this.#ends.push(
      () => requests.unsubscribe(),
      () => clearInterval(sweeping),
    )
  }

  /** Sends a request to a process, once. `isPast`: that process will not answer any more. Never rejects. */
  request(process: string, bytes: Uint8Array, isPast: () => boolean): Promise<Sent> {
    const number = ++this.#count
    return new Promise((resolve) => {
      const beganMs = performance.now()
      let [pastMs, lookupMs] = [0, beganMs]
      const looking = setInterval(() => {
        const nowMs = performance.now()
        const isFirstPast = pastMs === 0 && isPast()
        if (isFirstPast) pastMs = nowMs
        if (nowMs - beganMs > ANSWER_MS || (pastMs > 0 && nowMs - pastMs > PAST_MS)) return settle('unclear')
        if (!isFirstPast && nowMs - lookupMs < ASK_MS) return
        lookupMs = nowMs
        this.#publish(subject, [emptyFrame(this.#oldest)], `${answersTo}.lookup`)
      }, LOOK_MS)
      const settle = (sent: Sent): void => {
        clearInterval(looking)
        this.#waiting.delete(number)
        resolve(sent)
      }
      const [subject, answersTo] = [`${this.#deps.name}.to.${process}`, `${this.#answersTo}.${number}`]
      this.#waiting.set(number, { parts: new Parts(), settle })
      try {
        this.#publish(subject, framesOf(bytes, this.#oldest, this.#payloadMax), answersTo)
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

  get #payloadMax(): number | undefined {
    return this.#deps.connection.info?.max_payload
  }

  /** The number of the oldest request that has no answer yet. */
  get #oldest(): number {
    const [oldest] = this.#waiting.keys()
    return oldest ?? this.#count + 1
  }

  #answer(to: string, answer: ParcelAnswer): void {
    this.#publish(to, 'frame' in answer ? [answer.frame] : framesOf(answer.whole, 0, this.#payloadMax))
  }

  #publish(subject: string, frames: readonly Buffer[], reply?: string): void {
    const { connection } = this.#deps
    if (connection.isClosed()) return
    for (const frame of frames) connection.publish(subject, frame, reply === undefined ? {} : { reply })
  }

  #answered({ subject, headers, data }: Msg): void {
    const [number, lookup] = subject.slice(this.#answersTo.length + 1).split('.')
    const waiting = this.#waiting.get(Number(number))
    if (waiting === undefined) return
    if (headers?.code === NO_RESPONDERS) {
      // Nobody listens now: that says nothing of a parcel that was sent before.
      if (lookup === undefined) waiting.settle('gone')
      return
    }
    const frame = decodeFrame(data)
    if (frame === null) return
    if (frame.parts === 0) return waiting.settle('gone')
    const whole = waiting.parts.add(frame)
    if (whole !== null) waiting.settle({ answer: whole })
  }
}
