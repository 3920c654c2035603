/**
 * Topics of Kafka as input: all partitions, from our own stored offsets.
 *
 * Owns: the offset of each partition, and where a new one begins. Leaves out: the protocol (kafka-cluster.ts), turning
 * documents into events (intake.ts).
 *
 * 1. The checkpoint is the next offset of each partition. Only this input moves it, so no record is lost or stored
 *    twice after a restart. A record that is read again has the same id (topic, partition, offset and time), so it is
 *    the same event.
 * 2. A new partition of a known topic begins with its first record. A new topic begins at the offset that the group has
 *    committed, or else as `start_at` says. These offsets are stored before anything is read.
 * 3. Records that Kafka deleted before they were read are skipped, and the status says so.
 * 4. The group is informed of the progress, for people to see. Its offsets only count at the beginning.
 */
import type { OpenedParameters, Source, SourceDocument, SourcePiece, Tools } from '../contract.js'
import { SourceFailure } from '../contract.js'
import type { Finding } from '../../domain/event/finding.js'
import { documentsOf, type MessageDocuments } from '../broker/message-document.js'
import { millisIn } from '../dates.js'
import { textAt, timeoutMs } from '../http/http-kind.js'
import {
  EARLIEST,
  KafkaCluster,
  LATEST,
  type FetchedPartition,
  type KafkaRecord,
  type PartitionPlace,
} from './kafka-cluster.js'
import { kafkaFailure, kafkaLasting, kafkaSettings, kafkaStoppable, type KafkaSettings } from './kafka-line.js'

export const BATCH_STANDARD = 1_000
export const BATCH_MAX = 10_000
/** How long brokers wait for records. */
const WAIT_MS = 500
/** Interval between two commits to the group. */
const COMMIT_MS = 1_000

interface Checkpoint {
  /** The id of the cluster: offsets are only valid in the same one. */
  readonly cluster: string
  /** The next offset, by the key of `nameOf`. */
  readonly offsets: Readonly<Record<string, string>>
}

type Place = Omit<PartitionPlace, 'offset'>

export class KafkaInput implements Source {
  readonly pollMs = 1
  readonly #settings: KafkaSettings
  /** Time limit of one poll, which makes several requests. */
  readonly #limitMs: number
  readonly #parameters: OpenedParameters
  readonly #topics: readonly string[]
  readonly #batch: number
  readonly #group: string
  #cluster: Promise<KafkaCluster> | null = null
  /** Fetched records that were not returned yet, by partition, with their first offset. */
  readonly #ahead = new Map<string, FetchedPartition & { readonly from: string }>()
  #hadRecords = false
  /** The offsets that are on disk here, and those committed to the group. */
  #taken: Checkpoint['offsets'] = {}
  #committed: Checkpoint['offsets'] = {}
  #committedMs = 0

