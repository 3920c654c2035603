import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecisionPoints } from '../../../../engine/domain/event/decision-points.js'
import { BodyScanner } from '../../../../engine/domain/event/body-scanner.js'
import { BodyWriter } from '../../../../engine/domain/event/body-writer.js'
import { PointTree } from '../../../../engine/domain/event/point-tree.js'
import { ShapeTree } from '../../../../engine/domain/event/shape-tree.js'
import { Words } from '../../../../engine/domain/event/words.js'

test('a value where a path breaks off early has another key than the same value at its end', () => {
  const [shapes, words] = [new ShapeTree(), new Words()]
  const paths = ['a.b', 'a.b.c', 'd']
  const [writer, tree, points] = [new BodyWriter(shapes, words), new PointTree(paths), new DecisionPoints(paths)]
  const bodies = [
    { a: { b: 'y' } },
    { a: 'y' },
    { a: { b: { c: 'y' } } },
    { a: ['y'] },
    { a: { b: ['y'] } },
    { d: 'y' },
  ]
  for (const body of bodies) writer.write(body)
  for (const kernel of [undefined, null] as const) {
    const scanner = new BodyScanner(shapes, words, kernel)
    const values = new Map<string, string>()
    for (const body of bodies) {
      const text = Buffer.from(JSON.stringify({ job_id: 1, raw_body: body }))
      assert.ok(scanner.scan(text, 0, text.length, tree), text.toString())
      const key = tree.key(scanner.out)
      assert.ok(key !== null)
      const bytes = Buffer.from(key.view.buffer, key.view.byteOffset, key.length).toString('hex')
      const value = JSON.stringify(points.valuesOf(body))
      assert.equal(values.get(bytes) ?? value, value, text.toString())
      values.set(bytes, value)
    }
  }
})
