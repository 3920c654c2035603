/** What the steps of the walk are measured on: events of the stream, and a model trained on earlier ones. */
import { DecisionPoints } from '../../engine/domain/event/decision-points.js'
import type { PointValues } from '../../engine/domain/event/point-value.js'
import type { Model } from '../../engine/domain/learn/classifier.js'
import { defaultClassifier, loadModel } from '../../engine/domain/learn/registry.js'
import { alerts } from '../harness/trained.js'
import { alertLabels, alertPoints } from '../streams/alerts.js'

const learned = 5_000

export interface Fixture {
  /** Request bodies, as they come off the wire. */
  readonly texts: readonly string[]
  readonly bodies: readonly Record<string, unknown>[]
  readonly points: DecisionPoints
  readonly values: readonly PointValues[]
  readonly model: Model
  /** The same model, as stored. */
  readonly modelBytes: Uint8Array
}

export function makeFixture(events = 4_000): Fixture {
  const points = new DecisionPoints(alertPoints)
  const known = alerts(11, learned).map(({ body, label }) => {
    return { values: points.valuesOf(body), label: alertLabels.indexOf(label), weight: 1 }
  })
  const modelBytes = defaultClassifier.train(
    { points: alertPoints, labelCount: alertLabels.length, examples: known, background: [], seed: 1 },
    () => true,
  )
  const texts = alerts(12, events).map(({ body }) => JSON.stringify({ job_id: 1, raw_body: body }))
  const bodies = texts.map((text) => (JSON.parse(text) as { raw_body: Record<string, unknown> }).raw_body)
  const values = bodies.map((body) => points.valuesOf(body))
  return { texts, bodies, points, values, modelBytes, model: loadModel(modelBytes) }
}

/** A step of the walk, or its floor: what is done for event number `i` of the fixture. */
export interface Stage {
  readonly name: string
  readonly run: (i: number) => unknown
  /** The least that this step could cost. */
  readonly floor?: { readonly name: string; readonly run: (i: number) => unknown }
  /** Microseconds an event, where there is a bar. */
  readonly barMicros?: number
}
