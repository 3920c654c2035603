/**
 * Reads partitions of Kafka, from offsets that the caller gives.
 *
 * Owns: where partitions are, fetching from their leaders, offsets by time, offsets committed by a group. Leaves out:
 * which offsets to read (kafka-input.ts).
 *
 * The library only reads through consumer groups: after the death of a member, the others wait for its session to
 * expire, and the group sets where a member begins. This input is the only reader and stores its own offsets. So it
 * uses the internal layer of the library: cluster, brokers and batches. That layer has no stable interface, so the
 * version is pinned, and the parts in use are typed here.
 */
import { createRequire } from 'node:module'
import { registerCodecs } from './kafka-codecs.js'
import type { KafkaSettings } from './kafka-line.js'

const require = createRequire(import.meta.url)

/** An offset in one partition of one topic. */
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

/** The records fetched from one partition. */
export interface FetchedPartition {
  readonly topic: string
  readonly partition: number
  readonly records: readonly KafkaRecord[]
  /** The offset behind the last record, and behind control records. */
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

interface SilentLogger {
  namespace(): SilentLogger
  info(): void
  error(): void
  warn(): void
  debug(): void
}

const nothing = (): void => {}
const silent: SilentLogger = { namespace: () => silent, info: nothing, error: nothing, warn: nothing, debug: nothing }

const READ_COMMITTED = 1
/** New partitions are found after this time. */
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

  /** Connects, and reads the partitions of these topics. Rejects with the error of the library. */
  static async open(settings: KafkaSettings, topics: readonly string[]): Promise<KafkaCluster> {
    await registerCodecs()
    const LibraryCluster = require('kafkajs/src/cluster') as new (options: object) => Cluster
    const { sasl, ...rest } = settings
    const cluster = new LibraryCluster({
      ...rest,
      ...(sasl === undefined ? {} : { sasl }),
      logger: silent,
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

  /** The id of the cluster, '' for none. */
  get id(): string {
    return this.#cluster.brokerPool.metadata?.clusterId ?? ''
  }

  async close(): Promise<void> {
    await this.#cluster.disconnect().catch(nothing)
  }

  /** Reads the metadata again, after partitions moved or topics were created again. */
  async refresh(): Promise<void> {
    await this.#cluster.refreshMetadata()
  }

  partitions(topic: string): number[] {
    return this.#cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId)
  }

  /**
   * Offsets at a time: EARLIEST, LATEST, or milliseconds since 1970. For a time it is the first record not older, -1
   * for none.
   */
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

  /** Fetches records from these offsets. Brokers wait up to `waitMs` if there are none. */
  async fetch(places: readonly PartitionPlace[], waitMs: number): Promise<FetchedPartition[]> {
    await this.#cluster.refreshMetadataIfNecessary()
    const LibraryBatch = require('kafkajs/src/consumer/batch') as new (
      topic: string,
      offset: string,
      data: object,
    ) => Batch
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
            const wanted = of.find((place) => place.topic === topic && place.partition === partition) as PartitionPlace
            const batch = new LibraryBatch(topic, wanted.offset, data)
            // A batch of control records only still moves the offset; an empty one does not.
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

  /** Offsets that a group has committed, for the partitions that have one. */
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

  /** Commits offsets to a group, which must have no members. */
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

/** Groups partitions by topic, as requests need them. */
function grouped<P extends { readonly topic: string }>(
  places: readonly P[],
  of: (place: P) => object,
): { topic: string; partitions: object[] }[] {
  return [...new Set(places.map(({ topic }) => topic))].map((topic) => ({
    topic,
    partitions: places.filter((place) => place.topic === topic).map(of),
  }))
}
