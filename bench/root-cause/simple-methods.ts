/**
 * Two simple methods to compare with, on any set of alarms: mining which type follows which within a minute, and a
 * model on each alarm and the types around it.
 *
 * Both see the whole stream at once, the future of an alarm included, which no service can.
 */
import { causeSettingsOf } from '../../engine/domain/cause/settings.js'
import { AlertNormalizer, type NormalizedAlert } from '../../engine/domain/cause/normalized-alert.js'
import type { PointValues } from '../../engine/domain/event/point-value.js'
import { defaultClassifier, loadModel } from '../../engine/domain/learn/registry.js'
import { SeededRandom } from '../../engine/rng.js'
import type { Alarm } from './alarms.js'
import type { Said } from './play.js'

const LABELS = 3
const [ROOT_CAUSE, SYMPTOM, IRRELEVANT] = [0, 1, 2]
const WINDOW_MS = 60_000
const COUNT_MIN = 8
const LIFT_MIN = 3
/** Edges of the windows around an alarm whose types the model sees, seconds. */
const edges: readonly (readonly [number, number])[] = [
  [-300, -60],
  [-60, -10],
  [-10, 0],
  [0, 10],
  [10, 60],
]

interface Placed extends NormalizedAlert {
  readonly timeMs: number
}

/** Alarms by their subject, each in time order, and which subjects are neighbours. */
class Surroundings {
  readonly placed: readonly Placed[]
  readonly #byEntity = new Map<number, number[]>()
  readonly #next = new Map<number, Set<number>>()

  constructor(alarms: readonly Alarm[]) {
    const normalizer = new AlertNormalizer(causeSettingsOf({ pipeline: [] }), [])
    this.placed = alarms
      .map(({ event }) => normalizer.normalize(event))
      .map((normalized) => ({ ...normalized, timeMs: normalized.timeMs ?? 0 }))
    for (const [at, { entity, related }] of this.placed.entries()) {
      const own = this.#byEntity.get(entity) ?? []
      this.#byEntity.set(entity, own)
      own.push(at)
      for (const other of related) {
        this.#beside(entity).add(other)
        this.#beside(other).add(entity)
      }
    }
    for (const own of this.#byEntity.values()) own.sort((a, b) => this.timeOf(a) - this.timeOf(b) || a - b)
  }

  get entities(): number {
    return this.#byEntity.size
  }

  timeOf(at: number): number {
    return (this.placed[at] as Placed).timeMs
  }

  #beside(entity: number): Set<number> {
    const known = this.#next.get(entity) ?? new Set<number>()
    this.#next.set(entity, known)
    return known
  }

  /** The number of subjects searched for an alarm: its own and its neighbours. */
  degreeOf(at: number): number {
    return 1 + this.#beside((this.placed[at] as Placed).entity).size
  }

  /** Alarms on the same subject or a neighbour, in a window of milliseconds relative to this one. */
  *around(at: number, fromMs: number, toMs: number): Iterable<number> {
    const { entity, timeMs } = this.placed[at] as Placed
    for (const one of [entity, ...this.#beside(entity)]) {
      const own = this.#byEntity.get(one) ?? []
      for (let place = this.#first(own, timeMs + fromMs); place < own.length; place++) {
        const other = own[place] as number
        if (this.timeOf(other) > timeMs + toMs) break
        if (other !== at) yield other
      }
    }
  }

  #first(own: readonly number[], timeMs: number): number {
    let [low, high] = [0, own.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.timeOf(own[middle] as number) < timeMs) low = middle + 1
      else high = middle
    }
    return low
  }
}

/**
 * Keeps a pair of types that is common enough, more common than by chance, and more common than the reverse. An alarm
 * follows from the nearest.
 */
