/** `npm run bench:rca`: causes, symptoms and clusters on labelled alarms, beside the figures of simple methods. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { meanOf } from '../quality/figures.js'
import { fixed, textTable } from '../quality/text-table.js'
import { loadAlarms, setsOf } from './alarms.js'
import { blindAlarms } from './blind.js'
import { reportOf, type RcaReport } from './figures.js'
import { BadOption, parseOptions, usage, type RcaOptions } from './options.js'
import { play } from './play.js'
import { mined } from './simple-methods.js'
import { runSynthetic, syntheticReport } from './synthetic.js'

interface BaselineRow {
  readonly ds: string
  readonly method: string
  readonly N?: number
  readonly f1: number
  readonly ari?: number
}

/**
 * The better of the two methods: the best that mines 60 s without a label, and the best model on the alert and its
 * context.
 */
function barOf(rows: readonly BaselineRow[], set: string, labels: number): { f1: number | null; ari: number | null } {
  const own = rows.filter((row) => row.ds === set)
  const mined = own.filter((row) => row.method.startsWith('mined_60s'))
  const models = new Map<string, number[]>()
  for (const row of own)
    if (row.N === labels && row.method.endsWith('+context'))
      models.set(row.method, [...(models.get(row.method) ?? []), row.f1])
  const means = [...models.values()].map((f1s) => f1s.reduce((a, b) => a + b, 0) / f1s.length)
  const f1s = [...mined.map(({ f1 }) => f1), ...means]
  const aris = mined.map(({ ari }) => ari ?? 0)
  return { f1: f1s.length === 0 ? null : Math.max(...f1s), ari: aris.length === 0 ? null : Math.max(...aris) }
}

interface Line {
  readonly set: string
  readonly labels: number
  readonly mean: RcaReport
  readonly bar: { f1: number | null; ari: number | null }
  readonly windowSeconds: number
  readonly microsEach: number
  readonly trainingSeconds: number
}

function run(options: RcaOptions, data: string): Line[] {
  const rows =
    options.baselines === null
      ? []
      : (JSON.parse(readFileSync(join(options.baselines, 'rca-baselines.json'), 'utf8')) as BaselineRow[])
  return (options.sets ?? setsOf(data)).flatMap((set) => {
    const named = loadAlarms(data, set).slice(0, options.alarms ?? Infinity)
    const simple = options.alarms === null ? null : reportOf(named, mined(named), 0)
    const alarms = options.blind ? blindAlarms(named) : named
    return options.labels.map((labels) => {
      const runs = Array.from({ length: labels === 0 ? 1 : options.seeds }, (_, seed) => {
        const played = play(alarms, { labels, seed, parameters: options.parameters, points: options.points })
        return { played, report: reportOf(alarms, played, options.draws) }
      })
      const { intervals, ...first } = meanOf(runs.map(({ report }) => report))
      const between = (name: keyof typeof intervals): [number, number] => {
        const of = (side: 0 | 1): number =>
          runs.reduce((sum, { report }) => sum + report.intervals[name][side], 0) / runs.length
        return [of(0), of(1)]
      }
      const mean = {
        ...first,
        intervals: {
          macroF1: between('macroF1'),
          rootF1: between('rootF1'),
          symptomF1: between('symptomF1'),
          ari: between('ari'),
        },
      }
      const times = meanOf(
        runs.map(({ played }) => ({
          windowSeconds: played.windowMs / 1000,
          microsEach: played.microsEach,
          trainingSeconds: played.trainingSeconds,
        })),
      )
      const bar = simple === null ? barOf(rows, set, labels) : { f1: simple.macroF1, ari: simple.ari }
      const line = { set, labels, mean, bar, ...times }
      console.error(`${set} ${labels}: ${fixed(mean.macroF1)}`)
      return line
    })
  })
}

function report(lines: readonly Line[]): string {
  const span = ([low, high]: readonly [number, number]): string => `${fixed(low)} to ${fixed(high)}`
  const head = [
    'set',
    'labels',
    'macro F1',
    '95 %',
    'bar',
    'root F1',
    'ARI',
    '95 %',
    'bar',
    'V',
    'top cause',
    'log-loss',
    'ECE',
    'at once',
    'window s',
    'µs an alarm',
    'training s',
  ]
  return textTable(
    head,
    lines.map(({ set, labels, mean, bar, windowSeconds, microsEach, trainingSeconds }) => [
      set,
      String(labels),
      fixed(mean.macroF1),
      span(mean.intervals.macroF1),
      fixed(bar.f1),
      fixed(mean.rootF1),
      fixed(mean.ari),
      span(mean.intervals.ari),
      fixed(bar.ari),
      fixed(mean.vMeasure),
      fixed(mean.topPrecision),
      fixed(mean.logLoss),
      fixed(mean.ece),
      fixed(mean.macroF1AtOnce),
      fixed(windowSeconds, 0),
      fixed(microsEach, 1),
      fixed(trainingSeconds, 1),
    ]),
  )
}

try {
  const options = parseOptions(process.argv.slice(2))
  if (options === 'help') console.log(usage)
  else {
    const made = options.data === null ? runSynthetic(options) : null
    const lines = made ?? run(options, options.data as string)
    console.log(made === null ? report(lines as Line[]) : syntheticReport(made))
    if (options.json !== null) writeFileSync(options.json, `${JSON.stringify(lines, null, 1)}\n`)
  }
} catch (error) {
  if (!(error instanceof BadOption)) throw error
  console.error(`${error.message}\n\n${usage}`)
  process.exitCode = 2
}
