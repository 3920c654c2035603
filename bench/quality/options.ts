/** The options of `npm run bench:quality`. */
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { setsOf, strategies, type Strategy } from './dataset.js'
import { shifts, type Shift } from './shift.js'

export interface QualityOptions {
  /** Folder of the labelled sets. */
  readonly data: string
  /** Folder of the baselines, or null without. */
  readonly baselines: string | null
  readonly sets: readonly string[]
  /** 0 to seeds - 1. */
  readonly seeds: number
  readonly labels: readonly number[]
  readonly strategies: readonly Strategy[]
  readonly parts: ReadonlySet<'classification' | 'outliers' | 'drift' | 'churn' | 'coarse'>
  /** Tests on a stream that moved away from what was labelled. */
  readonly shifts: readonly Shift[]
  /** Through the HTTP interface of the service, beside the engine called directly. */
  readonly overHttp: boolean
  /** One example of weight 1 an event, instead of one example a bucket. */
  readonly single: boolean
  readonly workers: number
  /** File for every figure, or null. */
  readonly json: string | null
}

/** An option that cannot be used. The message is for people. */
export class BadOption extends Error {}

export const usage = `npm run bench:quality -- --data FOLDER [--baselines FOLDER]

  --data FOLDER       the labelled sets, one folder each; those that have a protocol.json.gz are taken
  --baselines FOLDER  baselines.csv, and outlier-baselines.csv if there is one: what others reached on the same lines
  --sets a,b          these sets alone
  --seeds N           seeds 0 to N - 1 (default 3)
  --labels 10,30      these numbers of labels, as far as a set has them (default 10,30,100,300,1000,3000)
  --strategy S        random or largest (buckets first); default both
  --decisions         the decisions alone
  --outliers          the outlier tests alone
  --drift             the tests along the stream alone
  --shift S           the tests on a stream that moved alone: time or group, or both as time,group
  --churn             what another training changes alone
  --coarse            few decision points, mixed buckets, votes on events; only with this option
  --over-http         the same labels and events through the HTTP interface of the service; sets of three labels
  --single            an example an event of weight 1, as in a job without buckets; default an example a bucket
  --workers N         threads (default 1: the machine may be shared)
  --json FILE         every figure of every run`

const labelSteps = '10,30,100,300,1000,3000'

function list(text: string | undefined, all: readonly string[], name: string): readonly string[] {
  if (text === undefined) return all
  const chosen = text.split(',').map((word) => word.trim())
  const unknown = chosen.filter((word) => !all.includes(word))
  if (unknown.length > 0)
    throw new BadOption(`--${name} does not know ${unknown.join(', ')}; it takes ${all.join(', ')}.`)
  return chosen
}

interface Whole {
  readonly low: number
  readonly high: number
  readonly otherwise: number
}

function whole(name: string, text: string | undefined, { low, high, otherwise }: Whole): number {
  const value = text === undefined ? otherwise : Number(text)
  if (!Number.isInteger(value) || value < low || value > high) {
    throw new BadOption(`--${name} takes a whole number from ${low} to ${high}.`)
  }
  return value
}

function orBadOption<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new BadOption((error as Error).message)
  }
}

/** @throws BadOption. */
export function parseOptions(args: readonly string[]): QualityOptions | 'help' {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const options = {
    data: text,
    baselines: text,
    sets: text,
    seeds: text,
    labels: text,
    strategy: text,
    workers: text,
    json: text,
    decisions: flag,
    outliers: flag,
    drift: flag,
    shift: text,
    churn: flag,
    coarse: flag,
    'over-http': flag,
    single: flag,
    help: flag,
  }
  const values = orBadOption(() => parseArgs({ args: [...args], options }).values)
  if (values.help === true) return 'help'
  if (values.data === undefined) throw new BadOption('--data is needed.')
  if (!existsSync(values.data)) throw new BadOption(`There is no folder ${values.data}.`)
  const sets = list(values.sets, setsOf(values.data), 'sets')
  if (values.baselines !== undefined && !existsSync(values.baselines))
    throw new BadOption(`There is no folder ${values.baselines}.`)
  if (sets.length === 0) throw new BadOption(`No folder of ${values.data} has a protocol.json.gz.`)
  const steps = (values.labels ?? labelSteps).split(',')
  const labels = steps.map((step) => whole('labels', step, { low: 1, high: 1_000_000, otherwise: 0 }))
  const chosen: QualityOptions['parts'] = new Set([
    ...(values.decisions === true ? ['classification' as const] : []),
    ...(values.outliers === true ? ['outliers' as const] : []),
    ...(values.drift === true ? ['drift' as const] : []),
    ...(values.churn === true ? ['churn' as const] : []),
    ...(values.coarse === true ? ['coarse' as const] : []),
  ])
  const moved = values.shift === undefined ? [] : (list(values.shift, shifts, 'shift') as readonly Shift[])
  const overHttp = values['over-http'] === true
  return {
    data: values.data,
    baselines: values.baselines ?? null,
    sets,
    seeds: whole('seeds', values.seeds, { low: 1, high: 100, otherwise: 3 }),
    labels,
    strategies: list(values.strategy, strategies, 'strategy') as readonly Strategy[],
    parts: chosen.size + moved.length > 0 || overHttp ? chosen : new Set(['classification', 'outliers', 'drift']),
    shifts: moved,
    overHttp,
    single: values.single === true,
    workers: whole('workers', values.workers, { low: 1, high: 64, otherwise: 1 }),
    json: values.json ?? null,
  }
}
