import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CsvReader, separatorOf } from '../../../../../engine/domain/event/input/csv.js'
import {
  EventFile,
  eventsOfFile,
  type FileItem,
  type FileOptions,
} from '../../../../../engine/domain/event/input/event-file.js'
import { writeJson } from '../../../../../engine/domain/event/json.js'
import { csvCases, plain } from '../../../../support/csv-cases.js'

/** Items of a file that comes in pieces of so many bytes. */
function itemsOf(bytes: Uint8Array, size: number, options: FileOptions = {}): [FileItem[], EventFile] {
  const file = new EventFile(options)
  const items: FileItem[] = []
  for (let at = 0; at < bytes.length; at += size) items.push(...file.push(bytes.subarray(at, at + size), false))
  items.push(...file.push(new Uint8Array(0), true))
  return [items, file]
}

function bodies(items: readonly FileItem[]): unknown[] {
  return items.flatMap((item) => (item.problem === null ? [JSON.parse(writeJson(item.body()))] : []))
}

function badLines(items: readonly FileItem[]): number[] {
  return items.flatMap(({ problem, line }) => (problem === null ? [] : [line]))
}

function read(text: string | Uint8Array, options?: FileOptions) {
  return itemsOf(Buffer.from(text as string), 7, options)
}

for (const { name, text, events, bad = [] } of csvCases)
  test(`CSV: ${name}`, () => {
    const bytes = Buffer.from(text)
    for (let size = 1; size <= bytes.length; size++) {
      const [items, file] = itemsOf(bytes, size)
      assert.equal(file.format, 'csv')
      assert.deepEqual(bodies(items), plain(events), `pieces of ${size}`)
      assert.deepEqual(badLines(items), bad, `pieces of ${size}`)
    }
    assert.deepEqual(bodies(eventsOfFile(bytes, 100).events), plain(events))
    assert.equal(({} as { x?: unknown }).x, undefined)
  })

const [a, b] = [{ rule: 'a', n: 1 }, { rule: 'b' }]
const [textA, textB] = [JSON.stringify(a), JSON.stringify(b)]
const listed = {
  job_id: 3,
  event_id: 'e-1',
  ingest_timestamp: '2026-01-01T00:00:00Z',
  '@timestamp': '2025-12-31T00:00:00Z',
}

const jsonCases: readonly (readonly [string, string, readonly unknown[], (readonly number[])?])[] = [
  ['lines, with blank ones and broken ones', `\uFEFF${textA}\n\nno event\n${textB}\r\n`, [a, b], [3]],
  ['lines below one that is none', `begin\n${textA}\n${textB}`, [a, b], [1]],
  [
    'documents without anything between them, with NUL, with marks',
    `${textA}${textB}\0${textA}\uFEFF${textB}`,
    [a, b, a, b],
  ],
  ['documents of several lines', `${JSON.stringify(a, null, 2)}\n${JSON.stringify(b, null, 2)}`, [a, b]],
  ['a list', JSON.stringify([a, b]), [a, b]],
  ['a list that breaks off', `[${textA},\n${textB},\n{"rule"`, [a, b], [3]],
  ['what is no object', `[${textA},7,null,["x"]]`, [a, { message: 7 }, { message: null }, { message: ['x'] }]],
  ['a document that holds a list', JSON.stringify({ events: [a, 1, b] }), [a, { message: 1 }, b]],
  ['an answer of a search engine', JSON.stringify({ hits: { hits: [{ _source: a }, { _source: b }] } }), [a, b]],
  ['documents that have lists', '{"data":[1]}\n{"data":[2]}', [{ data: [1] }, { data: [2] }]],
  ['lines of this service', `{"job_id":7,"raw_body":${textA}}\n{"raw_body":${textB},"event_id":5}`, [a, b]],
  ['an export with events', JSON.stringify({ ...listed, decision_points: { n: 1 }, raw_body: a }), [a]],
  [
    'an export with decision points',
    JSON.stringify({ ...listed, title: 'T', severity: null, decision_points: { 'rule.id': 1, rule: null } }),
    [{ '@timestamp': listed['@timestamp'], title: 'T', 'rule.id': 1, rule: null }],
  ],
]

for (const [name, text, events, bad = []] of jsonCases)
  test(`JSON: ${name}`, () => {
    const bytes = Buffer.from(text)
    for (let size = 1; size <= bytes.length; size++) {
      const [items] = itemsOf(bytes, size)
      assert.deepEqual([bodies(items), badLines(items)], [plain(events), bad], `pieces of ${size}`)
    }
  })

