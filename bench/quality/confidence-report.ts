/** Whether confidence can be believed: means over the sets, then each set. */
import { groupBy } from './baselines.js'
import type { ClassificationRun, RunFigures } from './classify.js'
import { meanOf } from './figures.js'
import type { Done } from './task.js'
import { fixed, textTable } from './text-table.js'

type Scored = Extract<Done, { run: ClassificationRun }>

/** The share of answers of 99 % and more that is right; NaN without such answers. */
function sureRight({ sure, sureWrong }: RunFigures): number {
  return sure === 0 ? Number.NaN : 1 - sureWrong / sure
}

function rowOf(name: string, all: readonly Scored[]): string[] {
  const figures = meanOf(all.map(({ run }) => run.figures))
  return [
    name,
    fixed(figures.ruleAccuracy),
    fixed(figures.ruleMacroF1),
    fixed(figures.accuracy),
    fixed(figures.macroF1),
    fixed(figures.logLoss),
    fixed(figures.ece),
    fixed(figures.ruleEce),
    fixed(figures.chanceEce),
    fixed(figures.worstGap, 2),
    fixed(100 * figures.sure, 1),
    fixed(100 * sureRight(figures), 1),
    fixed(figures.commonestAccuracy),
    fixed(figures.commonestMacroF1),
  ]
}

export function confidenceReport(done: readonly Scored[], title: string): string {
  const numeric = (a: readonly [string, unknown], b: readonly [string, unknown]): number =>
    a[0].localeCompare(b[0], 'en', { numeric: true })
  const rows = [
    ...[...groupBy(done, ({ task }) => `mean, ${task.labels} labels`)].sort(numeric),
    ...groupBy(done, ({ task }) => `${task.set} ${task.labels}`),
  ].map(([name, all]) => rowOf(name, all))
  const head = [
    title,
    'accuracy',
    'macro F1',
    'for accuracy',
    'its F1',
    'log-loss',
    'ECE',
    'of answers',
    'by chance',
    'worst bin',
    '≥ 99, %',
    'right, %',
    'commonest',
    'its F1',
  ]
  return textTable(head, rows)
}
