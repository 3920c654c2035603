/**
 * Chooses pairs of decision points that together tell more of the label than the better one alone.
 *
 * Points group events by their values. A grouping is judged by the mean log-likelihood of each event's label given the
 * other events of its group, smoothed towards the shares of the labels. Each event is left out of its own group: else
 * points with many values would look good.
 */
import { hashPair } from '../hash.js'
import { part, type Stage } from '../progress.js'

const rowsMax = 2_000
const rowsMin = 20
/** Pairs are chosen among the best points. */
const pointsMax = 24
const pairsMax = 16
/** The least gain of a pair, nats for each event; the second part falls with the number of events, as chance does. */
const gainMin = 0.002
const gainChance = 0.5
const smoothing = 1

/** Values of events as atoms, `pointCount` for each, with their classes. */
export interface AtomRows {
  readonly pointCount: number
  readonly atoms: Int32Array
  readonly classes: Int32Array
  readonly classCount: number
}

/** An even sample of the rows. */
export function sampleAtoms(rows: AtomRows): AtomRows {
  const step = Math.ceil(rows.classes.length / rowsMax)
  if (step <= 1) return rows
  const count = Math.ceil(rows.classes.length / step)
  const atoms = new Int32Array(count * rows.pointCount)
  const classes = new Int32Array(count)
  for (let i = 0; i < count; i++) {
    const from = i * step * rows.pointCount
    atoms.set(rows.atoms.subarray(from, from + rows.pointCount), i * rows.pointCount)
    classes[i] = rows.classes[i * step] as number
  }
  return { ...rows, atoms, classes }
}

/** Mean log-likelihood of each label given the other events of its group. */
export function groupLikelihood(groups: Int32Array, classes: Int32Array, shares: Float64Array): number {
  const classCount = shares.length
  const numbers = new Map<number, number>()
  const groupOf = new Int32Array(groups.length)
  const counts: number[] = []
  for (let i = 0; i < groups.length; i++) {
    const key = groups[i] as number
    let group = numbers.get(key)
    if (group === undefined) {
      group = numbers.size * (classCount + 1)
      numbers.set(key, group)
      for (let k = 0; k <= classCount; k++) counts.push(0)
    }
    groupOf[i] = group
    const at = group + (classes[i] as number)
    counts[at] = (counts[at] as number) + 1
    counts[group + classCount] = (counts[group + classCount] as number) + 1
  }
  let sum = 0
  for (let i = 0; i < groups.length; i++) {
    const group = groupOf[i] as number
    const label = classes[i] as number
    const same = (counts[group + label] as number) - 1 + smoothing * (shares[label] as number)
    sum += Math.log(same / ((counts[group + classCount] as number) - 1 + smoothing))
  }
  return sum / groups.length
}

/** Two indices of points for each pair, the best pair first. */
export function choosePairs(all: AtomRows, stage: Stage): Int32Array {
  const rows = sampleAtoms(all)
  const { pointCount, atoms, classes, classCount } = rows
  const count = classes.length
  if (count < rowsMin || pointCount < 2) return new Int32Array(0)
  const shares = new Float64Array(classCount)
  for (const label of classes) shares[label] = (shares[label] as number) + 1 / count
  const groups = new Int32Array(count)
  const single: { point: number; likelihood: number }[] = []
  for (let point = 0; point < pointCount; point++) {
    stage.at((0.3 * point) / pointCount)
    for (let i = 0; i < count; i++) groups[i] = atoms[i * pointCount + point] as number
    single.push({ point, likelihood: groupLikelihood(groups, classes, shares) })
  }
  const best = single.sort((a, b) => b.likelihood - a.likelihood || a.point - b.point).slice(0, pointsMax)
  const pairs: { first: number; second: number; gain: number }[] = []
  const rest = part(stage, 0.3, 1)
  for (let a = 0; a < best.length; a++) {
    rest.at(a / best.length)
    const first = best[a] as { point: number; likelihood: number }
    for (let b = a + 1; b < best.length; b++) {
      const second = (best[b] as { point: number; likelihood: number }).point
      for (let i = 0; i < count; i++) {
        groups[i] = hashPair(atoms[i * pointCount + first.point] as number, atoms[i * pointCount + second] as number)
      }
      const gain = groupLikelihood(groups, classes, shares) - first.likelihood
      if (gain > gainMin + gainChance / count) pairs.push({ first: first.point, second, gain })
    }
  }
  pairs.sort((x, y) => y.gain - x.gain || x.first - y.first || x.second - y.second)
  return Int32Array.from(pairs.slice(0, pairsMax).flatMap((pair) => [pair.first, pair.second]))
}
