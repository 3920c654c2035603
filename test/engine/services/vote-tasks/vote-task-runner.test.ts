/** Tasks of votes that people end, take back or drop while a piece of them is read or given. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { Refusal } from '../../../../engine/errors.js'
import { decodeFeedback } from '../../../../engine/actor/votes/feedback.js'
import type { JobSettings } from '../../../../engine/domain/job/job.js'
import type { OwnVote } from '../../../../engine/services/lists/run-refs.js'
import { VoteTaskLog, voteTaskTables, type VoteTaskRow } from '../../../../engine/services/vote-tasks/vote-task-log.js'
import { VoteTaskRunner, type RunnerDeps } from '../../../../engine/services/vote-tasks/vote-task-runner.js'
import { WriteBatch } from '../../../../engine/store/environment.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'
import { afterwards } from '../../../support/afterwards.js'
import { eventually } from '../../../support/client.js'

const EVENTS = 600
const [DROP, TASK] = [1, 1_000]
const job = { id: 1, labels: [{ id: 'a' }, { id: 'drop' }, { id: 'c' }] } as unknown as JobSettings
const name = { jobId: 1, id: TASK }

const row: VoteTaskRow = {
  ...name,
  state: 'running',
  message: '',
  selection: {},
  cursor: 'first',
  analyst: 'ann',
  label: DROP,
  by: { kind: 'user', name: 'ann' },
  undoHash: '',
  expected: EVENTS,
  voted: 0,
  unchanged: 0,
  superseded: 0,
  gone: 0,
  failed: 0,
  takenBack: 0,
  kept: 0,
  finishedMicros: null,
}

/** Something that the runner waits for, until the test lets it go. */
class Gate {
  isShut = false
  /** How often the runner has come to it. */
  came = 0
  /** Called as the runner goes on. */
  behind = (): void => {}
  #open: (() => void)[] = []

