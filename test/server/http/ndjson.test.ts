import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HeldBytes } from '../../../server/http/held-bytes.js'
import { LineSplitter, tooLong } from '../../../server/http/ndjson.js'

type Line = string | 'TOO LONG' | 'NO ROOM'

/** Feeds chunks whose memory is overwritten afterwards, as native code does, and takes lines as `take` says. */
function split(chunks: readonly string[], bytesMax = 100, take: () => boolean = () => true, room?: HeldBytes): Line[] {
  const splitter = new LineSplitter(bytesMax, room)
  const lines: Line[] = []
  const drain = (always: boolean): void => {
    while (always || take()) {
      const line = splitter.next()
      if (line === null) return
      lines.push(line === tooLong ? 'TOO LONG' : typeof line === 'symbol' ? 'NO ROOM' : line.toString('utf8'))
    }
  }
  for (const chunk of chunks) {
    const bytes = Buffer.from(chunk)
    splitter.feed(bytes)
    drain(false)
    splitter.keep()
    bytes.fill(0x58)
  }
  splitter.end()
  drain(true)
  assert.ok(splitter.done)
  return lines
}

test('a line that there is no room to hold is told, and harms no other', () => {
  const room = new HeldBytes(5_000)
  assert.deepEqual(split(['a\n', 'b'.repeat(4_000), 'b'.repeat(3_000), 'b\nc\nd', 'd\n'], 10_000, undefined, room), [
    'a',
    'NO ROOM',
    'c',
    'dd',
  ])
  assert.ok(room.take(5_000), 'nothing is held any more')
})

test('a byte order mark before the first line is dropped, wherever the chunks end', () => {
  const bytes = ['\ufeff{"a":1}\n\ufeff{"b":2}\n']
  assert.deepEqual(split(bytes), ['{"a":1}', '\ufeff{"b":2}'])
  assert.deepEqual(split(['\ufeff', '\n', 'a']), ['a'])
  assert.deepEqual(split(['\ufeff{"a"', ':1}']), ['{"a":1}'])
})

test('blank lines are passed by, wherever the chunks end, and none of them is the first line', () => {
  const bytes = Buffer.from('\n \r\n\ufeff{"a":1}\n\n\t\n  {"b":2}\n\r\n\n')
  for (let size = 6; size <= bytes.length; size++) {
    const chunks: string[] = []
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.toString('utf8', at, at + size))
    if (chunks.join('') !== bytes.toString()) continue
    assert.deepEqual(split(chunks), ['{"a":1}', '  {"b":2}'], `chunks of ${size}`)
  }
})

test('lines come out whole, wherever the chunks end', () => {
  const text = '{"a":1}\n{"b":2}\n{"c":"äöü"}\n'
  for (let size = 1; size <= text.length; size++) {
    const bytes = Buffer.from(text)
    const chunks: string[] = []
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size).toString('latin1'))
    const latin = split(chunks).map((line) => Buffer.from(line, 'utf8').toString('utf8'))
    assert.equal(latin.length, 3, `chunks of ${size}`)
    assert.equal(latin[0], '{"a":1}')
    assert.equal(latin[1], '{"b":2}')
  }
})

test('the last line needs no end', () => {
  assert.deepEqual(split(['a\nb']), ['a', 'b'])
  assert.deepEqual(split(['a\nb\n']), ['a', 'b'])
})

test('carriage returns and blank lines do not come out', () => {
  assert.deepEqual(split(['a\r\n\r\n  \t\n\nb\r', '\n\r\n']), ['a', 'b'])
})

test('an empty stream has no lines', () => {
  assert.deepEqual(split([]), [])
  assert.deepEqual(split(['', '\n', '']), [])
})

test('a line over the bound is told once, and the next one comes whole', () => {
  const long = 'x'.repeat(50)
  assert.deepEqual(split([`a\n${long}\nb`], 10), ['a', 'TOO LONG', 'b'])
  assert.deepEqual(split(['a\nxxx', 'xxxxxx', 'xxxxxx', 'xx\nb\n'], 10), ['a', 'TOO LONG', 'b'])
  assert.deepEqual(split([long], 10), ['TOO LONG'])
  assert.deepEqual(split([`${'y'.repeat(10)}\n${'y'.repeat(11)}\n`], 10), ['y'.repeat(10), 'TOO LONG'])
})

test('lines that are not taken at once are kept, whatever becomes of the memory', () => {
  for (let seed = 1; seed <= 300; seed++) {
    let state = seed
    const random = (): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31
    const wanted = Array.from({ length: 30 }, (_, i) => `line ${i} ${'z'.repeat(Math.floor(random() * 20))}`)
    const text = wanted.join('\n')
    const chunks: string[] = []
    for (let at = 0; at < text.length; ) {
      const size = 1 + Math.floor(random() * 40)
      chunks.push(text.slice(at, at + size))
      at += size
    }
    assert.deepEqual(
      split(chunks, 100, () => random() < 0.6),
      wanted,
      `seed ${seed}`,
    )
  }
})

test('a splitter that is cleared is done', () => {
  const splitter = new LineSplitter(10)
  splitter.feed(Buffer.from('a\nbcd'))
  splitter.clear()
  assert.ok(splitter.done)
  assert.equal(splitter.next(), null)
})
