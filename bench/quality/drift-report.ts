/** Calibration along the stream: tenth by tenth, over the sets, with the model watch and without. */
import { groupBy } from './baselines.js'
import type { DriftRun, DriftTenth } from './drift.js'
import type { Done } from './task.js'
import { fixed, textTable } from './text-table.js'

type Followed = Extract<Done, { run: DriftRun }>

function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length
}

/** The absolute gap between mean confidence and accuracy, of one tenth. */
function gap(tenth: DriftTenth): number {
  return Math.abs(tenth.confidence - tenth.accuracy)
}

function rowsOf(what: string, runs: readonly DriftRun[], of: (tenth: DriftTenth) => number): string[][] {
  return (['without', 'with'] as const).map((side) => {
    const columns = [...new Array(10).keys()].map((i) => mean(runs.map((run) => of(run[side][i] as DriftTenth))))
    return [`${what}, ${side}`, ...columns.map((value) => fixed(value)), fixed(mean(columns))]
  })
}

export function driftReport(done: readonly Followed[]): string {
  const tables = [
    ...groupBy(
      done,
      ({ task }) => `${task.labels} labels, feedback on ${task.pace === 0 ? 'none' : `1 in ${task.pace}`}`,
    ),
  ]
  const texts = tables.map(([name, group]) => {
    const runs = group.map(({ run }) => run)
    const rows = [
      ...rowsOf('|confidence - accuracy|', runs, gap),
      ...rowsOf('calibration error', runs, ({ ece }) => ece),
      ...rowsOf('log-loss', runs, ({ logLoss }) => logLoss),
      ...[...groupBy(group, ({ task }) => task.set)].flatMap(([set, own]) => {
        const found = own.filter(({ run }) => run.ageingAt < 10)
        const when =
          found.length === 0
            ? 'never'
            : `${found.length} of ${own.length} from tenth ${Math.min(...found.map(({ run }) => run.ageingAt)) + 1} on`
        return rowsOf(
          `  ${set} gap (ageing: ${when})`,
          own.map(({ run }) => run),
          gap,
        )
      }),
    ]
    return textTable([name, ...[...new Array(10).keys()].map((i) => String(i + 1)), 'mean'], rows)
  })
  return `Along the stream, by tenths, with the watch over the model and without\n\n${texts.join('\n\n')}`
}
