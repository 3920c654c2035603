import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Refusal } from '../../../../engine/errors.js'
import { bucketText } from '../../../../engine/domain/event/bucket-key.js'
import { DecisionPoints } from '../../../../engine/domain/event/decision-points.js'
import { parseJson } from '../../../../engine/domain/event/json.js'
import { PointTree, type PointKey } from '../../../../engine/domain/event/point-tree.js'
import { StoredPoints } from '../../../../engine/domain/event/stored-points.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { Bodies } from '../../../support/bodies.js'
import { randomObject } from '../../../support/engine/json.js'
import { randomPathText } from '../../../support/engine/json-text.js'

const noPoints = new PointTree([])

/** What the scanner makes of a text, or null where it leaves it to the long way. */
function scan(
  bodies: Bodies,
  text: string | Buffer,
  points = noPoints,
): { body: unknown; eventId: string | null; key: string } | null {
  const { scanner } = bodies
  // What lies around it, in the memory of a turn, goes on like JSON.
  const around = Buffer.from('7"}]}')
  const memory = Buffer.concat([around, Buffer.from(text), around])
  if (!scanner.scan(memory, around.length, memory.length - around.length, points)) return null
  const keyText = keyTextOf(points.key(scanner.out))
  return { body: bodies.decode(scanner.out.subarray(0, scanner.length)), eventId: scanner.eventId, key: keyText }
}

/** A table that has seen bodies like this one. */
function knowing(...known: unknown[]): Bodies {
  const bodies = new Bodies()
  for (const body of known) bodies.encode(body)
  return bodies
}

const request = (rawBody: unknown): string => JSON.stringify({ job_id: 1, raw_body: rawBody })

