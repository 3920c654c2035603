/** What may be asked of `npm run bench:quality`. */
import { parseArgs } from 'node:util'
import { classificationSets, strategies, type Strategy } from './dataset.js'

export interface QualityOptions {
  /** Folder of the labelled sets. */
  readonly data: string
  /** Folder of the baselines. */
  readonly baselines: string
  readonly sets: readonly string[]
  /** 0 to seeds - 1. */
  readonly seeds: number
  readonly labels: readonly number[]
  readonly strategies: readonly Strategy[]
  readonly parts: ReadonlySet<'classification' | 'outliers' | 'drift'>
  /** An example an event, of weight 1, in place of an example a bucket. */
  readonly single: boolean
  readonly workers: number
  /** Where to write every figure, or null. */
  readonly json: string | null
}

/** An option that cannot be followed; the message is for people. */
export class BadOption extends Error {}

export const usage = `npm run bench:quality -- --data FOLDER --baselines FOLDER

  --data FOLDER       the labelled sets, one folder each
  --baselines FOLDER  baselines.csv and outlier-baselines.csv
  --sets a,b          these sets alone
  --seeds N           seeds 0 to N - 1 (1 to 3; default 3)
  --labels 10,30      these numbers of labels alone
  --strategy S        random or largest (buckets first); default both
  --decisions         the decisions alone
  --outliers          the outlier tests alone
  --drift             the tests along the stream alone
  --single            an example an event of weight 1, as in a job without buckets; default an example a bucket
  --workers N         threads (default 1: the machine may be shared)
  --json FILE         every figure of every run`

const labelSteps = [10, 30, 100, 300, 1_000, 3_000]

function list(text: string | undefined, all: readonly string[], name: string): readonly string[] {
  if (text === undefined) return all
  const chosen = text.split(',').map((word) => word.trim())
  const unknown = chosen.filter((word) => !all.includes(word))
  if (unknown.length > 0) throw new BadOption(`--${name} does not know ${unknown.join(', ')}; it takes ${all.join(', ')}.`)
  return chosen
}

function whole(text: string | undefined, low: number, high: number, otherwise: number, name: string): number {
  const value = text === undefined ? otherwise : Number(text)
  if (!Number.isInteger(value) || value < low || value > high) {
    throw new BadOption(`--${name} takes a whole number from ${low} to ${high}.`)
  }
  return value
}

/** @throws BadOption. */
export function parseOptions(args: readonly string[]): QualityOptions | 'help' {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const options = {
    data: text, baselines: text, sets: text, seeds: text, labels: text, strategy: text, workers: text, json: text,
    decisions: flag, outliers: flag, drift: flag, single: flag, help: flag,
  }
  let values
  try {
    values = parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw new BadOption((error as Error).message)
  }
  if (values.help === true) return 'help'
  if (values.data === undefined || values.baselines === undefined) throw new BadOption('--data and --baselines are needed.')
  const labels = list(values.labels, labelSteps.map(String), 'labels').map(Number)
  const chosen: QualityOptions['parts'] = new Set([
    ...(values.decisions === true ? ['classification' as const] : []),
    ...(values.outliers === true ? ['outliers' as const] : []),
    ...(values.drift === true ? ['drift' as const] : []),
  ])
  return {
    data: values.data,
    baselines: values.baselines,
    sets: list(values.sets, classificationSets, 'sets'),
    seeds: whole(values.seeds, 1, 3, 3, 'seeds'),
    labels,
    strategies: list(values.strategy, strategies, 'strategy') as readonly Strategy[],
    parts: chosen.size > 0 ? chosen : new Set(['classification', 'outliers', 'drift']),
    single: values.single === true,
    workers: whole(values.workers, 1, 64, 1, 'workers'),
    json: values.json ?? null,
  }
}
