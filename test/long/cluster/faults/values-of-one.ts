/** Shared values that one node has for itself: a second bucket, with what the first one has. */
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '../../../../engine/runtime/log/jetstream/cluster-connection.js'

export class ValuesOfOne {
  readonly #connection: NatsConnection
  readonly #shared: string
  readonly #own: string

  /** `shared` and `own`: names of buckets. */
  constructor(connection: NatsConnection, shared: string, own: string) {
    this.#connection = connection
    this.#shared = shared
    this.#own = own
  }

  /** Makes the bucket. Revisions in it are above those that a node has seen: it takes no older value for true. */
  async copy(): Promise<void> {
    const { streams } = await jetstreamManager(this.#connection)
    const shared = await streams.info(`KV_${this.#shared}`)
    await streams.add({
      ...shared.config,
      name: `KV_${this.#own}`,
      subjects: [`$KV.${this.#own}.>`],
      first_seq: shared.state.last_seq + 1_000,
    })
    const { state } = await streams.info(`KV_${this.#shared}`, { subjects_filter: '>' })
    for (const subject of Object.keys(state.subjects ?? {})) {
      const found = await streams.getMessage(`KV_${this.#shared}`, { last_by_subj: subject })
      if (found !== null) await jetstream(this.#connection).publish(this.#ownSubject(subject), found.data)
    }
  }

  /** Revisions of the shared bucket rise above those of the own one, so that the node takes them for true again. */
  async overtake(): Promise<void> {
    const { streams } = await jetstreamManager(this.#connection)
    for (;;) {
      const [shared, own] = await Promise.all(
        [this.#shared, this.#own].map(async (name) => (await streams.info(`KV_${name}`)).state.last_seq),
      )
      if ((shared as number) > (own as number) + 100) return
      const filler = Array.from({ length: 100 }, () =>
        jetstream(this.#connection).publish(`$KV.${this.#shared}.filler`, 'null'),
      )
      await Promise.all(filler)
    }
  }

  #ownSubject(subject: string): string {
    return subject.replace(`$KV.${this.#shared}.`, () => `$KV.${this.#own}.`)
  }
}
