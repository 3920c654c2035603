/** What another training changes: means over the sets, then each set. */
import { groupBy } from './baselines.js'
import type { ChurnRun } from './churn.js'
import { meanOf } from './figures.js'
import type { Done } from './task.js'
import { fixed, textTable } from './text-table.js'

type Followed = Extract<Done, { run: ChurnRun }>

const againBar = 0.02
const oneMoreBar = 0.03

function rowOf(name: string, all: readonly Followed[]): string[] {
  const { again, againPoints, oneMore, oneMorePoints } = meanOf(all.map(({ run }) => run))
  const percent = (share: number, bar: number): string => `${fixed(100 * share, 1)}${share > bar ? '*' : ' '}`
  return [name, percent(again, againBar), fixed(againPoints, 1), percent(oneMore, oneMoreBar), fixed(oneMorePoints, 1)]
}

export function churnReport(done: readonly Followed[]): string {
  const rows = [
    ...[...groupBy(done, ({ task }) => `mean, ${task.labels} labels`)].sort((a, b) =>
      a[0].localeCompare(b[0], 'en', { numeric: true }),
    ),
    ...groupBy(done, ({ task }) => `${task.set} ${task.labels}`),
  ].map(([name, all]) => rowOf(name, all))
  const head = ['answers changed, %', 'other seed', 'points', 'one label more', 'points']
  return `Steadiness; * misses its bar\n\n${textTable(head, rows)}`
}
