/** Documents out of bytes: where they begin and end, and what a broken one does to the others. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { documentsIn, DocumentScanner } from '../../../../../engine/domain/event/input/documents.js'
import { SeededRandom } from '../../../../../engine/rng.js'

const bounds = { depthMax: 64, documentsMax: 10_000, valuesMax: 1e6 }

function read(text: string | Uint8Array) {
  const { documents, broken } = documentsIn(typeof text === 'string' ? Buffer.from(text) : text, bounds)
  return { values: documents.map(({ value }) => value), broken: broken.map(({ line }) => line) }
}

const [a, b, c] = [{ a: 1 }, { b: [1, { x: '}' }] }, { c: '\n"{' }]
const [ta, tb, tc] = [a, b, c].map((each) => JSON.stringify(each)) as [string, string, string]

describe('documents', () => {
  for (const [name, text] of [
    ['on lines', `${ta}\n${tb}\n${tc}\n`],
    ['on lines without an end', `${ta}\n${tb}\n${tc}`],
    ['on lines of CR LF, with blank ones', `\r\n${ta}\r\n\r\n \t${tb}\r\n${tc}\r\n`],
    ['on lines of CR', `${ta}\r${tb}\r${tc}\r`],
    ['one behind the other', ta + tb + tc],
    ['with blanks between', `${ta} ${tb}\t${tc} `],
    ['with NUL between', `${ta}\0${tb}\0${tc}\0`],
    ['with record separators', `\x1e${ta}\n\x1e${tb}\n\x1e${tc}\n`],
    ['with commas between', `${ta},\n${tb},\n${tc},`],
    ['with byte order marks', `\ufeff${ta}\n\ufeff${tb}\ufeff${tc}`],
    ['pretty-printed', [a, b, c].map((each) => JSON.stringify(each, null, 2)).join('\n')],
    [
      'pretty-printed without indents',
      [a, b, c].map((each) => JSON.stringify(each, null, 2).replace(/^ +/gm, '')).join('\n'),
    ],
    ['in a list', JSON.stringify([a, b, c])],
    ['in a pretty-printed list', JSON.stringify([a, b, c], null, 4)],
    ['in lists in a list', JSON.stringify([[a], [b, c], []])],
    ['in lists one behind the other', `[${ta}][${tb},${tc}]`],
    ['in a list and behind it', `[${ta},${tb}]\n${tc}`],
    ['in a list with a comma too many', `[${ta},${tb},${tc},]`],
    ['in a list without commas', `[${ta}${tb} ${tc}]`],
  ] as const)
    it(`are found ${name}`, () => assert.deepEqual(read(text), { values: [a, b, c], broken: [] }))

  it('are values that are no objects, too, if they are alone on their line or in a list', () => {
    assert.deepEqual(read(`${ta}\n5\n"x"\nnull\n`).values, [a, 5, 'x', null])
    assert.deepEqual(read(`[${ta}, 5, "x", null, true, [1, "y"], -1.5e3]`).values.slice(0, 6), [
      a,
      5,
      'x',
      null,
      true,
      [1, 'y'],
    ])
    assert.deepEqual(read('[1, 2]').values, [1, 2])
    assert.deepEqual(read(`${ta}\n2026-01-31 a line of a log {"x": 1}\n${tb}`), { values: [a, b], broken: [2] })
  })

  for (const [name, text, lines] of [
    ['a line that is cut off', `${ta}\n{"x": [1, {"y": "z\n${tb}\n${tc}`, [2]],
    ['a line whose bracket is missing', `${ta}\n{"x": {"y": 1}\n${tb}\n${tc}`, [2]],
    ['lines whose brackets make up for each other', `${ta}\n{"x": {"y": 1}\n${tb}\n{"z": 1}}\n${tc}`, [2, 4]],
    ['a bracket of the wrong kind', `${ta}\n{"x": [1}\n${tb}\n${tc}`, [2]],
    ['a bracket too many', `${ta}}${tb}]${tc}`, [1, 1]],
    ['a word that is none of JSON', `${ta}\n{"x": NaN}\n${tb}\n{"y": undefined}\n${tc}`, [2, 4]],
    ['a number beyond the largest', `${ta}\n{"x": 1e999}\n${tb}${tc}`, [2]],
    ['a line of text', `${ta}\noops\n${tb}\n# note\n${tc}`, [2, 4]],
    ['a document of several lines', `${ta}\n{\n  "x": {\n    "y": oops\n  }\n}\n${tb}\n${tc}`, [2]],
    ['a document of several lines that is cut off', `${ta}\n{\n  "x": {\n    "y": 1\n${tb}\n${tc}`, [2]],
    ['an item of a list', `[${ta}, {"x": oops}, ${tb}, NaN, ${tc}]`, [1, 1]],
    ['an item on a line of its own', `[\n  ${ta},\n  {"x": {"y": 1},\n  ${tb},\n  ${tc}\n]`, [3]],
    ['an item whose text has no end', `[\n  ${ta},\n  {"x": "y},\n  ${tb},\n  ${tc}\n]`, [3]],
    ['a list that is cut off', `[${ta},\n${tb},\n${tc},\n{"x": `, [4]],
    ['a list without an end', `[${ta},${tb},${tc}`, [1]],
  ] as const)
    it(`are kept beside ${name}, which is told with its line`, () => {
      const found = read(text)
      assert.deepEqual(found.values, text.includes('"z": 1}}') ? [a, b, { z: 1 }, c] : [a, b, c])
      assert.deepEqual(found.broken, lines)
    })

  it('are told why they are broken, and where', () => {
    const problems = documentsIn(
      Buffer.from('{"a": {"b": [1, 1e999]}}\n{"a" 1}\n{"a": Infinity}\n{"a": ['),
      bounds,
    ).broken
    assert.deepEqual(
      problems.map(({ number, problem }) => [number, problem]),
      [
        [1, 'there is a number beyond 1.8e308, the largest of 64 bits at `a.b.1`'],
        [2, 'it is not JSON (character 6)'],
        [3, 'it is not JSON (character 7)'],
        [4, 'it has no end'],
      ],
    )
  })

  it('tell which of them have bytes that are not UTF-8, and give different bytes different texts', () => {
    const bytes = Buffer.from('{"u":"M\xfcller"}{"u":"ok"}{"u":"M\xf6ller"}', 'latin1')
    const { documents } = documentsIn(bytes, bounds)
    assert.deepEqual(
      documents.map(({ value, isOdd }) => [value, isOdd]),
      [
        [{ u: 'M\ufffdller' }, true],
        [{ u: 'ok' }, false],
        [{ u: 'M\ufffdller' }, true],
      ],
    )
    assert.notDeepEqual(documents[0]!.exact(), documents[2]!.exact())
  })

  it('are bounded: deep ones are broken, and reading stops at too many', () => {
    assert.deepEqual(read(`${ta}\n${'['.repeat(70)}${']'.repeat(70)}\n${tb}`).values.at(-1), b)
    const deep = `{"x":${'{"x":'.repeat(70)}1${'}'.repeat(71)}`
    assert.deepEqual(read(`${ta}\n${deep}\n${tb}`), { values: [a, b], broken: [2] })
    const many = documentsIn(Buffer.from('{}'.repeat(100)), { ...bounds, documentsMax: 10 })
    assert.equal(many.documents.length, 11)
    const values = documentsIn(Buffer.from(`[${'1,'.repeat(1_000)}1]`), { ...bounds, valuesMax: 10 })
    assert.ok(values.values > 10 && values.documents.length <= 11)
  })

  it('are the same in pieces of any size', () => {
    const random = new SeededRandom(3)
    const texts = [
      ta,
      tb,
      tc,
      JSON.stringify([a, b], null, 2),
      '{"x": {"y": 1}',
      'oops',
      '{"x": "y',
      '5',
      '[1,[{}]]',
      '}',
      '{',
    ]
    for (let round = 0; round < 300; round++) {
      const text = Array.from(
        { length: 8 },
        () => random.pick(texts) + random.pick(['\n', '\r\n', '', ' ', '\0', ',\n']),
      ).join('')
      const all = Buffer.from(text)
      assert.deepEqual(inPieces(all, random), inOne(all), JSON.stringify(text))
    }
  })
})

type Piece = [string, string | null]

function inOne(bytes: Buffer): Piece[] {
  const scanner = new DocumentScanner(64)
  const found: Piece[] = []
  for (let one = scanner.next(bytes, true); one !== null && one !== 'more'; one = scanner.next(bytes, true))
    found.push([bytes.toString('utf8', one.start, one.end), one.problem])
  return found
}

/** The same with bytes that come in pieces, and go when they were read. */
function inPieces(all: Buffer, random: SeededRandom): Piece[] {
  const scanner = new DocumentScanner(64)
  const found: Piece[] = []
  let held = Buffer.alloc(0)
  let read = 0
  for (;;) {
    const one = scanner.next(held, read === all.length)
    if (one === null) return found
    if (one !== 'more') {
      found.push([held.toString('utf8', one.start, one.end), one.problem])
      continue
    }
    const size = 1 + random.below(40)
    const gone = scanner.at
    held = Buffer.concat([held.subarray(gone), all.subarray(read, read + size)])
    scanner.moved(gone)
    read = Math.min(all.length, read + size)
  }
}