export function mined(alarms: readonly Alarm[]): Said {
  const world = new Surroundings(alarms)
  const { placed } = world
  const pairs = new Map<string, number>()
  const [counts, degrees] = [new Map<string, number>(), new Map<string, number>()]
  const times = placed.map(({ timeMs }) => timeMs)
  const span = Math.max(...times.slice(-1_000)) - Math.min(...times.slice(0, 1_000))
  for (const [at, { kind }] of placed.entries()) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    degrees.set(kind, (degrees.get(kind) ?? 0) + world.degreeOf(at))
    for (const before of new Set([...world.around(at, -WINDOW_MS, 0)].map((other) => (placed[other] as Placed).kind))) {
      pairs.set(`${before} > ${kind}`, (pairs.get(`${before} > ${kind}`) ?? 0) + 1)
    }
  }
  const isKept = (earlier: string, later: string): boolean => {
    const count = pairs.get(`${earlier} > ${later}`) ?? 0
    const chance = ((degrees.get(earlier) ?? 0) * WINDOW_MS * (counts.get(later) ?? 0)) / world.entities / span
    return (
      earlier !== later &&
      count >= COUNT_MIN &&
      count >= LIFT_MIN * chance &&
      count >= (pairs.get(`${later} > ${earlier}`) ?? 0)
    )
  }
  const parents = placed.map(({ kind }, at) => {
    let nearest = -1
    for (const other of world.around(at, -WINDOW_MS, 0)) {
      const isCloser = nearest < 0 || world.timeOf(other) > world.timeOf(nearest)
      const isBefore = world.timeOf(other) < world.timeOf(at) || other < at
      if (isCloser && isBefore && isKept((placed[other] as Placed).kind, kind)) nearest = other
    }
    return nearest
  })
  return fromParents(parents)
}

function fromParents(parents: readonly number[]): Said {
  const followers = new Int32Array(parents.length)
  for (const parent of parents) if (parent >= 0) followers[parent] = (followers[parent] as number) + 1
  const rootOf = (at: number): number => {
    let root = at
    while ((parents[root] as number) >= 0) root = parents[root] as number
    return root
  }
  const clusters = Float64Array.from(parents, (_, at) => rootOf(at))
  const said = Int8Array.from(
    parents,
    (parent, at) => (parent >= 0 ? SYMPTOM : (followers[at] as number) > 0 ? ROOT_CAUSE : IRRELEVANT) as number,
  )
  const topRanked = parents.flatMap((parent, at) => (parent < 0 && (followers[at] as number) > 0 ? [at] : []))
  return {
    from: Math.floor(parents.length / 5),
    said,
    saidAtOnce: said,
    probabilities: surely(said),
    clusters,
    topRanked,
  }
}

function surely(said: Int8Array): Float64Array {
  const probabilities = new Float64Array(said.length * LABELS).fill(0.05)
  said.forEach((label, at) => (probabilities[at * LABELS + label] = 0.9))
  return probabilities
}

/**
 * The learner of all jobs on an alarm and the types in the windows around it, with labels on the first fifth. It finds
 * no clusters.
 */
export function onContext(alarms: readonly Alarm[], labels: number, seed: number): Said {
  const world = new Surroundings(alarms)
  const from = Math.floor(alarms.length / 5)
  const valuesOf = (at: number): PointValues => {
    const { kind, entityName, related } = world.placed[at] as Placed
    const around = edges.map(([start, end]) => {
      const kinds = new Set(
        [...world.around(at, start * 1000, end * 1000 - 1)].map((other) => (world.placed[other] as Placed).kind),
      )
      return kinds.size === 0 ? null : [...kinds].sort()
    })
    return [kind, entityName, related.length, ...around]
  }
  const random = new SeededRandom(seed)
  const picked = new Set<number>()
  while (picked.size < labels) picked.add(random.below(from))
  const model = loadModel(
    defaultClassifier.train(
      {
        points: ['kind', 'entity', 'listed', ...edges.map(([start]) => `around ${start}`)],
        labelCount: LABELS,
        examples: [...picked]
          .sort((a, b) => a - b)
          .map((at) => ({ values: valuesOf(at), label: (alarms[at] as Alarm).label, weight: 1 })),
        background: Array.from({ length: Math.min(2_000, from) }, (_, at) => valuesOf(from - 1 - at)),
        seed,
      },
      () => true,
    ),
  )
  const probabilities = new Float64Array(alarms.length * LABELS)
  const said = new Int8Array(alarms.length)
  const one = new Float64Array(LABELS)
  for (let at = from; at < alarms.length; at++) {
    model.predict(valuesOf(at), one)
    probabilities.set(one, at * LABELS)
    said[at] = model.choose(one)
  }
  return {
    from,
    said,
    saidAtOnce: said,
    probabilities,
    clusters: Float64Array.from(alarms, (_, at) => at),
    topRanked: [],
  }
}
