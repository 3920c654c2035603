/**
 * A Kafka broker with only the protocol that the service speaks, in the oldest versions: a real TCP server that keeps
 * batches of records as they arrive.
 */
import type { Socket } from 'node:net'
import { SmallServer } from './small-server.js'

export type KafkaBehaviour = 'well' | 'silent' | 'refusing' | 'broken' | 'half'

/** The requests that it answers, each in one version. */
const versions = {
  produce: [0, 3],
  fetch: [1, 4],
  listOffsets: [2, 1],
  metadata: [3, 2],
  apiVersions: [18, 0],
  initProducerId: [22, 0],
} as const
const errors: Partial<Record<KafkaBehaviour, number>> = { refusing: 10, broken: -1 }
const OFFSET_OUT_OF_RANGE = 1
const UNKNOWN_TOPIC = 3

interface Batch {
  readonly bytes: Buffer
  readonly next: bigint
}

interface Partition {
  batches: Batch[]
  first: bigint
  next: bigint
}

class Reading {
  readonly bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  number(size: 1 | 2 | 4): number {
    this.#at += size
    return this.bytes.readIntBE(this.#at - size, size)
  }

  long(): bigint {
    this.#at += 8
    return this.bytes.readBigInt64BE(this.#at - 8)
  }

  take(size: number): Buffer {
    this.#at += Math.max(0, size)
    return this.bytes.subarray(this.#at - Math.max(0, size), this.#at)
  }

  text(): string {
    return this.take(this.number(2)).toString()
  }

  each<T>(read: () => T): T[] {
    return Array.from({ length: Math.max(0, this.number(4)) }, read)
  }
}

const int = (size: number, value: number): Buffer => {
  const bytes = Buffer.alloc(size)
  bytes.writeIntBE(value, 0, size)
  return bytes
}
const long = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(value)
  return bytes
}
const text = (value: string): Buffer => Buffer.concat([int(2, Buffer.byteLength(value)), Buffer.from(value)])
const list = (items: readonly Buffer[]): Buffer => Buffer.concat([int(4, items.length), ...items])

export class KafkaServer extends SmallServer {
  readonly topics = new Map<string, Partition[]>()
  behaviour: KafkaBehaviour = 'well'
  clusterId = 'small'
  /** The addresses that it reports for its brokers; null for its own. */
  advertised: { readonly host: string; readonly port: number } | null = null

  private constructor() {
    super((socket) => this.#listen(socket))
  }

  static open(): Promise<KafkaServer> {
    return new KafkaServer().listen()
  }

  make(topic: string, partitions: number): void {
    const known = this.topics.get(topic) ?? []
    this.topics.set(topic, [
      ...known,
      ...Array.from({ length: partitions - known.length }, () => ({ batches: [], first: 0n, next: 0n })),
    ])
  }

  /** All stored batches, as bytes. */
  get stored(): Buffer {
    return Buffer.concat([...this.topics.values()].flat().flatMap(({ batches }) => batches.map(({ bytes }) => bytes)))
  }

  /** Everything before this offset of a partition is deleted. */
  deleteBefore(topic: string, partition: number, offset: number): void {
    const of = this.topics.get(topic)![partition]!
    of.first = BigInt(offset)
    of.batches = of.batches.filter(({ next }) => next > of.first)
  }

  #listen(socket: Socket): void {
    let rest: Buffer = Buffer.alloc(0)
    let pieces: Buffer[] = []
    let waiting = 0
    socket.on('data', (piece) => {
      pieces.push(piece)
      waiting += piece.length
      // Pieces of a large request are joined once.
      if (rest.length >= 4 && rest.length + waiting < 4 + rest.readInt32BE(0)) return
      rest = Buffer.concat([rest, ...pieces])
      pieces = []
      waiting = 0
      while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
        const size = rest.readInt32BE(0)
        const request = new Reading(rest.subarray(4, 4 + size))
        rest = rest.subarray(4 + size)
        const [key, version, correlation] = [request.number(2), request.number(2), request.number(4)]
        request.text()
        const answer = this.#answer(socket, key, version, request)
        if (answer === null || socket.destroyed) continue
        const send = (): void =>
          void (
            socket.destroyed || socket.write(Buffer.concat([int(4, answer.length + 4), int(4, correlation), answer]))
          )
        // Nothing yet: it answers a moment later, as a broker that waits.
        if (key === versions.fetch[0]) setTimeout(send, 5)
        else send()
      }
    })
  }

  #answer(socket: Socket, key: number, version: number, request: Reading): Buffer | null {
    switch (key) {
      case versions.apiVersions[0]: {
        const known = list(
          Object.values(versions).map(([api, one]) => Buffer.concat([int(2, api), int(2, one), int(2, one)])),
        )
        return Buffer.concat([int(2, 0), known, version > 0 ? int(4, 0) : Buffer.alloc(0)])
      }
      case versions.metadata[0]:
        return this.#metadata(request)
      case versions.initProducerId[0]:
        return Buffer.concat([int(4, 0), int(2, 0), long(7n), int(2, 0)])
      case versions.listOffsets[0]:
        return this.#offsets(request)
      case versions.fetch[0]:
        return this.#fetch(request)
      case versions.produce[0]: {
        if (this.behaviour === 'half') socket.destroy()
        return this.behaviour === 'silent' || this.behaviour === 'half' ? null : this.#produce(request)
      }
      default:
        throw new Error(`a request of the kind ${key}`)
    }
  }

