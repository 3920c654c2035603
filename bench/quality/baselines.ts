/** Figures that others reached on the same lines, from the files in the `--baselines` folder. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Strategy } from './dataset.js'
import type { ClassificationFigures } from './figures.js'
import { BadFile } from './set-files.js'

export interface Baseline extends ClassificationFigures {
  readonly set: string
  readonly strategy: Strategy
  readonly labels: number
  readonly model: string
}

export interface OutlierBaseline {
  readonly set: string
  readonly heldOut: string
  readonly labels: number
  readonly detector: string
  readonly auroc: number
  readonly averagePrecision: number
  readonly falseAlarms: number
  readonly found: number
}

/** The rows by the names of their columns, which may have any order. @throws BadFile. */
function rowsOf(path: string, names: readonly string[]): Record<string, string>[] {
  if (!existsSync(path)) throw new BadFile(`There is no file ${path}.`)
  const [head = '', ...lines] = readFileSync(path, 'utf8').trim().split('\n')
  const columns = head.trim().split(',')
  const absent = names.filter((name) => !columns.includes(name))
  if (absent.length > 0) throw new BadFile(`${path} has no column ${absent.join(', ')}.`)
  return lines.map((line) => {
    const cells = line.trim().split(',')
    return Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? '']))
  })
}

export function readBaselines(folder: string): Baseline[] {
  return rowsOf(join(folder, 'baselines.csv'), [
    'data',
    'pick',
    'labels',
    'model',
    'accuracy',
    'macro_f1',
    'log_loss',
    'ece',
  ]).map((row) => ({
    set: row.data ?? '',
    strategy: row.pick === 'random' ? 'random' : 'largest',
    labels: Number(row.labels),
    model: row.model ?? '',
    accuracy: Number(row.accuracy),
    macroF1: Number(row.macro_f1),
    logLoss: Number(row.log_loss),
    ece: Number(row.ece),
  }))
}

/** Empty if the folder has no outlier-baselines.csv. */
export function readOutlierBaselines(folder: string): OutlierBaseline[] {
  const path = join(folder, 'outlier-baselines.csv')
  if (!existsSync(path)) return []
  return rowsOf(path, ['data', 'held_out', 'labels', 'detector', 'auroc', 'average_precision', 'fpr', 'tpr']).map(
    (row) => ({
      set: row.data ?? '',
      heldOut: row.held_out ?? '',
      labels: Number(row.labels),
      detector: row.detector ?? '',
      auroc: Number(row.auroc),
      averagePrecision: Number(row.average_precision),
      falseAlarms: Number(row.fpr),
      found: Number(row.tpr),
    }),
  )
}

/** Groups by a key, in the order of first appearance. */
export function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) {
    const key = keyOf(one)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [one])
    else group.push(one)
  }
  return groups
}
