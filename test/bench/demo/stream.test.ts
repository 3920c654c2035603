import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { BadOption, parseOptions, type DemoOptions } from '../../../bench/demo/options.js'
import { fileStream, generatedStream, threeLabels, type DemoStream } from '../../../bench/demo/stream.js'

const directory = mkdtempSync(join(tmpdir(), 'demo-stream-'))
after(() => rmSync(directory, { recursive: true }))

let files = 0

function written(lines: readonly unknown[], gzip = false): string {
  const file = join(directory, `${files++}.jsonl`)
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
  writeFileSync(file, gzip ? gzipSync(text) : text)
  return file
}

function read(file: string, ...more: string[]): DemoStream {
  const options = parseOptions(['--file', file, '--label', 'label', '--points', 'a.b', ...more])
  return fileStream(options as DemoOptions & { kind: 'file' })
}

function refused(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    assert.ok(error instanceof BadOption, String(error))
    return error.message
  }
  return assert.fail('nothing was refused')
}

const names = ['x', 'x', 'y', 'x', 'z']
const lines = Array.from({ length: 200 }, (_, i) => ({ event: { a: { b: i } }, label: names[i % 5] }))

test('the object at "event" is the event, and the labels come in order of how common they are', () => {
  const stream = read(written(lines))
  assert.deepEqual(stream.labels, ['x', 'y', 'z'])
  assert.equal(stream.events.length, 200)
  assert.deepEqual(stream.events[2], { json: '{"a":{"b":2}}', truth: 1 })
})

test("a gzip'd file reads like a plain one", () => {
  assert.deepEqual(read(written(lines, true)).events, read(written(lines)).events)
})

test('without an object at "event" the whole line is the event', () => {
  const flat = lines.map(({ event, label }) => ({ ...event, label }))
  assert.equal(read(written(flat)).events[0]?.json, '{"a":{"b":0},"label":"x"}')
})

test('the event may be elsewhere, and a line without it is refused by its number', () => {
  const deep = lines.map(({ event, label }) => ({ data: { alert: event }, label }))
  assert.equal(read(written(deep), '--event', 'data.alert').events[0]?.json, '{"a":{"b":0}}')
  const wrong = refused(() => read(written(deep), '--event', 'data.other'))
  assert.match(wrong, /^Line 1 of .* has no object at "data\.other"\.$/)
})

test('of more than three labels the rarest are merged, and the remarks say so', () => {
  const four = lines.map((line, i) => (i === 9 ? { ...line, label: 'rare' } : line))
  const stream = read(written(four))
  assert.deepEqual(stream.labels, ['x', 'y', 'other'])
  assert.equal(stream.events[9]?.truth, 2)
  assert.ok(
    stream.remarks.some((remark) => /z, rare became "other"/.test(remark)),
    stream.remarks.join(' '),
  )
})

test('two labels are filled up to three with distinct names', () => {
  assert.deepEqual(
    threeLabels(
      new Map([
        ['yes', 5],
        ['no', 2],
      ]),
    ).labels,
    ['yes', 'no', 'other'],
  )
  assert.deepEqual(
    threeLabels(
      new Map([
        ['other', 5],
        ['no', 2],
      ]),
    ).labels,
    ['other', 'no', 'unused'],
  )
  assert.equal(
    new Set(
      threeLabels(
        new Map([
          ['other', 9],
          ['a', 8],
          ['b', 1],
          ['c', 1],
        ]),
      ).labels,
    ).size,
    3,
  )
})

test('a file that does not fit is refused with a sentence', () => {
  assert.match(
    refused(() => read(join(directory, 'none'))),
    /cannot be read\.$/,
  )
  assert.match(
    refused(() => read(written(['{"a":', ...lines]))),
    /^Line 1 of .* is not JSON\.$/,
  )
  const noLabel = [...lines, { event: { a: { b: 1 } } }]
  assert.match(
    refused(() => read(written(noLabel))),
    /^Line 201 of .* has no label at "label"\.$/,
  )
  assert.match(
    refused(() => read(written(lines.slice(0, 20)))),
    /at least 100\.$/,
  )
  assert.match(
    refused(() => read(written(lines.map((line) => ({ ...line, label: 'x' }))))),
    /nothing to learn\.$/,
  )
  const other = parseOptions(['--file', written(lines), '--label', 'label', '--points', 'a.b,q'])
  const wrong = refused(() => fileStream(other as DemoOptions & { kind: 'file' }))
  assert.match(wrong, /has anything at the decision point "q"\.$/)
})

test('the generated stream is the same for a seed', () => {
  assert.deepEqual(generatedStream(3, 1_000).events, generatedStream(3, 1_000).events)
})
