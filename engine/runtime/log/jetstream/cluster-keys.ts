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
 * 3. The command line of NATS deletes a value by a message without content (`nats kv del`, `nats kv purge`). Then there
 *    is none, and the next value is written behind that message.
 */
import type { JetStreamClient, JetStreamManager, StoredMsg, StreamConfig } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { streamFault, UnfitForLog } from './cluster-check.js'
import { unavailable, untilAnswered } from './until-answered.js'

const ANSWER_MS = 1_500
const OPEN_MS = 15_000
const NOT_FOUND = 10_059
const NO_MESSAGE = 10_037
const WRONG_LAST_SEQUENCE: readonly number[] = [10_071, 10_164]

export interface KeyValue {
  readonly value: unknown
  readonly revision: number
  /** When it was written, by the servers' clock, milliseconds since the epoch. */
  readonly storedMs: number
}

export class ClusterKeys {
  readonly #connection: NatsConnection
  readonly #js: JetStreamClient
  readonly #manager: JetStreamManager
  readonly #stream: string
  readonly #prefix: string

  /** Opens the bucket, or makes it with so many copies. Rejects with LogUnavailable, UnfitForLog where it differs. */
  static async open(connection: NatsConnection, name: string, replicas: number): Promise<ClusterKeys> {
    return (await ClusterKeys.#over(connection, name, (keys) => keys.#make(replicas))) as ClusterKeys
  }

  /** Opens the bucket; null where there is none. Rejects with LogUnavailable. */
  static openExisting(connection: NatsConnection, name: string): Promise<ClusterKeys | null> {
    return ClusterKeys.#over(connection, name, async (keys) => (await keys.#config()) !== null)
  }

  /** The buckets of all clusters on these servers, by name. Rejects with LogUnavailable. */
  static async all(connection: NatsConnection): Promise<Map<string, ClusterKeys>> {
    const { jetstreamManager } = await import('@nats-io/jetstream')
    const found = new Map<string, ClusterKeys>()
    const names = await untilAnswered(OPEN_MS, async () => {
      const { streams } = await jetstreamManager(connection, { timeout: ANSWER_MS })
      return (await streams.names('$KV.*.>').next()).filter((stream) => stream.startsWith('KV_'))
    })
    for (const name of names.map((stream) => stream.slice('KV_'.length))) {
      const keys = await ClusterKeys.openExisting(connection, name)
      if (keys !== null) found.set(name, keys)
    }
    return found
  }

  static async #over(
    connection: NatsConnection,
    name: string,
    prepare: (keys: ClusterKeys) => Promise<boolean>,
  ): Promise<ClusterKeys | null> {
    const { jetstream, jetstreamManager } = await import('@nats-io/jetstream')
    return await untilAnswered(OPEN_MS, async () => {
      const manager = await jetstreamManager(connection, { timeout: ANSWER_MS })
      const keys = new ClusterKeys(connection, jetstream(connection, { timeout: ANSWER_MS }), manager, name)
      return (await prepare(keys)) ? keys : null
    })
  }

  private constructor(connection: NatsConnection, js: JetStreamClient, manager: JetStreamManager, name: string) {
    this.#connection = connection
    this.#js = js
    this.#manager = manager
    this.#stream = `KV_${name}`
    this.#prefix = `$KV.${name}`
  }

  /** Of the stream; null where there is none. */
  async #config(): Promise<StreamConfig | null> {
    try {
      return (await this.#manager.streams.info(this.#stream)).config
    } catch (error) {
      if ((error as { code?: unknown }).code !== NOT_FOUND) throw error
      return null
    }
  }

  async #make(replicas: number): Promise<true> {
    const config = await this.#config()
    const fault = config === null ? null : streamFault(config, replicas)
    if (fault !== null) throw new UnfitForLog(`the stream ${this.#stream} cannot hold what nodes share: ${fault}`)
    if (config !== null) return true
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
    return true
  }

  /** Null where there is none. Rejects with LogUnavailable. */
  async get(key: string): Promise<KeyValue | null> {
    const found = await this.#message({ last_by_subj: this.#subjectOf(key) })
    return found === null || isDeleted(found) ? null : keyValueOf(found)
  }

  /** All values whose keys match: `node.*`. Rejects with LogUnavailable. */
  async all(pattern: string): Promise<Map<string, KeyValue>> {
    const found = new Map<string, KeyValue>()
    for (let seq = 1; ; ) {
      // The client's type does not know that both go together, which the servers do (nats-server, JSApiMsgGetRequest).
      const next = await this.#message({ seq, next_by_subj: this.#subjectOf(pattern) } as never)
      if (next === null) return found
      if (!isDeleted(next)) found.set(next.subject.slice(this.#prefix.length + 1), keyValueOf(next))
      seq = next.seq + 1
    }
  }

  #subjectOf(key: string): string {
    return `${this.#prefix}.${key}`
  }

  async #message(which: Parameters<JetStreamManager['streams']['getMessage']>[1]): Promise<StoredMsg | null> {
    try {
      return await this.#manager.streams.getMessage(this.#stream, which)
    } catch (error) {
      if ((error as { code?: unknown }).code === NO_MESSAGE) return null
      throw unavailable(error)
    }
  }

  /**
   * Writes a value behind `revision` (0: there is none). Null where it has another one. Rejects with LogUnavailable.
   */
  async put(key: string, value: unknown, revision: number): Promise<number | null> {
    const written = await this.#publish(key, value, revision)
    if (written !== null || revision > 0) return written
    const last = await this.#message({ last_by_subj: this.#subjectOf(key) })
    return last !== null && isDeleted(last) ? await this.#publish(key, value, last.seq) : null
  }

  async #publish(key: string, value: unknown, revision: number): Promise<number | null> {
    try {
      const { seq } = await this.#js.publish(this.#subjectOf(key), JSON.stringify(value), {
        expect: { lastSubjectSequence: revision },
        timeout: ANSWER_MS,
      })
      return seq
    } catch (error) {
      if (WRONG_LAST_SEQUENCE.includes((error as { code?: unknown }).code as number)) return null
      throw unavailable(error)
    }
  }

  /** Removes a value, unless it was written after this revision. Rejects with LogUnavailable. */
  async remove(key: string, revision: number): Promise<void> {
    try {
      await this.#manager.streams.purge(this.#stream, { filter: this.#subjectOf(key), seq: revision + 1 })
    } catch (error) {
      throw unavailable(error)
    }
  }

  /** Calls `written` soon after a key was written. Returns a function that ends this. */
  onWritten(key: string, written: () => void): () => void {
    const told = this.#connection.subscribe(this.#subjectOf(key), { callback: written })
    return () => told.unsubscribe()
  }
}

function keyValueOf({ data, seq, time }: StoredMsg): KeyValue {
  return { value: JSON.parse(Buffer.from(data).toString()), revision: seq, storedMs: time.getTime() }
}

function isDeleted({ data }: StoredMsg): boolean {
  return data.length === 0
}
