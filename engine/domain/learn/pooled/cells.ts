/**
 * The labels of events that are equal at a few telling points: such events share a cell.
 *
 *   p = (label counts of the cell + k p_pool) / (events in the cell + k)
 *
 * A cell with many labels decides nearly alone, one with few hardly counts. The points of a cell and k are chosen by
 * held-out examples; where nothing gains, there are no cells. This carries the smoothing of the knowledge base
 * (decide/decision.ts) over to events without votes.
 */
import { FeatureTable } from '../features/feature-table.js'
import { sampleAtoms, groupLikelihood, type AtomRows } from '../features/pair-choice.js'
import { hashPair } from '../hash.js'
import type { ModelReader, ModelWriter } from '../model-bytes.js'
import type { Stage } from '../progress.js'
import type { HeldOut } from './held-out.js'

export interface Cells {
  /** Indices of the points that define a cell; empty where there are no cells. */
  readonly key: Int32Array
  /** The weight k of the pool's answer, in events. */
  readonly smoothing: number
  readonly hashes: Int32Array
  /** Weights of the labels, by cell and class. */
  readonly counts: Float32Array
}

export const noCells: Cells = {
  key: new Int32Array(0),
  smoothing: 1,
  hashes: new Int32Array(0),
  counts: new Float32Array(0),
}

/** Points that cells are chosen among, and the most points of a cell. */
const pointsMax = 12
const keyMax = 3
const smoothings = [1, 2, 4, 8, 16, 32, 64]
/** With fewer held-out examples, the best of so many trials would be best by chance. */
const examplesMin = 300
/** The least gain, as a share of the log-loss. */
const gainMin = 0.005

/** The hash of an event's cell: its values at the key's points; its atoms start at `at`. */
export function cellHash(key: Int32Array, atoms: Int32Array, at: number): number {
  let hash = key.length
  for (let i = 0; i < key.length; i++) hash = hashPair(hash, atoms[at + (key[i] as number)] as number)
  return hash
}

/** Keys to try: the best point, the best second and third point with it, and all points together. */
function candidateKeys(all: AtomRows, stage: Stage): Int32Array[] {
  const rows = sampleAtoms(all)
  const { pointCount, atoms, classes, classCount } = rows
  const shares = new Float64Array(classCount)
  for (const label of classes) shares[label] = (shares[label] as number) + 1 / classes.length
  const groups = new Int32Array(classes.length)
  const likelihoodOf = (key: Int32Array): number => {
    for (let i = 0; i < groups.length; i++) groups[i] = cellHash(key, atoms, i * pointCount)
    return groupLikelihood(groups, classes, shares)
  }
  const points = Array.from({ length: pointCount }, (_, point) => {
    stage.at((0.5 * point) / pointCount)
    return { point, likelihood: likelihoodOf(Int32Array.of(point)) }
  })
  const best = points.sort((a, b) => b.likelihood - a.likelihood || a.point - b.point).slice(0, pointsMax)
  const keys: Int32Array[] = [Int32Array.from({ length: pointCount }, (_, point) => point)]
  let key: number[] = []
  for (let size = 1; size <= Math.min(keyMax, pointCount); size++) {
    stage.at(0.5 + (0.5 * size) / keyMax)
    let found = -1
    let most = -Infinity
    for (const { point } of best) {
      if (key.includes(point)) continue
      const value = likelihoodOf(Int32Array.from([...key, point]))
      if (value <= most) continue
      most = value
      found = point
    }
    if (found < 0) break
    key = [...key, found]
    keys.push(Int32Array.from(key))
  }
  return keys
}

