import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundLimits } from '../../../../server/routes/bulk/round-limits.js'
import { workOf, type RoundShare } from '../../../../server/routes/bulk/round-share.js'
import { ThreadRounds } from '../../../../server/routes/bulk/thread-rounds.js'

const MIB = 1024 * 1024

const nextRound = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A stream that takes all lines that it may, and never has enough. */
function greedy(
  rounds: ThreadRounds,
  owner: string,
): { readonly share: RoundShare; lines: number; reads: number; rests: number } {
  const stream = { lines: 0, reads: 0, rests: 0, share: null as unknown as RoundShare }
  const take = (): void => {
    for (; stream.share.linesLeft > 0; stream.share.spend(1)) stream.lines++
    stream.share.waitToTake()
  }
  stream.share = rounds.join(owner, { take, read: () => void stream.reads++, rest: () => void stream.rests++ })
  return stream
}

test('a stream takes a bounded number of lines in a round, and all streams together do', async () => {
  const rounds = new ThreadRounds(() => {})
  const one = greedy(rounds, 'a')
  one.share.taker.take()
  assert.equal(one.lines, roundLimits.shareLinesMax)
  const others = Array.from({ length: 20 }, () => greedy(rounds, 'a'))
  for (const { share } of others) share.taker.take()
  const sum = (): number => [one, ...others].reduce((lines, stream) => lines + stream.lines, 0)
  assert.equal(sum(), roundLimits.linesMax)
  await nextRound()
  assert.equal(sum(), 2 * roundLimits.linesMax)
  for (const { share } of [one, ...others]) share.leave()
})

test('callers get the same, however many streams they have', async () => {
  const rounds = new ThreadRounds(() => {})
  const many = Array.from({ length: 64 }, () => greedy(rounds, 'a'))
  const single = greedy(rounds, 'b')
  for (const { share } of [...many, single]) share.waitToTake()
  const count = 12
  for (let i = 0; i < count; i++) await nextRound()
  assert.equal(single.lines, count * roundLimits.shareLinesMax)
  const all = many.map(({ lines }) => lines)
  assert.ok(Math.max(...all) - Math.min(...all) <= roundLimits.shareLinesMax, 'so do the streams of one caller')
  for (const { share } of [...many, single]) share.leave()
})

test('a large line counts as several', () => {
  const rounds = new ThreadRounds(() => {})
  const { share } = greedy(rounds, 'a')
  let lines = 0
  for (; share.linesLeft > 0; share.spend(workOf(MIB))) lines++
  assert.equal(lines, 4)
})

test('of the streams that bring much one is read in a round', async () => {
  const rounds = new ThreadRounds(() => {})
  const streams = Array.from({ length: 3 }, () => greedy(rounds, 'a'))
  for (const { share } of streams) {
    assert.ok(share.arrived(MIB))
    share.waitToRead()
  }
  const order: number[] = []
  for (let i = 0; i < 4; i++) {
    const before = streams.map(({ reads }) => reads)
    await nextRound()
    const read = streams.flatMap(({ reads }, at) => (reads > (before[at] as number) ? [at] : []))
    assert.ok(read.length <= 1)
    order.push(...read)
    if (order.length === 2) streams[2]!.share.withdrawRead()
  }
  assert.deepEqual(order, [0, 1])
})

test('while much of a caller waits, only those of his streams are read that bring little', async () => {
  const rounds = new ThreadRounds(() => {})
  const [much, little, other] = [greedy(rounds, 'a'), greedy(rounds, 'a'), greedy(rounds, 'b')]
  other.share.arrived(MIB)
  much.share.arrived(MIB)
  little.share.arrived(1_000)
  much.share.held.take(roundLimits.callerHeldToReadMax + 1)
  other.share.waitToRead()
  much.share.waitToRead()
  little.share.waitToRead()
  await nextRound()
  await nextRound()
  assert.deepEqual([much.reads, little.reads, other.reads], [0, 1, 1])
  assert.ok(little.share.mayBegin)
  much.share.held.take(roundLimits.littleHeldToReadMax - roundLimits.callerHeldToReadMax)
  assert.ok(!little.share.mayBegin && other.share.mayBegin)
  little.share.waitToRead()
  await nextRound()
  await nextRound()
  assert.deepEqual([much.reads, little.reads], [0, 1])
  much.share.held.giveBack(much.share.held.held)
  assert.equal(rounds.held.held, 0)
  await nextRound()
  assert.deepEqual([much.reads, little.reads], [1, 2])
})

test('a round that has brought much is the last of all streams, until their rounds come', async () => {
  const rounds = new ThreadRounds(() => {})
  const [much, other] = [greedy(rounds, 'a'), greedy(rounds, 'b')]
  assert.ok(other.share.arrived(1_000))
  assert.ok(much.share.arrived(roundLimits.bytesMax))
  assert.ok(much.share.arrived(1_000))
  assert.deepEqual([much.rests, other.rests], [1, 1])
  await nextRound()
  assert.ok(much.share.arrived(1_000))
  assert.deepEqual([much.rests, other.rests], [1, 1])
})

test('a stream brings a bounded number of bytes, or of pieces, in a round', async () => {
  const rounds = new ThreadRounds(() => {})
  const { share } = greedy(rounds, 'a')
  for (let i = 0; i < 90; i++) assert.ok(share.arrived(MIB))
  assert.ok(!share.arrived(10 * MIB))
  await nextRound()
  assert.ok(share.arrived(MIB))
  await nextRound()
  let pieces = 0
  while (share.arrived(1)) pieces++
  assert.ok(pieces > 100_000 && pieces < 150_000, `${pieces}`)
})

test('there is room for what a stream brings that is let read', () => {
  const { heldToReadMax, burstBytesMax, heldBytesMax, littleHeldToReadMax, callerHeldBytesMax } = roundLimits
  assert.ok(heldToReadMax + burstBytesMax < heldBytesMax)
  assert.ok(littleHeldToReadMax + burstBytesMax < callerHeldBytesMax)
})

test('connections that are closed at nearly the same time are reported once', () => {
  const reported: string[] = []
  const rounds = new ThreadRounds((owner) => reported.push(owner))
  for (let i = 0; i < 100; i++) greedy(rounds, 'a').share.cut()
  assert.deepEqual(reported, ['a'])
})
