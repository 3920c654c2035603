/** The first steps of an event: its JSON, its shape, its decision points, its bucket. */
import { bucketIdOf, bucketText } from '../../engine/domain/event/bucket-key.js'
import { parseEnvelope } from '../../engine/domain/event/envelope.js'
import { BodyScanner } from '../../engine/domain/event/body-scanner.js'
import { BodyWriter } from '../../engine/domain/event/body-writer.js'
import { PointTree } from '../../engine/domain/event/point-tree.js'
import { ShapeTree } from '../../engine/domain/event/shape-tree.js'
import { Words } from '../../engine/domain/event/words.js'
import { alertPoints } from '../streams/alerts.js'
import type { Fixture, Stage } from './fixture.js'

/** Texts as the scanner gets them: one after the other, as in the memory of a turn. */
function inOneMemory(texts: readonly string[]): { readonly bytes: Buffer; readonly ends: readonly number[] } {
  let end = 0
  const ends = texts.map((text) => (end += Buffer.byteLength(text)))
  return { bytes: Buffer.from(texts.join('')), ends }
}

export function eventStages({ texts, bodies, points, values }: Fixture): Stage[] {
  const shapes = new ShapeTree()
  const words = new Words()
  const writer = new BodyWriter(shapes, words)
  const scanner = new BodyScanner(shapes, words)
  const tree = new PointTree(alertPoints)
  const requests = inOneMemory(texts)
  // The shortcut knows only shapes that the full parser has seen.
  for (const body of bodies) writer.write(body)
  const parse = (i: number): unknown => JSON.parse(texts[i] as string)
  return [
    {
      name: 'scan: from text to stored bytes and decision points',
      run: (i) => {
        const { bytes, ends } = requests
        return (
          scanner.scan(bytes, i === 0 ? 0 : (ends[i - 1] as number), ends[i] as number, tree) && tree.key(scanner.out)
        )
      },
      floor: { name: 'JSON.parse', run: parse },
    },
    {
      name: 'the long way: JSON and envelope',
      run: (i) => parseEnvelope(texts[i] as string, ['service']),
      floor: { name: 'JSON.parse', run: parse },
    },
    { name: 'the long way: stored bytes', run: (i) => writer.write(bodies[i] as Record<string, unknown>) },
    { name: 'the long way: 12 values by path', run: (i) => points.valuesOf(bodies[i] as Record<string, unknown>) },
    { name: 'the long way: id of the bucket', run: (i) => bucketIdOf(points.fingerprint, bucketText(values[i] ?? [])) },
  ]
}
