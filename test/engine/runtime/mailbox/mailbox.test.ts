import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventIdOf } from '../../../../engine/domain/event/event-id.js'
import { Mailbox } from '../../../../engine/runtime/mailbox/mailbox.js'
import type { NewMessage, Receiver } from '../../../../engine/runtime/turn/turn-contract.js'
import { nextMessage, readMessage, readTimes } from '../../../../engine/actor/message.js'
import { REPLY_BYTES, writeEventReply } from '../../../../engine/actor/reply.js'
import { TurnOutOfPlace } from '../../../../engine/actor/shard.js'
import { beginTurn, refuseTurn, type TurnResult, type TurnTask } from '../../../../engine/actor/turn-task.js'
import { isRefusal } from '../../../../engine/errors.js'
import { limits } from '../../../../engine/limits.js'
import type { IngestReceiver } from '../../../../engine/api/decision-service.js'
import type { TurnTimes } from '../../../../engine/api/turn-trace.js'
import { TurnSlots } from '../../../../engine/runtime/mailbox/turn-slots.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { jobSettings } from '../../../support/engine/shard.js'

const job = jobSettings()
const nothing = new Uint8Array(0)

/** An event without a body. */
function event(eventId: string | null, receiver: Receiver): NewMessage {
  return { job, kind: 'ingest', eventId, idInBody: false, body: nothing, receiver }
}

const nobody: Receiver = { ingested: () => {}, refused: () => {} }
/** Messages for one full turn and a part of another. */
const twoTurns = Math.floor(limits.turnMessagesMax * 1.5)

/** The messages of a turn, by their ids. */
function idsOf(task: TurnTask): string[] {
  const memory = Buffer.from(task.memory)
  const ids: string[] = []
  for (let i = 0, at = 0; i < task.count; i++, at = nextMessage(memory, at))
    ids.push(String(readMessage(memory, at, 0).eventId))
  return ids
}

/**
 * A thread that answers every message and writes down what it applied; out of its place it runs no turn, as a shard.
 */
class Recorder {
  readonly applied: string[] = []
  readonly turns: string[][] = []
  readonly tasks: TurnTask[] = []
  #open = false
  #place = 0
  underWay = 0
  mostUnderWay = 0
  /** Rounds of the event loop that a turn takes: more than a mailbox takes to send the next. */
  rounds: (task: TurnTask) => number = () => 3
  /** What becomes of a turn that is handed over, when its commit is over. */
  commit: ((task: TurnTask) => Promise<TurnResult>) | null = null
  /** Throws to let the turn fail; `begun` says whether the thread had begun with it. */
  meddle: (ids: string[], task: TurnTask, begin: () => void) => void = () => {}

