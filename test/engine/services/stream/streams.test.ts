import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../../engine/limits.js'
import type { StreamListener } from '../../../../engine/api/live/stream-service.js'
import { positionText } from '../../../../engine/services/stream/stream-position.js'
import type { StreamResult, StreamTask } from '../../../../engine/services/stream/stream-task.js'
import { Streams, type StreamsDeps } from '../../../../engine/services/stream/streams.js'
import { until } from '../../../support/until.js'

/** The text of the position before message `n` of a store that only counts messages. */
const at = (n: number): string => positionText({ began: 0, audit: n, jobs: new Map() })

/** A store of numbered messages, read two at a time. */
class Store {
  messages = 0
  readonly tasks: StreamTask[] = []
  readonly commits = new Int32Array(1)

  add(count: number): void {
    this.messages += count
    this.commits[0]!++
  }

  readonly run = async (task: StreamTask): Promise<StreamResult> => {
    this.tasks.push(task)
    const pieces = task.positions.map((text) => {
      if (text === '') return { messages: Buffer.from('ready '), next: at(this.messages), more: false }
      const from = Array.from({ length: this.messages + 1 }, (_, n) => n).find((n) => at(n) === text)!
      const to = Math.min(from + 2, this.messages)
      const numbers = Array.from({ length: to - from }, (_, n) => `${from + n} `)
      return { messages: Buffer.from(numbers.join('')), next: at(to), more: to < this.messages }
    })
    return { pieces, tookMs: 0 }
  }
}

class Listener implements StreamListener {
  text = ''
  takes = true
  readonly take = (messages: Uint8Array): boolean => {
    this.text += Buffer.from(messages).toString()
    return this.takes
  }
  beat(): void {}
  ended(): void {}
}

function made(): { store: Store; streams: Streams } {
  const store = new Store()
  const deps = {
    dataDir: '',
    serviceNames: [],
    resources: { job: () => undefined, jobByTitle: () => undefined, jobs: () => [], canSee: () => true },
    shards: { commits: store.commits, messages: 0 },
    auditLog: { head: () => ({ count: 0, hash: Buffer.alloc(0) }) },
    thread: { run: store.run },
    clock: { nowMicros: () => 1 },
    failed: assert.fail,
  } as unknown as StreamsDeps
  return { store, streams: new Streams(deps) }
}

const principal = { kind: 'management', name: 'm', scopes: new Set() } as never

test('listeners that ask for the same are read for together', async () => {
  const { store, streams } = made()
  const listeners = Array.from({ length: 50 }, () => new Listener())
  for (const listener of listeners) streams.open(principal, { form: 'sse' }, listener)
  await until(() => listeners.every(({ text }) => text === 'ready '))
  store.add(5)
  await until(() => listeners.every(({ text }) => text === 'ready 0 1 2 3 4 '))
  assert.ok(store.tasks.every(({ positions }) => positions.length <= 2))
  assert.ok(store.tasks.length < 10, `${store.tasks.length} reads`)
  streams.close()
})

test('a listener that does not read is sent nothing more, holds nobody up, and misses nothing', async () => {
  const { store, streams } = made()
  const [slow, quick] = [new Listener(), new Listener()]
  const subscription = streams.open(principal, { form: 'sse' }, slow)
  streams.open(principal, { form: 'sse' }, quick)
  await until(() => quick.text === 'ready ' && slow.text === 'ready ')
  slow.takes = false
  store.add(6)
  await until(() => quick.text === 'ready 0 1 2 3 4 5 ')
  assert.equal(slow.text, 'ready 0 1 ')
  slow.takes = true
  subscription.ready()
  await until(() => slow.text === quick.text)
  streams.close()
})

test('a listener goes on from any place, and joins those at the end', async () => {
  const { store, streams } = made()
  store.add(7)
  const listener = new Listener()
  streams.open(principal, { form: 'sse', after: at(3) }, listener)
  await until(() => listener.text === '3 4 5 6 ')
  store.add(1)
  await until(() => listener.text === '3 4 5 6 7 ')
  streams.close()
})

test('there is a bound for streams, and one that is closed makes room', () => {
  const { streams } = made()
  const open = () => streams.open(principal, { form: 'sse' }, new Listener())
  const subscriptions = Array.from({ length: limits.streamsMax }, open)
  assert.throws(open, { code: 'streams_busy' })
  subscriptions[0]!.close()
  subscriptions[0]!.close()
  assert.equal(streams.listeners, limits.streamsMax - 1)
  open()
  streams.close()
  assert.equal(streams.listeners, 0)
  assert.throws(open, { code: 'draining' })
})
