/** One run: an analyst answers what a rule asks, the learner trains in rounds, and the scored events are decided. */
import type { Model, PointValues } from '../../engine/domain/learn/classifier.js'
import { Likeness } from '../../engine/domain/learn/likeness.js'
import { defaultClassifier } from '../../engine/domain/learn/registry.js'
import { alikeAt, candidatesMax, doubtOf, gatherCandidates } from '../../engine/domain/learn/selection/candidates.js'
import { drawKey, screen } from '../../engine/domain/learn/selection/screening.js'
import { examplesOf } from '../../engine/domain/learn/voted-examples.js'
import { limits } from '../../engine/limits.js'
import { backgroundOf } from '../quality/classify.js'
import type { Dataset } from '../quality/dataset.js'
import { ClassificationTally } from '../quality/figures.js'
import { pickBy, type Rule } from './rules.js'

/** Clicks after which the learner trains. */
export const rounds = [10, 20, 30, 45, 60, 80, 100, 150, 200, 300] as const

export interface Point {
  readonly clicks: number
  readonly right: number
  readonly macroF1: number
  /** Labels that were found so far. */
  readonly found: number
}

interface Bucket {
  readonly values: PointValues
  events: number
  line: number
}

const TEST_LINES = 4_000
/** Buckets whose doubt is estimated before the screening. */
const DOUBTED = 2_048
/** As a service that has seen this many candidates without a model. */
const SAMPLE = 256

/** The buckets of the first part. Each is answered with the label of its latest event. */
export function bucketsOf(dataset: Dataset): Bucket[] {
  const found = new Map<string, Bucket>()
  for (const line of dataset.seen) {
    const values = dataset.values[line] as PointValues
    const key = JSON.stringify(values)
    const bucket = found.get(key)
    if (bucket === undefined) found.set(key, { values, events: 1, line })
    else [bucket.events, bucket.line] = [bucket.events + 1, line]
  }
  return [...found.values()]
}

export interface Simulated {
  readonly rule: Rule
  readonly seed: number
  /** The last click. */
  readonly clicks: number
}

export function simulate(dataset: Dataset, buckets: readonly Bucket[], { rule, seed, clicks }: Simulated): Point[] {
  const labelOf = (bucket: Bucket): number => dataset.labels[bucket.line] as number
  const asked = new Set<number>()
  const background = backgroundOf(dataset)
  let model: Model | null = null
  const points: Point[] = []
  for (const end of rounds.filter((one) => one <= clicks)) {
    for (const place of picks(dataset, buckets, asked, { rule, seed, model, count: end - asked.size })) asked.add(place)
    const voted = [...asked].map((place) => buckets[place] as Bucket)
    model = train(dataset, voted, background, seed) ?? model
    points.push({
      clicks: end,
      found: new Set(voted.map(labelOf)).size,
      ...scores(dataset, model, labelOf(voted[0] as Bucket)),
    })
  }
  return points
}

function train(
  dataset: Dataset,
  voted: readonly Bucket[],
  background: readonly PointValues[],
  seed: number,
): Model | null {
  const subjects = voted.map(({ values, events, line }) => {
    return { values, events, voted: [{ micros: line, label: dataset.labels[line] as number, count: 1 }] }
  })
  const examples = examplesOf(subjects, dataset.seen.length, limits.trainingExamplesMax)
  if (new Set(examples.map(({ label }) => label)).size < 2) return null
  const { points, labelNames } = dataset
  const set = { points, labelCount: labelNames.length, examples, background, seed: seed + 1, objective: 'macro_f1' }
  return defaultClassifier.load(defaultClassifier.train({ ...set, objective: 'macro_f1' }, () => true))
}

interface Asking {
  readonly rule: Rule
  readonly seed: number
  readonly model: Model | null
  readonly count: number
}

function picks(dataset: Dataset, buckets: readonly Bucket[], asked: ReadonlySet<number>, how: Asking): number[] {
  const { rule, seed, model, count } = how
  const labelCount = dataset.labelNames.length
  const left = [...buckets.keys()].filter((place) => !asked.has(place))
  const bucketAt = (place: number): Bucket => buckets[place] as Bucket
  // The largest, and others as they come: as many as the service looks at.
  const looked = new Set(
    screen(
      left.map((key) => ({ events: bucketAt(key).events, doubt: 1, key })),
      seed,
      DOUBTED,
    ),
  )
  const probabilities = new Float64Array(labelCount)
  const doubted = left.flatMap((key, at) => {
    if (!looked.has(at)) return []
    if (model !== null) model.predict(bucketAt(key).values, probabilities)
    const doubt = model === null ? 1 : doubtOf(model, probabilities, 'macro_f1')
    return [{ events: bucketAt(key).events, doubt, key }]
  })
  const chosen = screen(doubted, seed, candidatesMax).map((at) => doubted[at] as (typeof doubted)[number])
  const values = chosen.map(({ key }) => bucketAt(key).values)
  const labelled = [...asked].map((place) => bucketAt(place).values)
  const likeness = model?.likeness() ?? Likeness.of(dataset.points, [...labelled, ...values].slice(0, SAMPLE))
  const events = chosen.map((one) => one.events)
  const candidates = gatherCandidates({ values, events, labelled, likeness, model, labelCount, objective: 'macro_f1' })
  const threat = new Float64Array(values.length)
  const rare = [...asked]
    .map(bucketAt)
    .filter(({ line }) => dataset.labels[line] !== commonest(dataset, [...asked].map(bucketAt)))
  if (rare.length > 0) {
    likeness.holdAll(rare.map((one) => one.values))
    for (const [place, one] of values.entries()) threat[place] = alikeAt(Math.min(...likeness.distances(one)))
  }
  const draw = Float64Array.from(chosen, (one) => drawKey(seed + 1_000 * asked.size, one))
  const choice = { candidates, events: Float64Array.from(events), threat, draw }
  return pickBy(rule, choice, asked.size, count).map((place) => (chosen[place] as { key: number }).key)
}

function commonest(dataset: Dataset, voted: readonly Bucket[]): number {
  const counts = new Float64Array(dataset.labelNames.length)
  for (const { line, events } of voted) {
    const label = dataset.labels[line] as number
    counts[label] = (counts[label] as number) + events
  }
  return counts.indexOf(Math.max(...counts))
}

/** `usual`: the answer without a model. */
function scores({ protocol, values, labels, labelNames }: Dataset, model: Model | null, usual: number) {
  const step = Math.max(1, Math.ceil(protocol.test.length / TEST_LINES))
  const tally = new ClassificationTally(labelNames.length)
  const probabilities = new Float64Array(labelNames.length)
  for (let at = 0; at < protocol.test.length; at += step) {
    const line = protocol.test[at] as number
    if (model === null) probabilities.fill(0).fill(1, usual, usual + 1)
    else model.predict(values[line] as PointValues, probabilities)
    tally.add(probabilities, labels[line] as number, model === null ? usual : model.choose(probabilities))
  }
  const { accuracy, macroF1 } = tally.figures()
  return { right: accuracy, macroF1 }
}

/** The mean of a curve over the clicks. */
export function areaOf(points: readonly Point[], figure: 'right' | 'macroF1'): number {
  let [area, width] = [0, 0]
  for (let at = 1; at < points.length; at++) {
    const [from, to] = [points[at - 1] as Point, points[at] as Point]
    area += ((from[figure] + to[figure]) / 2) * (to.clicks - from.clicks)
    width += to.clicks - from.clicks
  }
  return width > 0 ? area / width : (points[0]?.[figure] ?? 0)
}