/** The same document with some characters of its names and texts as escapes; none of these is in a literal of JSON. */
function escaped(text: string, random: SeededRandom): string {
  if (random.below(3) > 0) return text
  return text.replace(/[vd日本ä\ud83d]/g, (unit) =>
    random.below(3) > 0 ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Cuts, doubles and changes bytes. */
function damaged(text: Buffer, random: SeededRandom): Buffer {
  const bytes = [...text]
  for (let i = 0; i <= random.below(3); i++) {
    const at = random.below(bytes.length)
    const replacement = random.pick([
      0x22, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d, 0x30, 0x2e, 0x65, 0x2d, 0x3a, 0x20, 0x5c, 0xc3, 0xff,
    ])
    bytes.splice(at, random.below(2), ...(random.below(2) === 0 ? [replacement] : []))
  }
  return Buffer.from(bytes.length === 0 ? [0x7b] : bytes)
}

/** Shows the table a body, unless damage has made a number of it that every way refuses. */
function learn(bodies: Bodies, body: object): void {
  try {
    bodies.encode(body)
  } catch (error) {
    assert.ok(error instanceof Refusal && error.code === 'number_too_large', String(error))
  }
}

/** A request, in one of the ways to write it; sometimes damaged. */
function posted(i: number, body: object, random: SeededRandom): Buffer {
  const document = { job_id: i % 2 === 0 ? 7 : '7', raw_body: body, ...(i % 3 === 0 ? { event_id: `e ${i}` } : {}) }
  const whole = Buffer.from(escaped(JSON.stringify(document, null, random.pick([0, 0, 1, '\t'])), random))
  return random.below(3) === 0 ? damaged(whole, random) : whole
}

/** What a text says; null where it is not JSON. */
function jsonOf(text: Buffer): { raw_body?: unknown; event_id?: unknown } | null {
  try {
    return JSON.parse(text.toString('utf8')) as { raw_body?: unknown }
  } catch {
    return null
  }
}

function keyTextOf(key: PointKey | null): string {
  return key === null ? '' : Buffer.from(key.view.buffer, key.view.byteOffset, key.length).toString('latin1')
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

describe('body scanner', () => {
  for (const seed of [1, 2]) {
    it(`says what the long way says, or nothing, of random and of damaged texts, seed ${seed}`, () => {
      const random = new SeededRandom(seed)
      const bodies = new Bodies()
      const paths = ['host', 'a.b', 'user.name', 'rule.id', 'id']
      const [points, decisionPoints] = [new PointTree(paths), new DecisionPoints(paths)]
      const pool = Array.from({ length: 40 }, () => randomObject(random))
      const buckets = new Map<string, string>()
      let scanned = 0
      for (let i = 0; i < 2_500; i++) {
        const text = posted(i, random.pick(pool), random)
        const found = scan(bodies, text, points)
        const parsed = jsonOf(text)
        const body = parsed?.raw_body
        if (found === null) {
          if (isObject(body) && !text.includes('__proto__')) learn(bodies, body)
          continue
        }
        assert.ok(parsed !== null, `took what is not JSON: ${text.toString('latin1')}`)
        scanned++
        assert.deepEqual(found.body, bodies.decode(bodies.encode(body)))
        assert.equal(found.eventId, parsed.event_id ?? null)
        const values = decisionPoints.valuesOf(found.body as Record<string, unknown>)
        assert.deepEqual(decisionPoints.scannedValues(points, bodies.scannedValue), values)
        if (found.key === '') continue
        const bucket = bucketText(values)
        assert.equal(buckets.get(found.key) ?? bucket, bucket, 'equal bytes at the points, but other values')
        buckets.set(found.key, bucket)
      }
      assert.ok(scanned > 500, `only ${scanned} texts were scanned`)
    })
  }

  for (const types of ['loose', 'strict'] as const) {
    it(`finds at the points what the slow reader finds, or nothing; ${types} types`, () => {
      const random = new SeededRandom(11)
      const paths = ['a', 'a.b', 'a.b.c', 'b.c', 'c.value', 'c']
      const bodies = new Bodies()
      const decisionPoints = new DecisionPoints(paths, types)
      const stored = new StoredPoints(paths)
      const scanners = [bodies.plainScanner, bodies.scanner].map((scanner) => [scanner, new PointTree(paths)] as const)
      const buckets = new Map<string, string>()
      const pool = Array.from({ length: 3_000 }, () => randomPathText(random))
      for (const text of pool) bodies.encode(parseJson(text))
      let scanned = 0
      for (const text of pool) {
        const body = parseJson(text) as Record<string, unknown>
        const values = decisionPoints.valuesOf(body)
        const bucket = bucketText(values)
        const bytes = Buffer.from(bodies.encode(body))
        assert.deepEqual(bodies.decode(bytes), body, text)
        const keys = [keyTextOf(stored.key(bytes, bodies.shapes))]
        const request = Buffer.from(`{"job_id":1,"raw_body":${text}}`)
        for (const [scanner, tree] of scanners) {
          if (!scanner.scan(request, 0, request.length, tree)) continue
          scanned++
          assert.equal(scanner.out.toString('hex', 0, scanner.length), bytes.toString('hex'), text)
          keys.push(keyTextOf(tree.key(scanner.out)))
          if (scanner === bodies.scanner)
            assert.deepEqual(decisionPoints.scannedValues(tree, bodies.scannedValue), values, text)
        }
        for (const key of keys.filter((one) => one !== '')) {
          assert.equal(buckets.get(key) ?? bucket, bucket, `equal bytes at the points, but other values: ${text}`)
          buckets.set(key, bucket)
        }
      }
      assert.ok(scanned > 500, `only ${scanned} texts were scanned`)
    })
  }

  it('takes a body whose shapes are known, with white space anywhere, and the id of the request', () => {
    const bodies = knowing({ a: { b: 1 }, c: [] })
    assert.deepEqual(
      scan(bodies, ' {"job_id" : 1 ,\n"event_id":"x","raw_body":{ "a" : {"b":-1.5} ,"c":[ 1 , "t" ]}}\r\n'),
      {
        body: { a: { b: -1.5 }, c: [1, 't'] },
        eventId: 'x',
        key: '\x00\x00\x00\x00',
      },
    )
  })

  it('leaves to the long way what it is not sure of', () => {
    const bodies = knowing({ a: 1 }, { a: 1, inference_status: 'OK' }, {})
    for (const text of [
      request({ b: 1 }),
      request({ a: '\ud800' }),
      '{"job_id":1,"event_id":"a\\n","raw_body":{"a":1}}',
      '{"job_id":1,"raw_body":{"a":1},"title":"t"}',
      '{"job_id":1}',
      '{}',
      '',
      '[]',
      '{"job_id":1,"raw_body":{"a":1,"a":2}}',
      '{"job_id":1,"raw_body":{"a":1},"raw_body":{"a":1}}',
      request([1]),
      request(null),
      request({ a: { a: 1, inference_status: 'OK' } }),
      '{"job_id":[1],"raw_body":{"a":1}}',
      '{"job_id":1,"event_id":7,"raw_body":{"a":1}}',
      '{"job_id":1,"event_id":"","raw_body":{"a":1}}',
      '{"job_id":1,"raw_body":{"a":-1e309}}',
    ])
      assert.equal(scan(bodies, text), null, text)
  })

  it('undoes escapes as JSON.parse does', () => {
    const bodies = knowing({ a: 1 })
    const texts = [
      'C:\\\\Windows\\\\cmd.exe',
      '\\"',
      '\\/\\b\\f\\n\\r\\t',
      '\\u0041\\u00e9\\u20ac\\uD83D\\ude00',
      'é\\u0000€',
      `${'long '.repeat(40)}\\\\`,
      '\\ud800',
      '\\udc00',
      '\\ud800\\u0041',
      '\\ud83d',
      '\\u00g0',
      '\\u00',
      '\\x',
      '\\',
      'a\\é',
    ]
    const taken = texts.filter((text) => {
      const whole = `{"job_id":1,"raw_body":{"a":"${text}"}}`
      const found = scan(bodies, whole)
      if (found !== null) assert.deepEqual(found.body, (JSON.parse(whole) as { raw_body: unknown }).raw_body)
      return found !== null
    })
    assert.deepEqual(taken, texts.slice(0, 6))
  })

  it('refuses what JSON.parse refuses', () => {
    const bodies = knowing({ a: 1 }, {})
    for (const value of [
      '01',
      '1.',
      '.5',
      '-',
      '+1',
      '1e',
      '1e+',
      '0x1',
      'NaN',
      'tru',
      'nul',
      '[1,]',
      '[,]',
      '"\t"',
      '"a',
      "'a'",
      '{"a":1,}',
    ]) {
      assert.equal(scan(bodies, `{"job_id":1,"raw_body":{"a":${value}}}`), null, value)
    }
    assert.equal(scan(bodies, `${request({ a: 1 })}x`), null)
    assert.equal(
      scan(
        bodies,
        Buffer.concat([Buffer.from('{"job_id":1,"raw_body":{"a":"'), Buffer.from([0xc3]), Buffer.from('"}}')]),
      ),
      null,
    )
  })

  it('finds the same bytes at the decision points wherever they are equal, and leaves flattened documents alone', () => {
    const points = new PointTree(['a.b', 'c'])
    const bodies = knowing(
      { a: { b: 1 }, c: 1, d: 1 },
      { d: 1, a: { b: 1, x: 1 }, c: 1 },
      { 'a.b': 1 },
      { a: 1, c: 1 },
      { a: [1], c: 1 },
    )
    const first = scan(bodies, request({ a: { b: 'x' }, c: 2, d: 5 }), points)
    assert.equal(scan(bodies, request({ d: 6, a: { b: 'x', x: 9 }, c: 2 }), points)?.key, first?.key)
    assert.notEqual(scan(bodies, request({ a: { b: 'y' }, c: 2, d: 5 }), points)?.key, first?.key)
    const ofAnother = new PointTree(['a.b', 'c'], 1)
    assert.notEqual(scan(bodies, request({ a: { b: 'x' }, c: 2, d: 5 }), ofAnother)?.key, first?.key)
    assert.notEqual(
      scan(bodies, request({ a: [1], c: 2 }), points)?.key,
      scan(bodies, request({ a: [2], c: 2 }), points)?.key,
    )
    assert.equal(scan(bodies, request({ 'a.b': 1 }), points), null)
  })

  it('reads the values of the points as from the whole body: through arrays, objects, and paths that end early', () => {
    const paths = ['a.b.c', 'a', 'a.b', 'd.e', 'd', 'missing.x', 'f.__proto__']
    const [points, decisionPoints] = [new PointTree(paths), new DecisionPoints(paths)]
    assert.ok(!decisionPoints.areScannable)
    assert.ok(new DecisionPoints(paths.slice(0, 6)).areScannable)
    for (const body of [
      { a: { b: { c: 'x' } }, d: { e: null } },
      { a: { b: [{ c: 2 }, { c: 1 }, { c: 2 }, 3] }, d: [{ e: 'k' }, [{ e: true }]] },
      { a: [{ b: { c: 1 } }, { b: 'y' }], d: 'text' },
      { a: { b: 5 }, d: {} },
      { a: [], d: { e: { f: [1, -2.5] } } },
    ]) {
      const bodies = knowing(body)
      assert.deepEqual(scan(bodies, request(body), points)?.body, body)
      assert.deepEqual(decisionPoints.scannedValues(points, bodies.scannedValue), decisionPoints.valuesOf(body))
    }
  })
})
