/** The first steps of an event: its JSON, its shape, its decision points, its bucket. */
import { bucketIdOf, bucketText } from '../../engine/event/bucket-key.js'
import { parseEnvelope } from '../../engine/event/envelope.js'
import { ShapeTable } from '../../engine/event/shapes.js'
import type { Fixture, Stage } from './fixture.js'

export function eventStages({ texts, bodies, points, values }: Fixture): Stage[] {
  const shapes = new ShapeTable()
  const parse = (i: number): unknown => JSON.parse(texts[i] as string)
  return [
    {
      name: 'parse: JSON and envelope',
      run: (i) => parseEnvelope(texts[i] as string, ['service']),
      floor: { name: 'JSON.parse', run: parse },
    },
    { name: 'shape: field names apart from values', run: (i) => shapes.shape(bodies[i] as Record<string, unknown>) },
    { name: 'decision points: 12 values by path', run: (i) => points.valuesOf(bodies[i] as Record<string, unknown>) },
    { name: 'bucket: id of the values', run: (i) => bucketIdOf(points.fingerprint, bucketText(values[i] ?? [])) },
  ]
}
