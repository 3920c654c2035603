/**
 * A few values that all nodes of a cluster share: who is the owner, and what must be equal.
 *
 * Owns: reading and writing a value by its revision. Leaves out: what the values mean (services/cluster/).
 *
 * The stream has the layout of a bucket of NATS, so its command line shows it: `nats kv get NAME owner`.
 *
 * 1. A value is written only where nobody has written it since its revision was read. Whoever writes with an old
 *    revision is refused.
 * 2. Values are read from the stream's leader. Even so, nothing is decided by a read: who wants to be the owner writes.
 */
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { LogUnavailable } from '../turn-log.js'
import { untilAnswered } from './until-answered.js'

const ANSWER_MS = 1_500
const OPEN_MS = 15_000
const NOT_FOUND = 10_059
const NO_MESSAGE = 10_037
const WRONG_LAST_SEQUENCE: readonly number[] = [10_071, 10_164]

export interface KeyValue {
  readonly value: unknown
  readonly revision: number
}

export class ClusterKeys {
  readonly #connection: NatsConnection
  readonly #js: JetStreamClient
  readonly #manager: JetStreamManager
  readonly #stream: string
  readonly #prefix: string

  /** Opens the bucket, or makes it. Rejects with LogUnavailable. */
  static async open(connection: NatsConnection, name: string, replicas: number): Promise<ClusterKeys> {
    const { jetstream, jetstreamManager } = await import('@nats-io/jetstream')
    return await untilAnswered(OPEN_MS, async () => {
      const manager = await jetstreamManager(connection, { timeout: ANSWER_MS })
      const keys = new ClusterKeys(connection, jetstream(connection, { timeout: ANSWER_MS }), manager, name)
      await keys.#make(replicas)
      return keys
    })
  }

  private constructor(connection: NatsConnection, js: JetStreamClient, manager: JetStreamManager, name: string) {
    this.#connection = connection
    this.#js = js
    this.#manager = manager
    this.#stream = `KV_${name}`
    this.#prefix = `$KV.${name}`
  }

  async #make(replicas: number): Promise<void> {
    try {
      await this.#manager.streams.info(this.#stream)
    } catch (error) {
      if ((error as { code?: unknown }).code !== NOT_FOUND) throw error
      await this.#manager.streams.add({
        name: this.#stream,
        subjects: [`${this.#prefix}.>`],
        storage: 'file',
        discard: 'new',
        num_replicas: replicas,
        max_msgs_per_subject: 1,
        allow_rollup_hdrs: true,
        deny_delete: true,
      })
    }
  }

  /** Null where there is none. Rejects with LogUnavailable. */
  async get(key: string): Promise<KeyValue | null> {
    try {
      const found = await this.#manager.streams.getMessage(this.#stream, { last_by_subj: `${this.#prefix}.${key}` })
      return found === null ? null : { value: JSON.parse(Buffer.from(found.data).toString()), revision: found.seq }
    } catch (error) {
      if ((error as { code?: unknown }).code === NO_MESSAGE) return null
      throw new LogUnavailable(`the NATS servers do not answer: ${(error as Error).message}`)
    }
  }

  /** All values whose keys match: `node.*`. Rejects with LogUnavailable. */
  async all(pattern: string): Promise<Map<string, KeyValue>> {
    const found = new Map<string, KeyValue>()
    for (let seq = 1; ; ) {
      const next = await this.#next(`${this.#prefix}.${pattern}`, seq)
      if (next === null) return found
      const value: unknown = JSON.parse(Buffer.from(next.data).toString())
      found.set(next.subject.slice(this.#prefix.length + 1), { value, revision: next.seq })
      seq = next.seq + 1
    }
  }

  async #next(subject: string, seq: number) {
    try {
      // The client's type does not know that both go together, which the servers do (nats-server, JSApiMsgGetRequest).
      return await this.#manager.streams.getMessage(this.#stream, { seq, next_by_subj: subject } as never)
    } catch (error) {
      if ((error as { code?: unknown }).code === NO_MESSAGE) return null
      throw new LogUnavailable(`the NATS servers do not answer: ${(error as Error).message}`)
    }
  }

  /**
   * Writes a value behind `revision` (0: there is none). Null where it has another one. Rejects with LogUnavailable.
   */
  async put(key: string, value: unknown, revision: number): Promise<number | null> {
    try {
      const { seq } = await this.#js.publish(`${this.#prefix}.${key}`, JSON.stringify(value), {
        expect: { lastSubjectSequence: revision },
        timeout: ANSWER_MS,
      })
      return seq
    } catch (error) {
      if (WRONG_LAST_SEQUENCE.includes((error as { code?: unknown }).code as number)) return null
      throw new LogUnavailable(`the NATS servers do not answer: ${(error as Error).message}`)
    }
  }

  /** Calls `written` soon after a key was written. Returns a function that ends this. */
  onWritten(key: string, written: () => void): () => void {
    const told = this.#connection.subscribe(`${this.#prefix}.${key}`, { callback: written })
    return () => told.unsubscribe()
  }
}
