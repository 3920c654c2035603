import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PointTree } from '../../../../../engine/domain/event/point-tree.js'
import { ScanKernel } from '../../../../../engine/domain/event/kernel/scan-kernel.js'
import { SeededRandom } from '../../../../../engine/rng.js'
import { Bodies } from '../../../../support/bodies.js'
import { randomObject } from '../../../../support/engine/json.js'

const noHelp = { utf8: () => 1, escaped: () => -1 }
const noPoints = new PointTree([])

function knowing(...known: unknown[]): Bodies {
  const bodies = new Bodies()
  for (const body of known) bodies.encode(body)
  return bodies
}

/** What the kernel alone makes of a body; null where it leaves it. */
function scan(bodies: Bodies, body: unknown, text = JSON.stringify(body), points = noPoints): unknown {
  const kernel = new ScanKernel(bodies.shapes, bodies.words, noHelp)
  const memory = Buffer.from(text)
  const length = kernel.scan(memory, 0, memory.length, points)
  if (length === 0) return null
  assert.equal(kernel.pos, memory.length)
  return bodies.decode(kernel.out.subarray(0, length))
}

/** What a scanner makes of a request, in bytes. */
function scanned(scanner: Bodies['scanner'], text: Buffer, points: PointTree): unknown {
  if (!scanner.scan(text, 0, text.length, points)) return null
  const key = points.key(scanner.out)
  const keyText = key === null ? null : Buffer.from(key.view.buffer, key.view.byteOffset, key.length).toString('hex')
  return { bytes: scanner.out.toString('hex', 0, scanner.length), key: keyText, eventId: scanner.eventId }
}

/** Objects and arrays so many levels deep. */
function nested(levels: number): unknown {
  return levels === 0 ? 'end' : { a: [nested(levels - 1)] }
}

describe('scanning kernel', () => {
  it('scans bodies of known shapes by itself', () => {
    const body = { 'a long name of a field': [1, -2, 0.5, true, false, null], b: { c: 'text', d: '' }, e: 'ä' }
    const bodies = knowing(body)
    assert.deepEqual(scan(bodies, body), body)
    assert.deepEqual(scan(bodies, body, JSON.stringify(body, null, 2)), body)
    assert.equal(scan(bodies, { f: 1 }), null)
  })

  it('gives the same bytes as without it, also of words that come to be and of texts of every length', () => {
    const random = new SeededRandom(5)
    // Each has seen the same texts as often as the other: so the same ones become words.
    const [quick, plain] = [new Bodies(), new Bodies()]
    const paths = ['host', 'a.b', 'user.name', 'rule.id', 'id']
    const [here, there] = [new PointTree(paths), new PointTree(paths)]
    const pool = Array.from({ length: 30 }, () => randomObject(random))
    for (const bodies of [quick, plain])
      for (const body of [...pool, { host: '', user: { name: '' } }]) bodies.encode(body)
    const texts = Array.from({ length: 80 }, (_, i) => 'abcdefghijklmnop'.repeat(6).slice(0, i))
    for (let i = 0; i < 2_000; i++) {
      const long = { host: random.pick(texts), user: { name: `${random.pick(texts)}${random.below(3)}` } }
      const body = i % 2 === 0 ? random.pick(pool) : long
      const text = Buffer.from(JSON.stringify({ job_id: 1, raw_body: body }))
      const found = scanned(quick.scanner, text, here)
      assert.deepEqual(found, scanned(plain.plainScanner, text, there), text.toString('utf8'))
      if (i % 2 === 1) assert.ok(found !== null)
    }
  })

  it('reads a text wherever it lies in memory', () => {
    const body = { name: 'value', n: [1, 2, 3] }
    const bodies = knowing(body)
    const text = Buffer.from(JSON.stringify({ job_id: 1, raw_body: body }))
    for (let before = 0; before < 9; before++) {
      const memory = new Uint8Array(new ArrayBuffer(text.length + before + 7), before % 5)
      const around = Buffer.from(memory.buffer, memory.byteOffset, memory.length).fill('9')
      const start = Math.max(0, before - (before % 5))
      around.set(text, start)
      assert.ok(bodies.scanner.scan(around, start, start + text.length, noPoints))
      assert.deepEqual(bodies.decode(bodies.scanner.out.subarray(0, bodies.scanner.length)), body)
    }
  })

  it('leaves long texts, many fields and deep bodies to the long way, which still takes them', () => {
    const long = { text: 'x'.repeat(40_000) }
    const many = { items: Array.from({ length: 5_000 }, (_, i) => i) }
    const bodies = knowing(long, many, nested(32))
    for (const body of [long, many]) {
      assert.equal(scan(bodies, body), null)
      const text = Buffer.from(JSON.stringify({ job_id: 1, raw_body: body }))
      assert.ok(bodies.scanner.scan(text, 0, text.length, noPoints))
      assert.deepEqual(bodies.decode(bodies.scanner.out.subarray(0, bodies.scanner.length)), body)
    }
    assert.deepEqual(scan(bodies, nested(32)), nested(32))
    assert.equal(scan(bodies, nested(33)), null)
  })

  it('goes on without names and words that have no room', () => {
    const bodies = new Bodies()
    const bodyOf = (i: number): object =>
      Object.fromEntries(Array.from({ length: 60 }, (_, j) => [`name ${i} ${j} `.padEnd(100, '-'), j]))
    for (let i = 0; i < 120; i++) bodies.encode(bodyOf(i))
    assert.deepEqual(scan(bodies, bodyOf(0)), bodyOf(0))
    assert.equal(scan(bodies, bodyOf(119)), null)
    const wordOf = (i: number): object => ({ word: `word ${i} `.padEnd(60, '-') })
    bodies.encode(wordOf(0))
    for (let i = 0; i < 12_000; i++) for (let times = 0; times < 4; times++) bodies.encode(wordOf(i))
    assert.ok(bodies.words.size > 10_000)
    for (const last of [119, 0]) {
      const text = Buffer.from(JSON.stringify({ job_id: 1, raw_body: bodyOf(last) }))
      assert.ok(bodies.scanner.scan(text, 0, text.length, noPoints))
    }
    for (let i = 0; i < 12_000; i += 1) {
      const text = Buffer.from(JSON.stringify({ job_id: 1, raw_body: wordOf(i) }))
      assert.ok(bodies.scanner.scan(text, 0, text.length, noPoints))
      assert.deepEqual(bodies.decode(bodies.scanner.out.subarray(0, bodies.scanner.length)), wordOf(i))
    }
  })

  it('knows the decision points of many jobs, and of one with more than it has room for', () => {
    const body = { a: { b: 1, c: 2 }, d: 'x' }
    const bodies = knowing(body)
    const text = Buffer.from(JSON.stringify({ job_id: 1, raw_body: body }))
    const many = Array.from({ length: 300 }, (_, i) => `p${i}.q`)
    for (let round = 0; round < 2; round++) {
      for (let job = 0; job < 200; job++) {
        const paths = job === 7 ? ['a.b', ...many] : ['a.b', 'd', `x${job}.y`]
        const [here, there] = [new PointTree(paths), new PointTree(paths)]
        const found = scanned(bodies.scanner, text, here)
        assert.ok(found !== null)
        assert.deepEqual(found, scanned(bodies.plainScanner, text, there))
      }
    }
  })
})
