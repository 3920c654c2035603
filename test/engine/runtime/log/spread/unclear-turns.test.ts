/** Looking for messages in a log, and when nobody appends them any more. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { markMessages } from '../../../../../engine/actor/log/message-marks.js'
import { writeMessage, type MessageContent } from '../../../../../engine/actor/message.js'
import { FileLog } from '../../../../../engine/runtime/log/file-log.js'
import { Begins, timesInLog, withUnknownAnswers } from '../../../../../engine/runtime/log/spread/unclear-turns.js'
import { encodeBegin, encodeTurn } from '../../../../../engine/runtime/log/turn-record.js'
import { afterwards } from '../../../../support/afterwards.js'
import { temporaryDirectory } from '../../../../support/engine/files.js'

const WRITER = '00000000000000a1'
const eventOf = (text: string, mark?: number): MessageContent => ({
  job: { id: 1 },
  kind: 'ingest',
  eventId: null,
  idInBody: false,
  body: Buffer.from(text),
  mark,
})

/** A turn of these messages, the first at this time. */
function turnOf(messages: readonly MessageContent[], micros: number) {
  const memory = new SharedArrayBuffer(1024)
  let at = 0
  for (const [i, message] of messages.entries()) at = writeMessage(Buffer.from(memory), at, message, micros + i)
  return { memory, count: messages.length, settings: [] }
}

async function logOf(test: TestContext, ...turns: ReturnType<typeof turnOf>[]): Promise<FileLog> {
  const log = new FileLog(join(temporaryDirectory(test), 'log'))
  afterwards(test, () => log.close())
  await log.append(encodeBegin(WRITER), 0)
  for (const [at, turn] of turns.entries()) await log.append(encodeTurn(turn, WRITER), at + 1)
  return log
}

describe('messages of a turn', () => {
  it('are found in a log by their marks and bytes, under the times that they have there', async (test) => {
    const log = await logOf(
      test,
      turnOf([eventOf('other', 7), eventOf('one', 1)], 100),
      turnOf([eventOf('two', 2), eventOf('none')], 200),
    )
    const turn = turnOf([eventOf('two', 2), eventOf('one', 1), eventOf('three', 3), eventOf('seven', 7)], 900)
    assert.deepEqual(await timesInLog(log, turn, 0, 3), [200, 101, 0, 0])
    assert.deepEqual(await timesInLog(log, turn, 2, 3), [200, 0, 0, 0])
    assert.deepEqual(await timesInLog(log, turn, 0, 2), [0, 101, 0, 0])
    assert.deepEqual(await timesInLog(log, turn, 3, 3), [0, 0, 0, 0])
  })

  it('are not found without a mark, or with one where the log has none', async (test) => {
    const log = await logOf(test, turnOf([eventOf('one')], 100))
    assert.deepEqual(await timesInLog(log, turnOf([eventOf('one')], 900), 0, 2), [0])
    assert.deepEqual(await timesInLog(log, turnOf([eventOf('one', 0)], 900), 0, 2), [0])
  })

  it('keep the mark that they came with, and get one where they have none', async (test) => {
    const turn = turnOf([eventOf('one', 0), eventOf('two')], 100)
    let next = 40
    for (let i = 0; i < 2; i++) markMessages(Buffer.from(turn.memory), 2, () => next++)
    assert.equal(next, 41)
    const log = await logOf(test, turn)
    assert.deepEqual(await timesInLog(log, turnOf([eventOf('two', 40), eventOf('one', 0)], 900), 0, 2), [101, 100])
  })
})

describe('the begins of a log', () => {
  const never = new AbortController().signal

  it('end a turn that came before them, by the time of owning the shard or by the record', () => {
    const begins = new Begins()
    begins.saw(5, 10)
    assert.equal(begins.isPast({ behind: 0, since: 9 }), true)
    assert.equal(begins.isPast({ behind: 0, since: 10 }), false)
    assert.equal(begins.isPast({ behind: 0, begun: 4 }), true)
    assert.equal(begins.isPast({ behind: 0, begun: 5 }), false)
    // A process that is gone has begun late.
    begins.saw(6, 3)
    assert.equal(begins.isPast({ behind: 0, since: 10 }), false)
    begins.saw(7, null)
    assert.equal(begins.isPast({ behind: 0, since: 10 }), false)
    assert.equal(begins.isPast({ behind: 0, begun: 6 }), true)
  })

  it('are waited for, until the shard is about to change its owner, or too long', async () => {
    const begins = new Begins()
    const past = begins.past({ behind: 0, since: 1 }, 60_000, never)
    begins.saw(1, 1)
    begins.saw(2, 2)
    assert.equal(await past, true)
    const ending = new AbortController()
    const ended = begins.past({ behind: 0, since: 9 }, 60_000, ending.signal)
    ending.abort()
    assert.equal(await ended, false)
    assert.equal(await begins.past({ behind: 0, since: 9 }, 1, never), false)
  })
})

describe('the answer to a message that the log has', () => {
  it('is 503 where it is not known any more, and otherwise as it is', () => {
    const refused = (code: string) => ({ type: 'refusal', code, message: 'm', context: {} }) as const
    const known = [refused('unknown_label'), { type: 'result', result: 1 }] as const
    const { extras, turnedAway } = withUnknownAnswers({ extras: [...known, refused('turn_failed')], turnedAway: true })
    assert.deepEqual(extras.slice(0, 2), known)
    assert.equal((extras[2] as { code: string }).code, 'log_unavailable')
    assert.equal(turnedAway, true)
  })
})

it('a begin that never comes is given up when the time is over, whatever other clocks say', async (test) => {
  test.mock.method(performance, 'now', () => 0)
  const { signal } = new AbortController()
  assert.equal(await new Begins().past({ behind: 0, since: 1 }, 5, signal), false)
})
