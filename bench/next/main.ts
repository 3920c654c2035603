/**
 * `npm run bench:next`: how good decisions are after 10, 30, 100 and 300 votes, by the rule that picks what is asked.
 *
 * Each rule answers the same sets with the same seeds, so that rules are compared in pairs. Each run is written to
 * standard error as it ends. With `--json` all runs are kept, and runs that the file has are not made again.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { loadDataset, setsOf } from '../quality/dataset.js'
import { textTable } from '../quality/text-table.js'
import { rules, type Rule } from './rules.js'
import { areaOf, bucketsOf, simulate, type Point } from './simulate.js'

const usage = `npm run bench:next -- --data FOLDER

  --data FOLDER   the labelled sets, one folder each, as for bench:quality
  --sets a,b      these sets alone
  --rules a,b     these rules alone: ${rules.map(({ name }) => name).join(', ')}
  --seeds N       seeds 0 to N - 1 (3)
  --clicks N      the last click (300)
  --json FILE     every run; runs that it has already are not made again`

interface Run {
  readonly set: string
  readonly rule: string
  readonly seed: number
  readonly points: readonly Point[]
}

const shown = [10, 30, 100, 300]

function parsed(): {
  data: string
  sets: string[]
  chosen: readonly Rule[]
  seeds: number
  clicks: number
  json: string | null
} | null {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: { data: text, sets: text, rules: text, seeds: text, clicks: text, json: text },
  })
  if (values.data === undefined || !existsSync(values.data)) return null
  const named = values.rules?.split(',')
  return {
    data: values.data,
    sets: values.sets?.split(',') ?? setsOf(values.data),
    chosen: named === undefined ? rules : rules.filter(({ name }) => named.includes(name)),
    seeds: Number(values.seeds ?? 3),
    clicks: Number(values.clicks ?? 300),
    json: values.json ?? null,
  }
}

const percent = (value: number): string => (100 * value).toFixed(1)
const mean = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0) / all.length

function table(runs: readonly Run[], names: readonly string[]): string {
  const clicks = shown.filter((one) => runs.some(({ points }) => points.some((point) => point.clicks === one)))
  const rows = names.map((name) => {
    const own = runs.filter(({ rule }) => rule === name)
    const at = (figure: 'right' | 'macroF1') =>
      clicks.map((one) =>
        percent(mean(own.flatMap(({ points }) => points.filter((p) => p.clicks === one).map((p) => p[figure])))),
      )
    const area = (figure: 'right' | 'macroF1'): string => percent(mean(own.map(({ points }) => areaOf(points, figure))))
    return [name, String(own.length), ...at('right'), ...at('macroF1'), area('right'), area('macroF1')]
  })
  const head = [
    'rule',
    'runs',
    ...clicks.map((one) => `right ${one}`),
    ...clicks.map((one) => `F1 ${one}`),
    'area right',
    'area F1',
  ]
  return textTable(head, rows)
}

function main(): void {
  const options = parsed()
  if (options === null) {
    console.error(usage)
    process.exitCode = 2
    return
  }
  const { data, sets, chosen, seeds, clicks, json } = options
  const runs: Run[] = json !== null && existsSync(json) ? (JSON.parse(readFileSync(json, 'utf8')) as Run[]) : []
  for (const set of sets) {
    const dataset = loadDataset(data, set)
    const buckets = bucketsOf(dataset)
    for (let seed = 0; seed < seeds; seed++)
      for (const rule of chosen) {
        if (runs.some((run) => run.set === set && run.rule === rule.name && run.seed === seed)) continue
        const startedAt = performance.now()
        const points = simulate(dataset, buckets, { rule, seed, clicks })
        runs.push({ set, rule: rule.name, seed, points })
        if (json !== null) writeFileSync(json, JSON.stringify(runs))
        const curve = points
          .filter((p) => shown.includes(p.clicks))
          .map((p) => `${percent(p.right)}/${percent(p.macroF1)}`)
        console.error(
          `${set} ${rule.name} ${seed}: ${curve.join(' ')}  ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
        )
      }
  }
  const names = chosen.map(({ name }) => name)
  const wanted = runs.filter(({ set, rule, seed }) => sets.includes(set) && names.includes(rule) && seed < seeds)
  for (const set of sets)
    console.log(
      `${set}\n\n${table(
        wanted.filter((run) => run.set === set),
        names,
      )}\n`,
    )
  console.log(`mean over the sets\n\n${table(wanted, names)}`)
}

main()
