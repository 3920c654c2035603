/**
 * Partitions of Kafka, read from offsets that the caller names.
 *
 * Owns: where partitions are, fetching from their leaders, offsets by time, offsets that a group has committed. Leaves out:
 * which offsets (kafka-input.ts).
 *
 * The library reads through consumer groups alone: where a member has died, the others wait for its session to end, and
 * where a member begins is said by the group. Here nobody else reads for us and the place is our own, so this goes to the
 * library's own layer below: its cluster, brokers and batches. They are not part of what it promises, so its version is pinned,
 * and what is used of them stands here as types.
 */
import { createRequire } from 'node:module'
import { learnCodecs } from './kafka-codecs.js'
import type { KafkaSettings } from './kafka-line.js'

const require = createRequire(import.meta.url)

/** Of one partition of one topic. */
export interface PartitionPlace {
  readonly topic: string
  readonly partition: number
  readonly offset: string
}

export interface KafkaRecord {
  readonly offset: string
  /** Milliseconds since 1970. */
  readonly timestamp: string
  readonly value: Buffer | null
  readonly headers?: Readonly<Record<string, Buffer | string | (Buffer | string)[] | undefined>>
}

/** What one partition gave. */
export interface FetchedPartition {
  readonly topic: string
  readonly partition: number
  readonly records: readonly KafkaRecord[]
  /** Behind the last one, and behind what is no record. */
  readonly nextOffset: string
}

interface Broker {
  fetch(request: object): Promise<{ responses: { topicName: string; partitions: { partition: number }[] }[] }>
  listOffsets(
    request: object,
  ): Promise<{ responses: { topic: string; partitions: { partition: number; offset: string }[] }[] }>
  offsetFetch(
    request: object,
  ): Promise<{ responses: { topic: string; partitions: { partition: number; offset: string }[] }[] }>
  offsetCommit(request: object): Promise<unknown>
}

interface Cluster {
  readonly brokerPool: { readonly metadata: { readonly clusterId?: string | null } | null }
  connect(): Promise<void>
  disconnect(): Promise<void>
  addMultipleTargetTopics(topics: readonly string[]): Promise<void>
  refreshMetadata(): Promise<void>
  refreshMetadataIfNecessary(): Promise<void>
  findTopicPartitionMetadata(topic: string): { partitionId: number; leader: number }[]
  findBroker(of: { nodeId: number }): Promise<Broker>
  findGroupCoordinator(of: { groupId: string }): Promise<Broker>
}

interface Batch {
  readonly messages: readonly KafkaRecord[]
  readonly rawMessages: readonly unknown[]
  lastOffset(): string
}

interface Quiet {
  namespace(): Quiet
  info(): void
  error(): void
  warn(): void
  debug(): void
}

const nothing = (): void => {}
const quiet: Quiet = { namespace: () => quiet, info: nothing, error: nothing, warn: nothing, debug: nothing }

const READ_COMMITTED = 1
/** New partitions are seen after so long. */
const METADATA_MS = 30_000
const FETCH_BYTES = 4 * 1024 * 1024
const PARTITION_BYTES = 1024 * 1024

export const EARLIEST = '-2'
export const LATEST = '-1'

export class KafkaCluster {
  readonly #cluster: Cluster

  private constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  /** Connects, and knows the partitions of these topics. Rejects with what the library says. */
  static async open(settings: KafkaSettings, topics: readonly string[]): Promise<KafkaCluster> {
    await learnCodecs()
    const Made = require('kafkajs/src/cluster') as new (options: object) => Cluster
    const { sasl, ...rest } = settings
    const cluster = new Made({
      ...rest,
      ...(sasl === undefined ? {} : { sasl }),
      logger: quiet,
      metadataMaxAge: METADATA_MS,
      allowAutoTopicCreation: false,
      isolationLevel: READ_COMMITTED,
      maxInFlightRequests: null,
    })
    try {
      await cluster.connect()
      await cluster.addMultipleTargetTopics(topics)
    } catch (error) {
      await cluster.disconnect().catch(nothing)
      throw error
    }
    return new KafkaCluster(cluster)
  }

  /** The cluster's own name for itself, '' where it has none. */
  get id(): string {
    return this.#cluster.brokerPool.metadata?.clusterId ?? ''
  }

  async close(): Promise<void> {
    await this.#cluster.disconnect().catch(nothing)
  }

  /** Partitions have moved, or topics were made anew. */
  async refresh(): Promise<void> {
    await this.#cluster.refreshMetadata()
  }