  async pass(): Promise<void> {
    this.came++
    if (this.isShut) await new Promise<void>((resolve) => this.#open.push(resolve))
    this.behind()
  }

  open(): void {
    this.isShut = false
    for (const go of this.#open.splice(0)) go()
  }
}

/** A job of some events, and a task that votes on all of them in one piece. */
class Bench {
  readonly store = new MemoryEnvironment(voteTaskTables)
  readonly log = new VoteTaskLog(this.store)
  /** By event: the label that the analyst has given, by the task. */
  readonly votes = new Map<number, number>()
  readonly gates = { refs: new Gate(), ask: new Gate(), ownVotes: new Gate() }
  readonly failures: string[] = []
  failsWith: Error | null = null
  readonly runner: VoteTaskRunner

  constructor(test: TestContext) {
    const deps: RunnerDeps = {
      log: this.log,
      collector: {
        ask: async (_job, _kind, eventId, body) => {
          await this.gates.ask.pass()
          if (this.failsWith !== null) throw this.failsWith
          if (decodeFeedback(Buffer.from(body)).feedback.label === null) this.votes.delete(Number(eventId))
          else this.votes.set(Number(eventId), DROP)
          return null
        },
      },
      waiting: () => 0,
      nowMicros: () => 5_000,
      job: (id) => (id === job.id ? job : undefined),
      refs: async () => {
        await this.gates.refs.pass()
        const refs = Array.from({ length: EVENTS }, (_, n) => ({
          eventMicros: n + 1,
          eventId: String(n + 1),
          label: this.votes.get(n + 1) ?? null,
        }))
        return { refs: refs as never, next: null }
      },
      ownVotes: async (_job, _analyst, times) => {
        await this.gates.ownVotes.pass()
        return times.map((micros) => ({
          label: this.votes.get(micros) ?? null,
          atMicros: TASK,
        })) as unknown as OwnVote[]
      },
      accepting: () => true,
      failed: (what) => this.failures.push(what),
    }
    this.runner = new VoteTaskRunner(deps)
    this.log.add(row, new WriteBatch())
    afterwards(test, async () => {
      for (const gate of Object.values(this.gates)) gate.open()
      await this.runner.close()
    })
  }

  /** Runs until the runner waits at the gate. */
  async runTo(gate: Gate): Promise<void> {
    gate.isShut = true
    this.runner.wake()
    await eventually(
      async () => gate.came,
      (came) => came > 0,
    )
  }

  /** What people do: as VoteTasks does it. */
  set(state: 'undoing' | 'cancelled'): void {
    this.log.change(name, (now) => ({ ...now, state }))
    this.runner.wake()
  }

  async ended(state: string): Promise<VoteTaskRow> {
    const found = await eventually(
      async () => this.log.one(1, TASK),
      (now) => now?.state === state,
    )
    await this.runner.close()
    assert.deepEqual(new VoteTaskLog(this.store).one(1, TASK), found)
    return found as VoteTaskRow
  }
}

const places = ['refs', 'ask'] as const

describe('a task of votes', () => {
  for (const place of places) {
    it(`that is taken back while it waits for ${place} leaves none of its votes`, async (test) => {
      const bench = new Bench(test)
      await bench.runTo(bench.gates[place])
      bench.set('undoing')
      bench.gates[place].open()
      const { voted, takenBack, kept } = await bench.ended('undone')
      assert.equal(bench.votes.size, 0)
      assert.deepEqual([takenBack, kept], [voted, 0])
      assert.deepEqual(bench.log.votes(name, 1), [])
    })

    it(`that is ended while it waits for ${place} votes no further, and counts what it did`, async (test) => {
      const bench = new Bench(test)
      await bench.runTo(bench.gates[place])
      bench.set('cancelled')
      bench.gates[place].open()
      await bench.runner.close()
      const { state, voted } = bench.log.one(1, TASK) as VoteTaskRow
      assert.deepEqual([state, voted], ['cancelled', bench.votes.size])
      assert.ok(bench.votes.size < EVENTS, `${bench.votes.size} votes were given`)
      assert.equal(bench.log.votes(name, EVENTS).length, bench.votes.size)
    })

    it(`that is dropped while it waits for ${place} is not made again`, async (test) => {
      const bench = new Bench(test)
      await bench.runTo(bench.gates[place])
      bench.log.drop(name)
      while (bench.log.remove(name, EVENTS));
      bench.gates[place].open()
      await bench.runner.close()
      assert.deepEqual([bench.log.jobIds(), bench.log.votes(name, 1)], [[], []])
    })

    it(`that is taken back while it waits for ${place}, and fails then, is taken back`, async (test) => {
      const bench = new Bench(test)
      await bench.runTo(bench.gates[place])
      bench.set('undoing')
      bench.failsWith = new Refusal('invalid_body', 'no')
      bench.gates[place].open()
      assert.equal((await bench.ended('undone')).voted, 0)
    })
  }

  it('that is dropped while its votes are taken back is not made again', async (test) => {
    const bench = new Bench(test)
    bench.runner.wake()
    await bench.ended('finished')
    bench.gates.ownVotes.isShut = true
    bench.set('undoing')
    await bench.runTo(bench.gates.ownVotes)
    bench.log.drop(name)
    while (bench.log.remove(name, EVENTS));
    bench.gates.ownVotes.open()
    await bench.runner.close()
    assert.deepEqual([bench.log.jobIds(), bench.log.votes(name, 1)], [[], []])
  })

  it('that is being dropped is seen by nobody, in the next process either', async (test) => {
    const bench = new Bench(test)
    bench.runner.wake()
    await bench.ended('finished')
    bench.log.drop(name)
    assert.equal(bench.log.remove(name, 10), true)
    for (const log of [bench.log, new VoteTaskLog(bench.store)]) {
      assert.deepEqual([log.one(1, TASK), log.ofJob(1)], [undefined, []])
      assert.equal(
        log.change(name, (now) => ({ ...now, state: 'undoing' })),
        undefined,
      )
      assert.deepEqual(
        log.dropped().map(({ id }) => id),
        [TASK],
      )
    }
  })

  it('whose end cannot be written is ended once there is room', async (test) => {
    const bench = new Bench(test)
    await bench.runTo(bench.gates.refs)
    bench.gates.refs.behind = () => {
      bench.store.failNextCommit = new Refusal('store_full', 'full')
      bench.gates.refs.behind = () => assert.fail('a bug')
      throw new Error('a bug')
    }
    bench.gates.refs.open()
    const { message } = await bench.ended('failed')
    assert.match(message, /in the log/)
  })
})