test('events have the ids and what else the file gives them', () => {
  const lines = [
    { event_id: 'x', job_id: 4, title: 'T', severity: 3, raw_body: a },
    { ...listed, decision_points: {} },
    { event_id: 'y' },
  ]
  const [items] = read(lines.map((line) => JSON.stringify(line)).join('\n'))
  assert.deepEqual(
    items.map((item) => item.problem === null && [item.kind, item.id, item.jobId, item.beside]),
    [
      ['line', 'x', 4, { title: 'T', severity: 3 }],
      ['export', 'e-1', 3, {}],
      ['event', undefined, undefined, {}],
    ],
  )
})

test('numbers keep their digits', () => {
  const line = '{"id":9007199254740993,"v":1.0,"raw_body":{"n":1e3}}'
  for (const text of [line, `{"events":[${line}]}`]) {
    const [item] = read(text)[0]
    assert.equal(item?.problem === null && writeJson(item.body()), '{"n":1e3}')
  }
  const [item] = read(`{"a":1}\n{"id":9007199254740993}`)[0].slice(1)
  assert.equal(item?.problem === null && writeJson(item.body()), '{"id":9007199254740993}')
})

const german = 'rule,user\n1,Müller\n2,Jörg €\n3,x\n'
/** Windows-1252 has the euro sign where latin1 has none. */
const windows = Buffer.from(german.replace('€', '\x80'), 'latin1')
const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16()

for (const [name, bytes, warning] of [
  ['UTF-8', Buffer.from(german), []],
  ['Windows-1252', windows, [['charset', 2, '1,Müller']]],
  ['UTF-16 with a mark', Buffer.from(`\uFEFF${german}`, 'utf16le'), []],
  ['UTF-16 of the other order', swapped(Buffer.from(`\uFEFF${german}`, 'utf16le')), []],
  ['UTF-16 without a mark', Buffer.from(german, 'utf16le'), []],
] as const)
  test(`CSV in ${name} has its letters`, () => {
    for (const size of [3, bytes.length]) {
      const [items, file] = itemsOf(bytes, size)
      assert.deepEqual(bodies(items), [
        { rule: 1, user: 'Müller' },
        { rule: 2, user: 'Jörg €' },
        { rule: 3, user: 'x' },
      ])
      assert.deepEqual(
        file.warnings().map(({ type, count, example }) => [type, count, example]),
        warning,
      )
    }
  })

test('a letter that is cut off in UTF-8 does not make it Windows-1252', () => {
  const [items, file] = itemsOf(
    Buffer.concat([Buffer.from('a\nMüller Jörg\nM'), Buffer.from([0xc3]), Buffer.from('\n')]),
    99,
  )
  assert.deepEqual(bodies(items), [{ a: 'Müller Jörg' }, { a: 'M\ufffd' }])
  assert.deepEqual(
    file.warnings().map(({ type, count }) => [type, count]),
    [['invalid_utf8', 1]],
  )
})

test('what is odd is told with a count and the first example', () => {
  const [, csv] = read('a,a,,b\n1,2,3,4\n1,2,4,4,5\n"')
  assert.deepEqual(
    csv.warnings().map(({ type, count, example }) => [type, count, example]),
    [
      ['broken_part', 2, 'line 3: 1,2,4,4,5'],
      ['same_name', 1, 'a_2'],
      ['no_name', 1, '3'],
    ],
  )
  const bad = Buffer.concat([Buffer.from('{"a":1}\n{"user":"M'), Buffer.from([0xfc]), Buffer.from('"}\n7\n{"a":}\n')])
  const [, json] = itemsOf(bad, 9)
  assert.deepEqual(
    json.warnings().map(({ type, count, example }) => [type, count, example]),
    [
      ['invalid_utf8', 1, '{"user":"M\ufffd"}'],
      ['broken_part', 1, 'line 4: {"a":}'],
      ['odd_item', 1, '7'],
    ],
  )
  for (const { msg, action } of [...csv.warnings(), ...json.warnings()]) assert.match(`${msg} ${action}`, /^\d.*\.$/)
})