  #metadata(request: Reading): Buffer {
    const named = request.each(() => request.text())
    const { host, port } = this.advertised ?? { host: '127.0.0.1', port: this.port }
    const topics = (named.length === 0 ? [...this.topics.keys()] : named).map((topic) => {
      const partitions = (this.topics.get(topic) ?? []).map((_, at) =>
        Buffer.concat([int(2, 0), int(4, at), int(4, 1), list([int(4, 1)]), list([int(4, 1)])]),
      )
      return Buffer.concat([
        int(2, this.topics.has(topic) ? 0 : UNKNOWN_TOPIC),
        text(topic),
        int(1, 0),
        list(partitions),
      ])
    })
    return Buffer.concat([
      list([Buffer.concat([int(4, 1), text(host), int(4, port), int(2, -1)])]),
      text(this.clusterId),
      int(4, 1),
      list(topics),
    ])
  }

  #produce(request: Reading): Buffer {
    request.text()
    request.number(2)
    request.number(4)
    const error = errors[this.behaviour] ?? 0
    const topics = request.each(() => {
      const topic = request.text()
      const partitions = request.each(() => {
        const partition = request.number(4)
        const bytes = Buffer.from(request.take(request.number(4)))
        const of = this.topics.get(topic)![partition]!
        const base = of.next
        if (error === 0) {
          bytes.writeBigInt64BE(base)
          // The last offset of a batch follows its length, epoch, version, checksum and attributes.
          of.next = base + BigInt(bytes.readInt32BE(23)) + 1n
          of.batches.push({ bytes, next: of.next })
        }
        return Buffer.concat([int(4, partition), int(2, error), long(base), long(-1n)])
      })
      return Buffer.concat([text(topic), list(partitions)])
    })
    return Buffer.concat([list(topics), int(4, 0)])
  }

  #offsets(request: Reading): Buffer {
    request.number(4)
    return list(
      request.each(() => {
        const topic = request.text()
        return Buffer.concat([
          text(topic),
          list(
            request.each(() => {
              const partition = request.number(4)
              const time = request.long()
              const { first, next } = this.topics.get(topic)![partition]!
              return Buffer.concat([
                int(4, partition),
                int(2, 0),
                long(-1n),
                long(time === -2n ? first : time === -1n ? next : -1n),
              ])
            }),
          ),
        ])
      }),
    )
  }

  #fetch(request: Reading): Buffer {
    request.take(4 * 4 + 1)
    const topics = request.each(() => {
      const topic = request.text()
      const partitions = request.each(() => {
        const partition = request.number(4)
        const from = request.long()
        request.number(4)
        const { batches, first, next } = this.topics.get(topic)![partition]!
        const error = from < first || from > next ? OFFSET_OUT_OF_RANGE : 0
        // One whole batch. The reader skips the records before its offset.
        const found =
          error === 0 ? (batches.find((batch) => batch.next > from)?.bytes ?? Buffer.alloc(0)) : Buffer.alloc(0)
        return Buffer.concat([
          int(4, partition),
          int(2, error),
          long(next),
          long(next),
          int(4, 0),
          int(4, found.length),
          found,
        ])
      })
      return Buffer.concat([text(topic), list(partitions)])
    })
    return Buffer.concat([int(4, 0), list(topics)])
  }
}
