/** Outliers beside the detectors: means over the tests, then each test. */
import { groupBy, type OutlierBaseline } from './baselines.js'
import { meanOf } from './figures.js'
import type { OutlierRun } from './outliers.js'
import type { Done } from './task.js'
import { fixed, textTable } from './text-table.js'

type Found = Extract<Done, { run: OutlierRun }>

interface Case {
  readonly set: string
  readonly heldOut: string
  readonly labels: number
  readonly ours: OutlierRun
  readonly baselines: readonly OutlierBaseline[]
}

type Field = 'auroc' | 'averagePrecision'

function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length
}

/** The detector with the best mean; NaN if none has figures for all tests. */
function bestDetector(cases: readonly Case[], field: Field): { detector: string; value: number } {
  let found = { detector: '–', value: Number.NaN }
  for (const [detector, all] of groupBy(
    cases.flatMap(({ baselines }) => baselines),
    (one) => one.detector,
  )) {
    const value = mean(all.map((one) => one[field]))
    if (all.length === cases.length && !(value <= found.value)) found = { detector, value }
  }
  return found
}

function meansTable(cases: readonly Case[]): string {
  const steps = [...new Set(cases.map(({ labels }) => labels))].sort((a, b) => a - b)
  const columns = [...steps.map((labels) => cases.filter((one) => one.labels === labels)), cases]
  const rows: string[][] = []
  const row = (what: string, of: (column: readonly Case[]) => string): number => rows.push([what, ...columns.map(of)])
  for (const [name, field] of [
    ['AUROC', 'auroc'],
    ['average precision', 'averagePrecision'],
  ] as const) {
    row(`${name}: ours`, (column) => {
      const ours = mean(column.map((one) => one.ours[field]))
      return `${fixed(ours)}${ours < bestDetector(column, field).value ? '*' : ' '}`
    })
    row('  best detector', (column) => `${fixed(bestDetector(column, field).value)} `)
    row('  which', (column) => bestDetector(column, field).detector)
  }
  for (const field of Object.keys((cases[0] as Case).ours) as (keyof OutlierRun)[]) {
    if (field === 'auroc' || field === 'averagePrecision') continue
    row(field, (column) => `${fixed(mean(column.map((one) => one.ours[field])))} `)
  }
  return textTable(
    ['means over the tests; * misses its bar', ...steps.map((n) => n.toLocaleString('en-US')), 'all'],
    rows,
  )
}

function testsTable(cases: readonly Case[]): string {
  const fields = Object.keys((cases[0] as Case).ours) as (keyof OutlierRun)[]
  const rest = fields.filter((field) => field !== 'auroc' && field !== 'averagePrecision')
  const head = ['set, kept out, labels', 'AUROC', 'best', 'by', 'AP', 'best', 'by', ...rest]
  const rows = cases.map((one) => {
    const auroc = bestDetector([one], 'auroc')
    const precision = bestDetector([one], 'averagePrecision')
    return [
      `${one.set} ${one.heldOut} ${one.labels}`,
      fixed(one.ours.auroc),
      fixed(auroc.value),
      auroc.detector,
      fixed(one.ours.averagePrecision),
      fixed(precision.value),
      precision.detector,
      ...rest.map((field) => fixed(one.ours[field])),
    ]
  })
  return textTable(head, rows)
}

export function outlierReport(done: readonly Found[], baselines: readonly OutlierBaseline[]): string {
  const cases = [...groupBy(done, ({ task }) => `${task.set} ${task.heldOut} ${task.labels}`).values()].map(
    (group): Case => {
      const { set, heldOut, labels } = (group[0] as Found).task
      const beside = baselines.filter((one) => one.set === set && one.heldOut === heldOut && one.labels === labels)
      return { set, heldOut, labels, ours: meanOf(group.map(({ run }) => run)), baselines: beside }
    },
  )
  return `Outliers\n\n${meansTable(cases)}\n\n${testsTable(cases)}`
}