for (const [name, text, told] of [
  ['a first document', '{"a":{"b":1,"b":2}}\n{"a":3}', ['a.b: 1, 2']],
  ['a document that is only cut out', '{"a":3}\n{"a":"x","a":null}', ['a: "x", null']],
  ['an item of a list', '[{"a":3},{"a":1,"a":2}]', ['a: 1, 2']],
  ['a document that holds a list', '{"events":[{"a":3},{"a":1,"a":2}]}', ['a: 1, 2']],
  ['a hit', '{"_source":{"a":1,"a":2}}\n{"_source":{"a":3,"a":3}}', ['_source.a: 1, 2']],
] as const)
  test(`a key that is given twice is told where the body is taken: ${name}`, () => {
    const [items, file] = read(text)
    for (const item of items) if (item.problem === null) item.body(true)
    assert.deepEqual(file.warnings(), [])
    // Taken twice, it is told once.
    for (const item of [...items, ...items]) if (item.problem === null) item.body()
    assert.deepEqual(
      file.warnings().map(({ type, count, example }) => [type, count, example]),
      told.map((example) => ['repeated_key', 1, example]),
    )
  })

test('the name of a file, or the caller, says what it is where its content does not', () => {
  assert.equal(read('no json\n', { name: 'x.ndjson' })[1].format, 'ndjson')
  assert.equal(read('no json\n{}', { format: 'ndjson' })[1].format, 'ndjson')
  assert.equal(read('{"a"\n1', { format: 'csv' })[1].format, 'csv')
  assert.deepEqual(bodies(read('a,b:c\n1,2:3', { separator: ':' })[0]), [{ 'a,b': '1,2', c: 3 }])
  assert.deepEqual(bodies(read('v\n1', { isText: true })[0]), [{ v: '1' }])
})

test('a workbook or an archive is refused', () => {
  for (const bytes of [
    Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0xff, 0xfe]),
    Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]),
  ])
    assert.throws(() => itemsOf(bytes, 99), { name: 'FileError', problem: 'no_text' })
})

test('only so many events are read as are asked for', () => {
  const found = eventsOfFile(Buffer.from(JSON.stringify([a, b])), 1)
  assert.deepEqual([bodies(found.events), found.isCut, found.format], [[a], true, 'json'])
})

test('the separator is the one that the header has most of', () => {
  assert.equal(separatorOf('a,b,c'), ',')
  assert.equal(separatorOf('a;"b,c,d,e";f'), ';')
  assert.equal(separatorOf('a\tb\tc,d'), '\t')
  assert.equal(separatorOf('a|b|c,d'), '|')
  assert.equal(separatorOf('alone'), ',')
})

test('a quote that nobody closes ends after a bound, and what follows is read', () => {
  const reader = new CsvReader()
  reader.take('a,b')
  assert.deepEqual(reader.take('"open'), [])
  const line = `${'x'.repeat(1 << 20)},1`
  const found = Array.from({ length: 9 }, () => reader.take(line)).flat()
  assert.deepEqual([found.length, found.filter((one) => 'problem' in one).map((one) => one.line)], [10, [2]])
  assert.equal(reader.take('1,2').length, 1)
})

test('a text of many lines behind an open quote takes no longer than its length', () => {
  const text = `a,b\n"${'x,y\n'.repeat(400_000)}`
  const { events, faults } = eventsOfFile(Buffer.from(text), 1_000_000)
  assert.deepEqual([events.length, faults.length], [399_999, 1])
})

test('a file holds no more than the document that it is at', () => {
  const file = new EventFile()
  const piece = Buffer.from(`${textA}\n`.repeat(40_000))
  const before = process.memoryUsage().rss
  let count = 0
  for (let n = 0; n < 200; n++) count += file.push(piece, false).length
  assert.equal(count, 200 * 40_000)
  assert.ok(process.memoryUsage().rss - before < 300 << 20)
})

test('no document that is taken as it stands reaches out of the place that it is put in', () => {
  const parts = ['{', '}', '[', ']', '"', '\\', ',', ':', '"a"', '{}', '1', ' ', '"b":2', '\\"']
  let seed = 1
  const next = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return (seed >>> 8) % below
  }
  let taken = 0
  for (let round = 0; round < 50_000; round++) {
    let text = '{'
    for (let n = next(8); n > 0; n--) text += parts[next(parts.length)]
    const bytes = Buffer.from(`{}\n${text}}`)
    for (const item of itemsOf(bytes, 99)[0]) {
      if (item.problem !== null || item.document === null) continue
      const { start, end } = item.document
      const document = Buffer.from(item.document.bytes.subarray(start, end)).toString()
      let whole: unknown
      try {
        whole = JSON.parse(`{"x":0,"raw_body":${document},"y":0}`)
      } catch {
        continue
      }
      taken++
      assert.deepEqual(whole, { x: 0, raw_body: JSON.parse(document), y: 0 }, text)
    }
  }
  assert.ok(taken > 50_000)
})
