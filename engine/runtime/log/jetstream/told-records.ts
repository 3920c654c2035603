/**
 * Records that the writer of a log has told of, beside the stream: a follower that is at the end of the log gets each
 * record without asking for it.
 *
 * Owns: the message that tells of a record, and those that wait here. Leaves out: the stream (stream-reader.ts).
 *
 * 1. A record is told when it is stored, with its sequence. So what is told is what the stream has at that sequence.
 * 2. Messages may be lost, and older versions tell without a record. Whoever misses one asks the stream.
 * 3. Few wait here. A follower that is slower than its log reads the stream. One that reads nothing for seconds is cut
 *    off by the servers, connects again, and asks for what it missed.
 *
 * | 0 sequence u64 | 8 the payload that the stream has |
 */
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node'
import type { LogRecord } from '../turn-log.js'

const SEQUENCE_BYTES = 8
/** Records that wait, and their bytes. */
const [WAITING_MAX, WAITING_BYTES_MAX] = [256, 8 * 1024 ** 2]

/** What is told of a record. */
export function tellingOf(sequence: number, payload: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(SEQUENCE_BYTES + payload.length)
  bytes.writeBigUInt64LE(BigInt(sequence), 0)
  bytes.set(payload, SEQUENCE_BYTES)
  return bytes
}

export class ToldRecords {
  readonly #subscription: Subscription
  readonly #waiting = new Map<number, Uint8Array>()
  #bytes = 0
  /** The last one that was told of, whether it waits or not. */
  #last = 0
  #wake = (): void => {}

  constructor(connection: Pick<NatsConnection, 'subscribe'>, subject: string) {
    const callback = (error: Error | null, message: Msg): void => void (error === null && this.#take(message.data))
    this.#subscription = connection.subscribe(subject, { callback })
  }

  /** Resolves to true when something is told after this call, or `wake` is called; to false after so long. */
  changed(): (limitMs: number) => Promise<boolean> {
    const woken = new Promise<true>((resolve) => (this.#wake = () => resolve(true)))
    return async (limitMs) => {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), limitMs)))
      const isTold = await Promise.race([woken, late])
      clearTimeout(timer)
      return isTold
    }
  }

  wake(): void {
    this.#wake()
  }

  has(sequence: number): boolean {
    return this.#waiting.has(sequence)
  }

  /** True where a record behind this one was told of. */
  isBeyond(sequence: number): boolean {
    return this.#last > sequence
  }

  /** The record, where it waits. Those before it are not needed any more. */
  take(sequence: number): LogRecord | null {
    for (const waiting of this.#waiting.keys()) {
      if (waiting >= sequence) break
      this.#drop(waiting)
    }
    const bytes = this.#waiting.get(sequence)
    if (bytes === undefined) return null
    this.#drop(sequence)
    return { sequence, bytes }
  }

  close(): void {
    this.#subscription.unsubscribe()
  }

  #take(data: Uint8Array): void {
    if (data.length > SEQUENCE_BYTES) {
      const sequence = Number(Buffer.from(data.buffer, data.byteOffset, SEQUENCE_BYTES).readBigUInt64LE(0))
      this.#last = Math.max(this.#last, sequence)
      this.#drop(sequence)
      this.#waiting.set(sequence, data.subarray(SEQUENCE_BYTES))
      this.#bytes += data.length - SEQUENCE_BYTES
      // The oldest stay: they are the next ones.
      if (this.#waiting.size > WAITING_MAX || this.#bytes > WAITING_BYTES_MAX) this.#drop(sequence)
    }
    this.#wake()
  }

  #drop(sequence: number): void {
    this.#bytes -= this.#waiting.get(sequence)?.length ?? 0
    this.#waiting.delete(sequence)
  }
}