  readonly run = async (task: TurnTask, decided: () => void = () => {}): Promise<TurnResult> => {
    this.mostUnderWay = Math.max(this.mostUnderWay, ++this.underWay)
    this.tasks.push(task)
    for (let round = 0; round < this.rounds(task); round++) await new Promise((resolve) => setImmediate(resolve))
    try {
      if (!task.opens && !(this.#open && task.place === this.#place + 1)) throw new TurnOutOfPlace()
      this.#open = false
      this.#place = task.place
      const ids = idsOf(task)
      this.meddle(ids, task, () => void beginTurn(task))
      const replies = beginTurn(task)
      this.turns.push(ids)
      this.applied.push(...ids)
      for (const [i, micros] of readTimes(Buffer.from(task.memory), task.count).entries()) {
        writeEventReply(
          replies,
          i * REPLY_BYTES,
          {
            micros,
            autonomy: 'none',
            stored: 'new',
            pending: false,
            label: -1,
            confidence: 0,
            outlier: false,
            bucketState: 'new',
          },
          -1,
        )
      }
      this.#open = true
      if (!task.handsOver || this.commit === null) return { extras: [] }
      decided()
      return await this.commit(task)
    } finally {
      this.underWay--
    }
  }
}

interface Box {
  readonly recorder: Recorder
  readonly mailbox: Mailbox
  readonly failures: unknown[]
  readonly answers: string[]
  readonly refused: Map<string, string>
  post(id: string, bytes?: number): void
}

/** Times that are later than all that the tests give. */
function takeLaterTimes(): (count: number) => number {
  let next = 1_000_000
  return (count) => (next += count) - count
}

function openBox(slots = new TurnSlots(), recorder = new Recorder()): Box {
  const failures: unknown[] = []
  const mailbox = new Mailbox({
    shard: 0,
    run: recorder.run,
    events: { committed: () => {}, added: () => {}, failed: (_, error) => failures.push(error) },
    takeTimes: takeLaterTimes(),
    slots,
  })
  const answers: string[] = []
  const refused = new Map<string, string>()
  return {
    recorder,
    mailbox,
    failures,
    answers,
    refused,
    post(id, bytes = 0) {
      const receiver: IngestReceiver = {
        ingested: ({ eventId }) => answers.push(eventId),
        refused: (refusal) => {
          answers.push(id)
          assert.ok(!refused.has(id))
          refused.set(id, refusal.code)
        },
      }
      mailbox.post({ ...event(id, receiver), body: bytes === 0 ? nothing : Buffer.alloc(bytes) }, 1)
    },
  }
}

const ids = (count: number, prefix = 'm'): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`)

describe('a mailbox', () => {
  it('sends what came in together together, in order, and answers in order', async () => {
    const box = openBox()
    for (const id of ids(300)) box.post(id)
    assert.equal(box.mailbox.length, 300)
    await box.mailbox.whenIdle()
    assert.deepEqual(box.recorder.turns, [ids(300)])
    assert.deepEqual(box.answers, ids(300))
    assert.equal(box.mailbox.length, 0)
  })

  it('has at most so many turns under way, and no turn is over its bounds', async () => {
    const box = openBox()
    for (const id of ids(5_000)) box.post(id)
    for (let i = 0; i < 6; i++) box.post(`large ${i}`, limits.eventBytesMax)
    await box.mailbox.whenIdle()
    assert.equal(box.recorder.mostUnderWay, limits.turnsUnderWayMax)
    assert.ok(box.recorder.turns.every((turn) => turn.length <= limits.turnMessagesMax))
    assert.deepEqual(box.recorder.applied, [...ids(5_000), ...ids(6, 'large ')])
    assert.deepEqual(box.answers, box.recorder.applied)
  })

  it('puts a turn behind another of its own only where it is large', async () => {
    for (const [count, turns] of [
      [limits.turnFollowsMin, [1, limits.turnFollowsMin]],
      [limits.turnFollowsMin + 1, [1, limits.turnFollowsMin + 1]],
    ] as const) {
      const box = openBox()
      box.post('first')
      await new Promise((resolve) => setImmediate(resolve))
      for (const id of ids(count)) box.post(id)
      await box.mailbox.whenIdle()
      assert.deepEqual(
        box.recorder.turns.map((turn) => turn.length),
        turns,
      )
      assert.equal(box.recorder.mostUnderWay, count > limits.turnFollowsMin ? 2 : 1)
    }
  })

  it('gathers messages while the thread is busy with those of others, and waits for no slot that it has no use for', async () => {
    const slots = new TurnSlots()
    const busy = openBox(slots)
    const box = openBox(slots)
    for (const id of ids(3 * limits.turnMessagesMax, 'busy ')) busy.post(id)
    await new Promise((resolve) => setImmediate(resolve))
    for (const id of ids(200)) {
      box.post(id)
      if (id.endsWith('0')) await Promise.resolve()
    }
    await Promise.all([busy.mailbox.whenIdle(), box.mailbox.whenIdle()])
    assert.deepEqual(box.recorder.turns, [ids(200)])
    assert.deepEqual(busy.answers, ids(3 * limits.turnMessagesMax, 'busy '))
    // One that fails gives its slot back, one that is held does not keep it.
    box.recorder.meddle = (_, task) => {
      if (task.place === 2) throw new Error('the thread died')
    }
    await box.mailbox.hold()
    for (const id of ids(10, 'late ')) box.post(id)
    for (const id of ids(limits.turnMessagesMax + 1, 'more ')) busy.post(id)
    await busy.mailbox.whenIdle()
    box.mailbox.release()
    await box.mailbox.whenIdle()
    assert.equal(box.failures.length, 1)
    assert.deepEqual(box.answers.slice(200), ids(10, 'late '))
    const acquire = (): boolean => slots.acquire(() => false)
    assert.ok(acquire() && acquire() && !acquire(), 'all slots were given back')
  })

  it('that is held begins no turn until it is released, and then goes on in order', async () => {
    const box = openBox()
    for (const id of ids(2_500)) box.post(id)
    await new Promise((resolve) => setImmediate(resolve))
    await box.mailbox.hold()
    assert.equal(box.recorder.underWay, 0)
    const before = box.recorder.turns.length
    assert.ok(before > 0 && before < 3)
    box.post('later')
    await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal(box.recorder.turns.length, before)
    box.mailbox.release()
    await box.mailbox.whenIdle()
    assert.deepEqual(box.answers, [...ids(2_500), 'later'])
  })

  it('that is full refuses, keeps its order, and takes messages again when there is room', async () => {
    const box = openBox()
    for (const id of ids(limits.mailboxMessagesMax)) box.post(id)
    for (let i = 0; i < 3; i++)
      assert.throws(
        () => box.post('too many'),
        (error) => isRefusal(error, 'mailbox_full') && error.retryable,
      )
    assert.equal(box.mailbox.length, limits.mailboxMessagesMax)
    await box.mailbox.whenIdle()
    box.post('later')
    await box.mailbox.whenIdle()
    assert.deepEqual(box.recorder.applied, [...ids(limits.mailboxMessagesMax), 'later'])
    assert.deepEqual(box.answers, box.recorder.applied)
  })

  it('is full by bytes too', async () => {
    const box = openBox()
    let posted = 0
    assert.throws(
      () => {
        for (; posted < 100; posted++) box.post(`m${posted}`, limits.eventBytesMax / 8)
      },
      (error) => isRefusal(error, 'mailbox_full'),
    )
    assert.ok(posted >= 60 && (posted * limits.eventBytesMax) / 8 <= limits.mailboxBytesMax)
    box.post('small')
    await box.mailbox.whenIdle()
    assert.deepEqual(box.recorder.applied, [...ids(posted), 'small'])
  })

  it('answers who posts from within an answer', async () => {
    const box = openBox()
    let left = 5
    const again = (): void => {
      if (left-- > 0) box.mailbox.post(event(`nested ${left}`, { ingested: again, refused: again }), 1)
    }
    again()
    await box.mailbox.whenIdle()
    assert.equal(box.recorder.applied.length, 5)
  })

  it('sends the settings of a job once, again when they change, and again after a failure', async () => {
    const box = openBox()
    const post = (revision: number) => box.mailbox.post({ ...event('x', nobody), job: jobSettings({ revision }) }, 1)
    for (const revision of [1, 1, 2]) {
      post(revision)
      await box.mailbox.whenIdle()
    }
    let fails = true
    box.recorder.meddle = (_, __, begin) => {
      begin()
      if (fails) {
        fails = false
        throw new Error('died')
      }
    }
    post(2)
    await box.mailbox.whenIdle()
    assert.deepEqual(
      box.recorder.tasks.map(({ settings }) => settings.map(({ revision }) => revision)),
      [[1], [], [2], [], [2]],
    )
    assert.deepEqual(
      box.recorder.tasks.map(({ opens }) => opens),
      [true, false, false, false, true],
    )
  })
})

describe('an event that comes alone', () => {
  interface Alone extends Box {
    readonly times: number[]
    /** Own ids, as they were answered. */
    readonly ownIds: string[]
    single(id: string | null, micros?: number): void
    order(id: string): void
  }

  function openAlone(): Alone {
    const box = openBox()
    const times: number[] = []
    const ownIds: string[] = []
    box.recorder.meddle = (_, task) => {
      const memory = Buffer.from(task.memory)
      for (let i = 0, at = 0; i < task.count; i++, at = nextMessage(memory, at))
        times.push(readMessage(memory, at, 0).micros)
    }
    const answered = {
      ingested: ({ eventId }: { eventId: string }) => void ownIds.push(eventId),
      refused: () => assert.fail('refused'),
    }
    return {
      ...box,
      times,
      ownIds,
      single: (id, micros = 1) => box.mailbox.post(event(id, { ...answered, isAlone: true }), micros),
      order: (id) => box.mailbox.post({ ...event(id, { resolved: () => {}, ...answered }), kind: 'purge' }, 1),
    }
  }

  const round = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve))

  it('overtakes a stream, and waits for one turn of it, of moderate size, while others like it come in', async () => {
    const box = openAlone()
    for (const id of ids(4_000)) box.post(id)
    await round()
    for (let i = 0; i < 3; i++) {
      box.single(`single ${i}`)
      while (!box.ownIds.includes(`single ${i}`)) await round()
    }
    for (const id of ids(2_000, 'later ')) box.post(id)
    await box.mailbox.whenIdle()
    const places = box.recorder.turns.flatMap((turn, place) =>
      turn.some((id) => id.startsWith('single')) ? [place] : [],
    )
    assert.ok(places.length === 3 && (places[2] as number) <= 7, `places ${places.join(' ')}`)
    assert.deepEqual(
      box.recorder.applied.filter((id) => !id.startsWith('single')),
      [...ids(4_000), ...ids(2_000, 'later ')],
    )
    assert.ok(
      box.recorder.turns
        .filter((turn) => turn[0]?.startsWith('later'))
        .every((turn) => turn.length <= limits.turnMessagesBesideSingles),
    )
  })

  it('shares a turn with others like it, however many they are, where nothing else waits', async () => {
    const box = openAlone()
    for (const id of ids(400, 'single ')) box.single(id)
    await box.mailbox.whenIdle()
    assert.deepEqual(box.recorder.turns, [ids(400, 'single ')])
  })

  it('lets the stream go on: the turns of both take turns', async () => {
    const box = openAlone()
    for (const id of ids(5_000)) box.post(id)
    for (const id of ids(5_000, 'single ')) box.single(id)
    await box.mailbox.whenIdle()
    const kinds = box.recorder.turns.map((turn) => (turn[0]?.startsWith('single') === true ? 'single' : 'stream'))
    for (let i = 2; i < 9; i++) assert.notEqual(kinds[i], kinds[i - 1])
  })

  it('leaves those that it overtook with later times, and an id that spells the time', async () => {
    const box = openAlone()
    let micros = 100
    for (let i = 0; i < 3_000; i++) {
      box.mailbox.post(event(null, { ingested: () => {}, refused: () => assert.fail('refused') }), micros++)
    }
    box.single('s', micros++)
    await box.mailbox.whenIdle()
    assert.equal(box.times.length, 3_001)
    assert.ok(box.times.every((time, i) => i === 0 || time > (box.times[i - 1] as number)))
    const heard: string[] = []
    box.single('ahead', micros + 1)
    box.mailbox.post(event(null, { ingested: ({ eventId }) => heard.push(eventId), refused: () => {} }), micros)
    await box.mailbox.whenIdle()
    assert.deepEqual(heard, [eventIdOf(box.times.at(-1) as number)])
  })

  it('leaves those that it overtook with the settings that it had, also where another thread applies them', async () => {
    const box = openAlone()
    box.recorder.meddle = (turn, _, begin) => {
      if (!turn.includes('m0') || box.failures.length > 0) return
      begin()
      throw new Error('died')
    }
    await box.mailbox.hold()
    for (const id of ids(400)) box.post(id)
    const answered = { ingested: () => {}, refused: () => assert.fail('refused'), isAlone: true }
    box.mailbox.post({ ...event('single', answered), job: { ...job, revision: 2, status: 'STOPPED' } }, 1)
    box.mailbox.release()
    await box.mailbox.whenIdle()
    assert.deepEqual(box.recorder.applied, ['single', ...ids(400)])
    assert.deepEqual(
      box.recorder.tasks.map(({ settings }) => settings.map(({ revision }) => revision)),
      [[2], [], [2]],
    )
  })

  it('is not overtaken by an order that was posted after it', async () => {
    const box = openAlone()
    for (const id of ids(3_000)) box.post(id)
    for (const id of ids(1_500, 'single ')) box.single(id)
    box.order('delete the job')
    await box.mailbox.whenIdle()
    assert.equal(box.recorder.applied.at(-1), 'delete the job')
    assert.equal(box.recorder.applied.length, 4_501)
  })
})

describe('when a turn fails', () => {
  it('everything under way comes back first and runs again in order', async () => {
    const box = openBox()
    let deaths = 2
    box.recorder.meddle = (_, __, begin) => {
      if (deaths === 0) return
      deaths--
      begin()
      throw new Error('died')
    }
    for (const id of ids(3_000)) box.post(id)
    await box.mailbox.whenIdle()
    assert.deepEqual(box.recorder.applied, ids(3_000))
    assert.deepEqual(box.answers, ids(3_000))
    assert.ok(box.failures.length >= 2)
    assert.equal(box.refused.size, 0)
  })

  it('its messages are marked as run before; those of a turn that had not begun are not', async () => {
    const box = openBox()
    let failed = 0
    box.recorder.meddle = (_, __, begin) => {
      if (failed === 2) return
      if (failed++ === 0) begin()
      throw new Error('died')
    }
    for (const id of ids(twoTurns)) box.post(id)
    await box.mailbox.whenIdle()
    assert.deepEqual(
      box.recorder.tasks.map(({ again }) => again),
      [false, false, true, false, true, false],
    )
  })

  it('answers that come back in another order are put in order again', async () => {
    const box = openBox()
    let first: (() => void) | null = null
    const run = box.recorder.run
    const mailbox = new Mailbox({
      shard: 0,
      run: (task) => {
        if (first === null) return new Promise((_, reject) => (first = () => reject(new Error('the first'))))
        if (task.place === 2) {
          const reject = first
          return new Promise((_, rejectSecond) => {
            rejectSecond(new Error('the second'))
            setImmediate(reject)
          })
        }
        return run(task)
      },
      events: { committed: () => {}, added: () => {}, failed: () => {} },
      takeTimes: takeLaterTimes(),
    })
    for (const id of ids(twoTurns)) mailbox.post(event(id, nobody), 1)
    await mailbox.whenIdle()
    assert.deepEqual(box.recorder.applied, ids(twoTurns))
  })

  it('a message that lets every turn fail is found and refused alone', async () => {
    const box = openBox()
    const poison = new Set(['m7', 'm600', 'm1999'])
    box.recorder.meddle = (turn, _, begin) => {
      begin()
      if (turn.some((id) => poison.has(id))) throw new Error('a bug')
    }
    for (const id of ids(2_500)) box.post(id)
    await box.mailbox.whenIdle()
    assert.deepEqual(
      [...box.refused],
      [...poison].map((id) => [id, 'turn_failed']),
    )
    assert.deepEqual(
      box.recorder.applied,
      ids(2_500).filter((id) => !poison.has(id)),
    )
    assert.deepEqual(box.answers, ids(2_500))
    assert.equal(box.mailbox.length, 0)
  })

  it('messages that run alone take memory of their own size, and hand none on', async () => {
    const box = openBox()
    const sizes = new Map<number, number[]>([
      [1, []],
      [900, []],
      [2, []],
    ])
    let fails = true
    box.recorder.meddle = (turn, task, begin) => {
      sizes.get(task.count)?.push(task.memory.byteLength)
      begin()
      if (fails && turn.length > 1) throw new Error('a bug')
    }
    for (const id of ids(900)) box.post(id)
    await box.mailbox.whenIdle()
    fails = false
    for (const id of ['after', 'all']) box.post(id)
    await box.mailbox.whenIdle()
    assert.equal(sizes.get(1)!.length, 900)
    assert.ok(sizes.get(1)!.every((bytes) => bytes < 100))
    assert.deepEqual([new Set(sizes.get(900)), sizes.get(2)], [new Set([limits.turnBytesMax]), [limits.turnBytesMax]])
  })

  it('a turn that never began is not to blame, however often its thread dies', async () => {
    const box = openBox()
    let deaths = 50
    box.recorder.meddle = () => {
      if (deaths-- > 0) throw new Error('another shard killed the thread')
    }
    for (const id of ids(10)) box.post(id)
    await box.mailbox.whenIdle()
    assert.equal(box.refused.size, 0)
    assert.deepEqual(box.recorder.applied, ids(10))
  })

  it('in any way at any time, every message is answered once, in order', async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const random = new SeededRandom(seed)
      const box = openBox()
      const poison = new Set(ids(400).filter(() => random.below(100) === 0))
      box.recorder.meddle = (turn, _, begin) => {
        if (random.below(10) === 0) throw new Error('died before it began')
        begin()
        if (turn.some((id) => poison.has(id))) throw new Error('a bug')
      }
      for (const id of ids(400)) {
        box.post(id)
        if (random.below(20) === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      await box.mailbox.whenIdle()
      assert.deepEqual(box.answers, ids(400), `seed ${seed}`)
      assert.deepEqual([...box.refused.keys()], [...poison], `seed ${seed}`)
      assert.deepEqual(
        box.recorder.applied,
        ids(400).filter((id) => !poison.has(id)),
        `seed ${seed}`,
      )
    }
  })
})

describe('a message that somebody follows', () => {
  it('tells when its turn ran, once, before its receiver is told, also where the turn had to run again', async () => {
    const { recorder, mailbox } = openBox()
    let failed = false
    recorder.meddle = (_, __, begin) => {
      if (failed) return
      failed = true
      begin()
      throw new Error('the thread died')
    }
    const heard: string[] = []
    const receiver = { ingested: () => void heard.push('answer'), refused: () => assert.fail('refused') }
    const trace = {
      ran: (postedMs: number, { messages, startedMs, finishedMs }: TurnTimes) => {
        assert.ok(messages === 2 && startedMs >= postedMs - 1 && finishedMs >= startedMs)
        heard.push('ran')
      },
    }
    mailbox.post(event('followed', { ...receiver, trace }), 1)
    mailbox.post(event('not followed', { ...receiver, trace: null }), 2)
    await mailbox.whenIdle()
    mailbox.post(event('later', receiver), 3)
    await mailbox.whenIdle()
    assert.deepEqual(heard, ['ran', 'answer', 'answer', 'answer'])
    assert.deepEqual(
      recorder.tasks.map(({ traced }) => traced),
      [true, true, false],
    )
  })
})

describe('a turn that another thread commits', () => {
  const waitUntil = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
  }

  it('is one of many messages that others follow, and runs for the first time', async () => {
    const box = openBox()
    for (const id of ids(limits.turnFollowsMin + 1)) box.post(id)
    await box.mailbox.whenIdle()
    let fails = 1
    box.recorder.meddle = () => {
      if (fails-- === 1) throw new Error('died')
    }
    for (const id of ids(4_000)) box.post(id)
    await box.mailbox.whenIdle()
    assert.deepEqual(
      box.recorder.tasks.map(({ count, handsOver }) => [count, handsOver]),
      [
        [limits.turnFollowsMin + 1, false],
        [1024, true],
        [1024, true],
        [1024, false],
        [1024, false],
        [1024, true],
        [928, false],
      ],
    )
  })

  it('leaves the thread to the next one, whose answers wait for its own', async () => {
    const box = openBox()
    const commits: (() => void)[] = []
    box.recorder.commit = () => new Promise((resolve) => commits.push(() => resolve({ extras: [] })))
    for (const id of ids(twoTurns)) box.post(id)
    await waitUntil(() => box.recorder.turns.length === 2)
    for (let round = 0; round < 5; round++) await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual([box.answers, commits.length], [[], 1])
    commits[0]?.()
    await box.mailbox.whenIdle()
    assert.deepEqual(box.answers, ids(twoTurns))
  })

  for (const [when, rounds] of [
    ['while the next is decided', 0],
    ['behind it', 20],
  ] as const) {
    it(`and that has no room, as is said ${when}, is refused, and what was decided behind it runs again, from what is committed`, async () => {
      const box = openBox()
      const full = { type: 'refusal', code: 'store_full', message: 'full', context: {} } as const
      box.recorder.commit = async (task) => {
        for (let round = 0; round < rounds; round++) await new Promise((resolve) => setImmediate(resolve))
        return task.place === 1 ? { ...refuseTurn(task, full), beginsAnew: true } : { extras: [] }
      }
      box.recorder.meddle = (_, { place }) => {
        if (place === 2) throw new TurnOutOfPlace()
      }
      const all = ids(3.5 * limits.turnMessagesMax)
      for (const id of all) box.post(id)
      await box.mailbox.whenIdle()
      const [refused, stored] = [all.slice(0, limits.turnMessagesMax), all.slice(limits.turnMessagesMax)]
      assert.deepEqual(
        [...box.refused],
        refused.map((id) => [id, 'store_full']),
      )
      assert.deepEqual(box.recorder.applied, [...refused, ...stored])
      assert.deepEqual(box.answers, [...refused, ...stored])
      assert.deepEqual(
        box.recorder.tasks.map(({ opens }) => opens),
        [true, false, false, true, false, false],
      )
    })
  }

  it('and that has no room is followed by none while another one of before is decided', async () => {
    const box = openBox()
    box.recorder.commit = async (task) => ({
      ...refuseTurn(task, { type: 'refusal', code: 'store_full', message: 'full', context: {} }),
      beginsAnew: true,
    })
    box.recorder.meddle = (_, { place }) => {
      if (place === 2) throw new TurnOutOfPlace()
    }
    box.recorder.rounds = ({ place }) => (place === 2 ? 20 : 3)
    for (const id of ids(2 * limits.turnMessagesMax)) box.post(id)
    await waitUntil(() => box.refused.size > 0)
    for (const id of ids(limits.turnFollowsMin + 1, 'later ')) box.post(id)
    await box.mailbox.whenIdle()
    assert.deepEqual(box.recorder.applied, [
      ...ids(2 * limits.turnMessagesMax),
      ...ids(limits.turnFollowsMin + 1, 'later '),
    ])
  })
})
