import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JetStreamManager } from '@nats-io/jetstream'
import type { LargeRecords } from '../../../../../engine/runtime/log/jetstream/large-records.js'
import { LogStreamReader } from '../../../../../engine/runtime/log/jetstream/stream-reader.js'
import { tellingOf } from '../../../../../engine/runtime/log/jetstream/told-records.js'
import { LogPurged } from '../../../../../engine/runtime/log/turn-log.js'
import { Bus } from '../../../../support/cluster/bus.js'
import { until } from '../../../../support/until.js'

const SUBJECT = 'service.turns.0.grown'
const encoder = new TextEncoder()

/** A stream in memory, and a reader of it. */
class Stream {
  readonly bus = new Bus()
  readonly records: Uint8Array[] = []
  /** The oldest record that is there. */
  first = 1
  /** Up to which the copy is that answers. */
  through = Number.POSITIVE_INFINITY
  /** Of these the leader says that it does not have them. */
  leaderLacks = 0
  batches = 0
  questions = 0
  readonly reader = new LogStreamReader({
    connection: this.bus.connection,
    manager: this.#manager(),
    large: {} as LargeRecords,
    stream: 'service_turns_0',
    grownSubject: SUBJECT,
    limitMs: 2_000,
  })

  append(...texts: string[]): void {
    for (const text of texts) this.records.push(encoder.encode(text))
  }

  /** Tells of a record, as its writer does. */
  tell(sequence: number): void {
    this.bus.connection.publish(SUBJECT, tellingOf(sequence, this.records[sequence - 1] as Uint8Array))
  }

  tellAsOlderVersionsDo(): void {
    this.bus.connection.publish(SUBJECT, new Uint8Array(0))
  }

  #manager(): JetStreamManager {
    const getBatch = async (_: string, { seq, batch }: { seq: number; batch: number }) => {
      this.batches++
      const end = Math.min(this.records.length, this.through)
      const found = this.records
        .map((data, at) => ({ seq: at + 1, data, pending: end - at - 1 }))
        .filter((one) => one.seq >= Math.max(seq, this.first) && one.seq <= end)
        .slice(0, batch)
      return Object.assign(
        (async function* () {
          yield* found
        })(),
        { stop: () => {} },
      )
    }
    const info = async () => {
      this.questions++
      const state = { first_seq: this.first, last_seq: this.records.length - this.leaderLacks }
      return { state, config: { name: 'service_turns_0', num_replicas: 1 } }
    }
    return { direct: { getBatch }, streams: { info } } as unknown as JetStreamManager
  }
}

/** Follows the stream until the test ends it. `slowly`: nothing is taken until it resolves. */
function followed(stream: Stream, slowly: Promise<unknown> = Promise.resolve()) {
  const ending = new AbortController()
  const texts: string[] = []
  const over = (async () => {
    for await (const { sequence, bytes } of stream.reader.follow(0, ending.signal)) {
      texts.push(`${sequence} ${Buffer.from(bytes).toString('latin1')}`)
      await slowly
    }
  })()
  const end = (): Promise<void> => {
    ending.abort()
    return over
  }
  return { texts, over, end }
}

describe('a follower of a stream', () => {
  it('gets what is told without asking for it', async () => {
    const stream = new Stream()
    stream.append('a', 'b')
    const { texts, end } = followed(stream)
    await until(() => texts.length === 2)
    const { batches } = stream
    for (let i = 3; i <= 40; i++) {
      stream.append(`r${i}`)
      stream.tell(i)
      await until(() => texts.length === i)
    }
    assert.deepEqual([texts[0], texts[39]], ['1 a', '40 r40'])
    // It looks now and then, however quick this test is.
    assert.ok(stream.batches - batches < 38, `${stream.batches - batches} questions for 38 records`)
    await end()
  })

  it('asks for what was not told, or only that there is more', async () => {
    const stream = new Stream()
    const { texts, end } = followed(stream)
    stream.append('a', 'b', 'c')
    stream.tell(3)
    await until(() => texts.length === 3)
    stream.append('d')
    stream.tellAsOlderVersionsDo()
    await until(() => texts.length === 4)
    stream.append('e')
    await until(() => texts.length === 5)
    assert.deepEqual(texts, ['1 a', '2 b', '3 c', '4 d', '5 e'])
    await end()
  })

  it('takes each record once and in order, where it is slow and tellings are doubled and late', async () => {
    const stream = new Stream()
    stream.append('first')
    let goOn = (): void => {}
    const { texts, end } = followed(stream, new Promise<void>((resolve) => (goOn = resolve)))
    await until(() => texts.length === 1)
    const count = 700
    for (let i = 2; i <= count; i++) stream.append(`r${i}`)
    for (let i = count; i > 1; i--) stream.tell(i)
    for (let i = 2; i <= count; i += 3) stream.tell(i)
    await new Promise((resolve) => setTimeout(resolve, 20))
    goOn()
    await until(() => texts.length === count)
    stream.tell(count)
    stream.append('last')
    stream.tell(count + 1)
    await until(() => texts.length === count + 1)
    const expected = stream.records.map((bytes, at) => `${at + 1} ${Buffer.from(bytes).toString('latin1')}`)
    assert.deepEqual(texts, expected)
    await end()
  })

  it('goes on where the copy that answers is behind', async () => {
    const stream = new Stream()
    stream.through = 1
    stream.append('a', 'b', 'c')
    const { texts, end } = followed(stream)
    stream.tell(3)
    await until(() => texts.length === 1)
    stream.through = 3
    await until(() => texts.length === 3)
    assert.deepEqual(texts, ['1 a', '2 b', '3 c'])
    await end()
  })

  it('takes a record that one copy has when the leader has it, too', async () => {
    const stream = new Stream()
    stream.append('a')
    const { texts, end } = followed(stream)
    await until(() => texts.length === 1)
    stream.append('lost')
    stream.leaderLacks = 1
    stream.tellAsOlderVersionsDo()
    const { questions } = stream
    await until(() => stream.questions > questions)
    // The servers have chosen: another record is there.
    stream.records.pop()
    stream.append('b', 'c')
    stream.leaderLacks = 0
    await until(() => texts.length === 3)
    assert.deepEqual(texts, ['1 a', '2 b', '3 c'])
    await end()
  })

  it('fails where the next record was purged, and asks seldom whether it was', async () => {
    const stream = new Stream()
    stream.append('a')
    const { texts, over, end } = followed(stream)
    await until(() => texts.length === 1)
    for (let i = 0; i < 20; i++) {
      stream.tellAsOlderVersionsDo()
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    assert.ok(stream.questions < stream.batches, `${stream.questions} of ${stream.batches}`)
    stream.append('b', 'c')
    stream.first = 3
    stream.tellAsOlderVersionsDo()
    await assert.rejects(over, LogPurged)
    await end().catch(() => {})
  })
})
