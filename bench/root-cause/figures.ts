/**
 * Figures of one run, and their intervals by bootstrap.
 *
 * The bootstrap draws whole units: a true cluster, together with the others that a found cluster joins it to.
 */
import { ClassificationTally } from '../quality/figures.js'
import { SeededRandom } from '../../engine/rng.js'
import type { Alarm } from './alarms.js'
import type { Said } from './play.js'

export interface RcaFigures {
  readonly macroF1: number
  readonly rootF1: number
  readonly symptomF1: number
  readonly ari: number
}

export interface RcaReport extends RcaFigures {
  readonly vMeasure: number
  /** The share of clusters with more than one alarm whose first root cause is one. */
  readonly topPrecision: number
  readonly logLoss: number
  readonly ece: number
  readonly macroF1AtOnce: number
  /** 2.5 % and 97.5 % of the bootstrap. */
  readonly intervals: Readonly<Record<keyof RcaFigures, readonly [number, number]>>
}

const LABELS = 3
const pairs = (n: number): number => (n * (n - 1)) / 2

/** Sums over alarms from which the figures are computed. */
class Sums {
  readonly confusion = new Float64Array(LABELS * LABELS)
  alarms = 0
  together = 0
  trueTogether = 0
  foundTogether = 0

  add(other: Sums): void {
    for (let i = 0; i < this.confusion.length; i++)
      this.confusion[i] = (this.confusion[i] as number) + (other.confusion[i] as number)
    this.alarms += other.alarms
    this.together += other.together
    this.trueTogether += other.trueTogether
    this.foundTogether += other.foundTogether
  }

  f1(label: number): number {
    let [truths, said] = [0, 0]
    for (let other = 0; other < LABELS; other++) {
      truths += this.confusion[label * LABELS + other] as number
      said += this.confusion[other * LABELS + label] as number
    }
    return truths + said === 0 ? 0 : (2 * (this.confusion[label * LABELS + label] as number)) / (truths + said)
  }

  /** L. Hubert and P. Arabie 1985. */
  get ari(): number {
    const chance = (this.trueTogether * this.foundTogether) / pairs(this.alarms)
    const most = (this.trueTogether + this.foundTogether) / 2
    return most === chance ? 1 : (this.together - chance) / (most - chance)
  }

  figures(): RcaFigures {
    return {
      macroF1: (this.f1(0) + this.f1(1) + this.f1(2)) / LABELS,
      rootF1: this.f1(0),
      symptomF1: this.f1(1),
      ari: this.ari,
    }
  }
}

function countBy<T>(items: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return counts
}

function sumPairs(counts: ReadonlyMap<unknown, number>): number {
  let sum = 0
  for (const count of counts.values()) sum += pairs(count)
  return sum
}

function sumsOf(lines: readonly number[], alarms: readonly Alarm[], { said, clusters }: Said): Sums {
  const sums = new Sums()
  for (const line of lines) {
    const at = (alarms[line] as Alarm).label * LABELS + (said[line] as number)
    sums.confusion[at] = (sums.confusion[at] as number) + 1
  }
  sums.alarms = lines.length
  sums.trueTogether = sumPairs(countBy(lines.map((line) => (alarms[line] as Alarm).cluster)))
  sums.foundTogether = sumPairs(countBy(lines.map((line) => clusters[line] as number)))
  sums.together = sumPairs(countBy(lines.map((line) => `${(alarms[line] as Alarm).cluster} ${clusters[line]}`)))
  return sums
}

/** A. Rosenberg and J. Hirschberg 2007. */
function vMeasure(lines: readonly number[], alarms: readonly Alarm[], clusters: Float64Array): number {
  const truth = countBy(lines.map((line) => (alarms[line] as Alarm).cluster))
  const found = countBy(lines.map((line) => clusters[line] as number))
  const both = countBy(lines.map((line) => `${(alarms[line] as Alarm).cluster} ${clusters[line]}`))
  const entropy = (counts: ReadonlyMap<unknown, number>): number => {
    let sum = 0
    for (const count of counts.values()) sum -= (count / lines.length) * Math.log(count / lines.length)
    return sum
  }
  const [t, f, b] = [entropy(truth), entropy(found), entropy(both)]
  const homogeneity = t === 0 ? 1 : 1 - (b - f) / t
  const completeness = f === 0 ? 1 : 1 - (b - t) / f
  return (2 * homogeneity * completeness) / (homogeneity + completeness)
}

/** Lines by unit: true clusters that share a found one are one unit. */
function units(lines: readonly number[], alarms: readonly Alarm[], clusters: Float64Array): number[][] {
  const parents = new Map<string, string>()
  const find = (node: string): string => {
    let root = node
    for (let next = parents.get(root); next !== undefined && next !== root; next = parents.get(root)) root = next
    parents.set(node, root)
    return root
  }
  for (const line of lines) parents.set(find(`t ${(alarms[line] as Alarm).cluster}`), find(`f ${clusters[line]}`))
  const groups = new Map<string, number[]>()
  for (const line of lines) {
    const root = find(`f ${clusters[line]}`)
    groups.set(root, [...(groups.get(root) ?? []), line])
  }
  return [...groups.values()]
}

export function reportOf(alarms: readonly Alarm[], played: Said, draws: number): RcaReport {
  const lines = Array.from({ length: alarms.length - played.from }, (_, at) => played.from + at)
  const parts = units(lines, alarms, played.clusters).map((unit) => sumsOf(unit, alarms, played))
  const whole = new Sums()
  for (const part of parts) whole.add(part)
  const random = new SeededRandom(1)
  const drawn: RcaFigures[] = []
  for (let draw = 0; draw < draws; draw++) {
    const sums = new Sums()
    for (let i = 0; i < parts.length; i++) sums.add(random.pick(parts))
    drawn.push(sums.figures())
  }
  const interval = (name: keyof RcaFigures): [number, number] => {
    const sorted = drawn.map((each) => each[name]).sort((a, b) => a - b)
    return [sorted[Math.floor(0.025 * draws)] ?? NaN, sorted[Math.ceil(0.975 * draws) - 1] ?? NaN]
  }
  const tally = new ClassificationTally(LABELS)
  const atOnce = new ClassificationTally(LABELS)
  for (const line of lines) {
    const { label } = alarms[line] as Alarm
    const probabilities = played.probabilities.subarray(line * LABELS, line * LABELS + LABELS)
    tally.add(probabilities, label, played.said[line] as number)
    atOnce.add(probabilities, label, played.saidAtOnce[line] as number)
  }
  const top = played.topRanked.filter((line) => line >= played.from)
  const { logLoss, ece } = tally.figures()
  return {
    ...whole.figures(),
    vMeasure: vMeasure(lines, alarms, played.clusters),
    topPrecision: top.filter((line) => (alarms[line] as Alarm).label === 0).length / Math.max(1, top.length),
    logLoss,
    ece,
    macroF1AtOnce: atOnce.figures().macroF1,
    intervals: {
      macroF1: interval('macroF1'),
      rootF1: interval('rootF1'),
      symptomF1: interval('symptomF1'),
      ari: interval('ari'),
    },
  }
}