  constructor(connection: OpenedParameters, parameters: OpenedParameters, tools: Tools) {
    this.#settings = kafkaSettings(connection, tools)
    this.#limitMs = WAIT_MS + 3 * timeoutMs(connection)
    this.#parameters = parameters
    this.#topics = [
      ...new Set(
        String(parameters.topics)
          .split(',')
          .map((topic) => topic.trim())
          .filter((topic) => topic !== ''),
      ),
    ]
    this.#batch = Number(parameters.batch_size ?? BATCH_STANDARD)
    this.#group = textAt(parameters, 'group') ?? ''
  }

  async poll(checkpoint: unknown, signal: AbortSignal): Promise<SourcePiece> {
    try {
      return await kafkaStoppable(this.#poll(checkpoint as Checkpoint | null), signal, this.#limitMs)
    } catch (error) {
      await this.#reset()
      const failure = kafkaFailure(error)
      throw new SourceFailure(failure.message, 0, kafkaLasting(failure))
    }
  }

  async taken(checkpoint: unknown): Promise<void> {
    this.#taken = (checkpoint as Checkpoint).offsets
    if (performance.now() >= this.#committedMs + COMMIT_MS) await this.#commit()
  }

  async close(): Promise<void> {
    const committing = this.#commit()
    await Promise.race([committing, new Promise((resolve) => setTimeout(resolve, COMMIT_MS).unref())])
    await this.#reset()
  }

  async #poll(given: Checkpoint | null): Promise<SourcePiece> {
    const cluster = await (this.#cluster ??= KafkaCluster.open(this.#settings, this.#topics))
    const known = given?.cluster === cluster.id ? given.offsets : {}
    const places = this.#topics.flatMap((topic) =>
      cluster.partitions(topic).map((partition): Place => ({ topic, partition })),
    )
    const fresh = places.filter((place) => known[nameOf(place)] === undefined)
    if (fresh.length > 0) {
      const offsets = { ...known, ...(await this.#begin(cluster, fresh, known)) }
      return { documents: [], checkpoint: { cluster: cluster.id, offsets }, more: true }
    }
    if (!places.some((place) => this.#aheadOf(place, known) !== undefined)) {
      const lost = await this.#fetch(cluster, places, known)
      if (lost !== null) {
        return {
          documents: [],
          checkpoint: { cluster: cluster.id, offsets: { ...known, ...lost } },
          more: true,
          note: 'records were deleted before they were read',
        }
      }
    }
    return this.#piece(cluster.id, places, known)
  }

  /** The first offsets of partitions that are not in the checkpoint. */
  async #begin(
    cluster: KafkaCluster,
    fresh: readonly Place[],
    known: Checkpoint['offsets'],
  ): Promise<Record<string, string>> {
    const knownTopics = new Set(Object.keys(known).map((name) => name.slice(0, name.lastIndexOf('/'))))
    const [added, first] = [
      fresh.filter(({ topic }) => knownTopics.has(topic)),
      fresh.filter(({ topic }) => !knownTopics.has(topic)),
    ]
    const committed = this.#group === '' || first.length === 0 ? [] : await cluster.committed(this.#group, first)
    const value = textAt(this.#parameters, 'start_value') ?? ''
    const time =
      { new: LATEST, time: String(millisIn(value) ?? 0) }[textAt(this.#parameters, 'start_at') ?? ''] ?? EARLIEST
    const started = await cluster.offsetsAt(first, time)
    const ends = started.some(({ offset }) => offset === '-1') ? await cluster.offsetsAt(first, LATEST) : []
    const begin = new Map(
      [
        ...ends,
        ...started.filter(({ offset }) => offset !== '-1'),
        ...(await cluster.offsetsAt(added, EARLIEST)),
        ...committed,
      ].map((place) => [nameOf(place), place.offset]),
    )
    return Object.fromEntries(begin)
  }

  /** Fetches records. If offsets are out of range, returns the first offset of their partitions instead. */
  async #fetch(
    cluster: KafkaCluster,
    places: readonly Place[],
    known: Checkpoint['offsets'],
  ): Promise<Record<string, string> | null> {
    const wanted = places.map((place): PartitionPlace => ({ ...place, offset: known[nameOf(place)] as string }))
    try {
      this.#ahead.clear()
      const fetched = await cluster.fetch(wanted, this.#hadRecords ? 1 : WAIT_MS)
      this.#hadRecords = fetched.length > 0
      for (const part of fetched) this.#ahead.set(nameOf(part), { ...part, from: known[nameOf(part)] as string })
      return null
    } catch (error) {
      const { type } = kafkaFailure(error) as { type?: string }
      if (type !== 'OFFSET_OUT_OF_RANGE') throw error
      const [first, last] = [await cluster.offsetsAt(places, EARLIEST), await cluster.offsetsAt(places, LATEST)]
      const ends = new Map(last.map((place) => [nameOf(place), BigInt(place.offset)]))
      const lost = first.filter((place) => {
        const at = BigInt(known[nameOf(place)] as string)
        return at < BigInt(place.offset) || at > (ends.get(nameOf(place)) as bigint)
      })
      if (lost.length === 0) throw error
      return Object.fromEntries(lost.map((place) => [nameOf(place), place.offset]))
    }
  }

  #aheadOf(place: Place, known: Checkpoint['offsets']): (FetchedPartition & { readonly from: string }) | undefined {
    const ahead = this.#ahead.get(nameOf(place))
    return ahead?.from === known[nameOf(place)] ? ahead : undefined
  }

  #piece(cluster: string, places: readonly Place[], known: Checkpoint['offsets']): SourcePiece {
    const offsets = { ...known }
    const documents: SourceDocument[] = []
    const findings: Finding[] = []
    let room = this.#batch
    for (const place of places) {
      const name = nameOf(place)
      const part = this.#aheadOf(place, known)
      this.#ahead.delete(name)
      if (part === undefined) continue
      const given = part.records.slice(0, room)
      room -= given.length
      const rest = part.records.slice(given.length)
      offsets[name] = rest[0]?.offset ?? part.nextOffset
      // A record without a value is a tombstone, not an event.
      for (const record of given) {
        if (record.value === null) continue
        const read = this.#documents(place, record, record.value)
        documents.push(...read.documents)
        findings.push(...read.findings)
      }
      if (rest.length > 0) this.#ahead.set(name, { ...part, records: rest, from: offsets[name] })
    }
    return { documents, checkpoint: { cluster, offsets }, more: this.#hadRecords, findings }
  }

  #documents(
    { topic, partition }: Place,
    { offset, timestamp, headers }: KafkaRecord,
    value: Buffer,
  ): MessageDocuments {
    const named = textAt(this.#parameters, 'id_header')
    const header = named === undefined ? undefined : headers?.[named]
    const given = (Array.isArray(header) ? header[0] : header) ?? ''
    return documentsOf(`${topic}-${partition}-${offset}-${Number(timestamp).toString(36)}`, given, value)
  }

  /** Commits to the group. A failure does not stop the input. */
  async #commit(): Promise<void> {
    const [offsets, opening] = [this.#taken, this.#cluster]
    if (this.#group === '' || opening === null) return
    this.#committedMs = performance.now()
    try {
      const cluster = await opening
      const places = this.#topics
        .flatMap((topic) => cluster.partitions(topic).map((partition): Place => ({ topic, partition })))
        .flatMap((place) =>
          offsets[nameOf(place)] === undefined ? [] : [{ ...place, offset: offsets[nameOf(place)] as string }],
        )
        .filter((place) => this.#committed[nameOf(place)] !== place.offset)
      if (places.length > 0) await cluster.commit(this.#group, places)
      this.#committed = offsets
    } catch {
      // The next commit covers this one.
    }
  }

  async #reset(): Promise<void> {
    const opening = this.#cluster
    this.#cluster = null
    this.#ahead.clear()
    this.#hadRecords = false
    // A cluster that is still opening is closed once it is open.
    await Promise.race([
      opening?.then(
        (cluster) => cluster.close(),
        () => {},
      ),
      new Promise((resolve) => setTimeout(resolve, COMMIT_MS).unref()),
    ])
  }
}

function nameOf({ topic, partition }: Place): string {
  return `${topic}/${partition}`
}