  partitions(topic: string): number[] {
    return this.#cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId)
  }

  /** Offsets at a time: EARLIEST, LATEST, or milliseconds since 1970 (then that of the first record as young, LATEST where there is none). */
  async offsetsAt(places: readonly Omit<PartitionPlace, 'offset'>[], time: string): Promise<PartitionPlace[]> {
    const answers = await Promise.all(
      [...this.#byLeader(places)].map(async ([nodeId, of]) => {
        const broker = await this.#cluster.findBroker({ nodeId })
        const topics = grouped(of, ({ partition }) => ({ partition, timestamp: time }))
        return (await broker.listOffsets({ isolationLevel: READ_COMMITTED, topics })).responses
      }),
    )
    return answers
      .flat()
      .flatMap(({ topic, partitions }) => partitions.map(({ partition, offset }) => ({ topic, partition, offset })))
  }

  /** What is behind these places: `waitMs` is how long brokers wait where there is nothing. */
  async fetch(places: readonly PartitionPlace[], waitMs: number): Promise<FetchedPartition[]> {
    await this.#cluster.refreshMetadataIfNecessary()
    const Made = require('kafkajs/src/consumer/batch') as new (topic: string, offset: string, data: object) => Batch
    const answers = await Promise.all(
      [...this.#byLeader(places)].map(async ([nodeId, of]) => {
        const broker = await this.#cluster.findBroker({ nodeId })
        const topics = grouped(of, ({ partition, offset }) => ({
          partition,
          fetchOffset: offset,
          maxBytes: PARTITION_BYTES,
        }))
        const { responses } = await broker.fetch({
          maxWaitTime: waitMs,
          minBytes: 1,
          maxBytes: FETCH_BYTES,
          isolationLevel: READ_COMMITTED,
          topics,
        })
        return responses.flatMap(({ topicName: topic, partitions }) =>
          partitions.flatMap((data): FetchedPartition[] => {
            const { partition } = data
            const query = of.find((place) => place.topic === topic && place.partition === partition) as PartitionPlace
            const batch = new Made(topic, query.offset, data)
            // Nothing at all is no news; only what is no record is passed.
            if (batch.rawMessages.length === 0) return []
            return [
              { topic, partition, records: batch.messages, nextOffset: (BigInt(batch.lastOffset()) + 1n).toString() },
            ]
          }),
        )
      }),
    )
    return answers.flat()
  }

  /** Offsets that a group has committed, of those partitions that it has any of. */
  async committed(groupId: string, places: readonly Omit<PartitionPlace, 'offset'>[]): Promise<PartitionPlace[]> {
    const coordinator = await this.#cluster.findGroupCoordinator({ groupId })
    const { responses } = await coordinator.offsetFetch({
      groupId,
      topics: grouped(places, ({ partition }) => ({ partition })),
    })
    return responses
      .flatMap(({ topic, partitions }) => partitions.map(({ partition, offset }) => ({ topic, partition, offset })))
      .filter(({ offset }) => BigInt(offset) >= 0n)
  }

  /** Says to a group, which must have no members, how far we are. */
  async commit(groupId: string, places: readonly PartitionPlace[]): Promise<void> {
    const coordinator = await this.#cluster.findGroupCoordinator({ groupId })
    const topics = grouped(places, ({ partition, offset }) => ({ partition, offset, metadata: null }))
    await coordinator.offsetCommit({ groupId, groupGenerationId: -1, memberId: '', topics })
  }

  #byLeader<P extends Omit<PartitionPlace, 'offset'>>(places: readonly P[]): Map<number, P[]> {
    const byLeader = new Map<number, P[]>()
    for (const topic of new Set(places.map((place) => place.topic))) {
      const leaders = new Map(
        this.#cluster.findTopicPartitionMetadata(topic).map(({ partitionId, leader }) => [partitionId, leader]),
      )
      for (const place of places) {
        const leader = place.topic === topic ? leaders.get(place.partition) : undefined
        if (leader !== undefined) byLeader.set(leader, [...(byLeader.get(leader) ?? []), place])
      }
    }
    return byLeader
  }
}

/** As requests name partitions: by topic. */
function grouped<P extends { readonly topic: string }>(
  places: readonly P[],
  of: (place: P) => object,
): { topic: string; partitions: object[] }[] {
  return [...new Set(places.map(({ topic }) => topic))].map((topic) => ({
    topic,
    partitions: places.filter((place) => place.topic === topic).map(of),
  }))
}