/** Label counts of the cells of held-out examples, without the example's own fold. */
export function heldOutCounts(key: Int32Array, rows: AtomRows, weights: Float64Array, held: HeldOut): Float64Array {
  const { classCount } = held
  const foldOf = new Int32Array(rows.classes.length).fill(-1)
  held.examples.forEach((example, h) => {
    foldOf[example] = held.folds[h] as number
  })
  const table = new FeatureTable(rows.classes.length)
  const width = (held.foldCount + 1) * classCount
  const counts = new Float64Array(rows.classes.length * width)
  const cellOf = new Int32Array(rows.classes.length)
  for (let i = 0; i < cellOf.length; i++) {
    const cell = table.add(cellHash(key, rows.atoms, i * rows.pointCount))
    cellOf[i] = cell
    const at = cell * width + ((foldOf[i] as number) + 1) * classCount + (rows.classes[i] as number)
    counts[at] = (counts[at] as number) + (weights[i] as number)
  }
  const others = new Float64Array(held.examples.length * classCount)
  held.examples.forEach((example, h) => {
    for (let fold = 0; fold <= held.foldCount; fold++) {
      if (fold === (held.folds[h] as number) + 1) continue
      const from = (cellOf[example] as number) * width + fold * classCount
      for (let k = 0; k < classCount; k++)
        others[h * classCount + k] = (others[h * classCount + k] as number) + (counts[from + k] as number)
    }
  })
  return others
}

/** The input of the fit. */
export interface CellsInput {
  /** The whole values of all examples, and the weights of the examples. */
  readonly rows: AtomRows
  readonly weights: Float64Array
  readonly held: HeldOut
  /** The answers on the held-out examples so far; the fit updates them. */
  readonly pooled: Float64Array
  /** The uniform share of every answer. */
  readonly floor: number
}

/**
 * The log-loss of the answers with cells. `others` are the label counts of each cell; a `smoothing` of Infinity means
 * no cells.
 */
function lossWith({ held, pooled, floor }: CellsInput, others: Float64Array, smoothing: number): number {
  const { classCount, classes, weights } = held
  let loss = 0
  for (let h = 0; h < classes.length; h++) {
    const at = h * classCount
    let chance = pooled[at + (classes[h] as number)] as number
    if (smoothing < Infinity) {
      let total = 0
      for (let k = 0; k < classCount; k++) total += others[at + k] as number
      chance = ((others[at + (classes[h] as number)] as number) + smoothing * chance) / (total + smoothing)
    }
    loss -= (weights[h] as number) * Math.log((1 - floor) * chance + floor / classCount)
  }
  return loss
}

/** Chooses cells and mixes them into the answers. */
export function fitCells(input: CellsInput, stage: Stage): Cells {
  const { rows, weights, held, pooled } = input
  if (held.classes.length < examplesMin) return noCells
  let least = lossWith(input, pooled, Infinity) * (1 - gainMin)
  let best: { key: Int32Array; smoothing: number; others: Float64Array } | null = null
  for (const key of candidateKeys(rows, stage)) {
    stage.at(1)
    const others = heldOutCounts(key, rows, weights, held)
    for (const smoothing of smoothings) {
      const loss = lossWith(input, others, smoothing)
      if (loss >= least) continue
      least = loss
      best = { key, smoothing, others }
    }
  }
  if (best === null) return noCells
  const { classCount } = held
  for (let h = 0; h < held.classes.length; h++) {
    mixCounts(best.others, h * classCount, best.smoothing, pooled.subarray(h * classCount, (h + 1) * classCount))
  }
  const table = new FeatureTable(rows.classes.length)
  const counts = new Float64Array(rows.classes.length * classCount)
  for (let i = 0; i < rows.classes.length; i++) {
    const at = table.add(cellHash(best.key, rows.atoms, i * rows.pointCount)) * classCount + (rows.classes[i] as number)
    counts[at] = (counts[at] as number) + (weights[i] as number)
  }
  return {
    key: best.key,
    smoothing: best.smoothing,
    hashes: table.hashes(),
    counts: Float32Array.from(counts.subarray(0, table.size * classCount)),
  }
}

/** Mixes a cell's counts, which start at `at`, into an answer. */
export function mixCounts(
  counts: Float64Array | Float32Array,
  at: number,
  smoothing: number,
  answer: Float64Array,
): void {
  let total = smoothing
  for (let k = 0; k < answer.length; k++) total += counts[at + k] as number
  for (let k = 0; k < answer.length; k++)
    answer[k] = ((counts[at + k] as number) + smoothing * (answer[k] as number)) / total
}

export function writeCells(cells: Cells, to: ModelWriter): void {
  to.u32s(cells.key)
  to.f64(cells.smoothing)
  to.u32s(cells.hashes)
  to.f32s(cells.counts)
}

export function readCells(from: ModelReader): Cells {
  return {
    key: from.i32s(),
    smoothing: from.f64(),
    hashes: from.i32s(),
    counts: from.f32s(),
  }
}
