/** The protocol `--coarse`: means over the sets beside what others make of the same votes, then each set. */
import { groupBy } from './baselines.js'
import { coarseAnswers, type CoarseRun } from './coarse.js'
import { meanOf, type ClassificationFigures } from './figures.js'
import type { Done } from './task.js'
import { fixed, textTable } from './text-table.js'

type Coarse = Extract<Done, { readonly task: { readonly kind: 'coarse' } }>

const figures = ['accuracy', 'macroF1', 'logLoss', 'ece'] as const
const head = ['who answers', 'accuracy', 'macro F1', 'log-loss', 'ECE']

function meanFigures(runs: readonly CoarseRun[], name: (typeof coarseAnswers)[number]): ClassificationFigures {
  return meanOf(runs.map((run) => run.figures[name]))
}

function table(title: string, runs: readonly CoarseRun[]): string {
  const rows = coarseAnswers.map((name) => {
    const means = meanFigures(runs, name)
    return [name, ...figures.map((figure) => fixed(means[figure]))]
  })
  return `${title}\n${textTable(head, rows)}`
}

export function coarseReport(done: readonly Coarse[]): string {
  const cases = groupBy(
    done,
    ({ task }) => `${task.analysts === 1 ? 'one analyst' : 'three analysts'}, ${task.labels} votes`,
  )
  const means = [...cases].map(([title, group]) =>
    table(
      `${title}: mean of ${new Set(group.map(({ task }) => task.set)).size} sets`,
      group.map(({ run }) => run),
    ),
  )
  const sets = groupBy(done, ({ task }) => task.set)
  const points = [...sets].map(([set, group]) => `${set}: ${group[0]?.run.points.join(', ') ?? ''}`)
  const single = [...sets].map(([set, group]) =>
    table(
      `${set}: mean of all votes`,
      group.map(({ run }) => run),
    ),
  )
  return [
    'Coarse decision points',
    table(
      'all',
      done.map(({ run }) => run),
    ),
    ...means,
    points.join('\n'),
    ...single,
  ].join('\n\n')
}
