/** Decisions beside the baselines: means over the sets, then each set. */
import { groupBy, type Baseline } from './baselines.js'
import type { ClassificationRun, RunFigures } from './classify.js'
import { strategies, type Strategy } from './dataset.js'
import { meanOf, type ClassificationFigures } from './figures.js'
import type { Done } from './task.js'
import { fixed, textTable } from './text-table.js'

type Classified = Extract<Done, { run: ClassificationRun }> & { readonly task: { readonly kind: 'classification' } }

/** A set and a number of labels under one strategy. */
interface Case {
  readonly set: string
  readonly strategy: Strategy
  readonly labels: number
  readonly ours: RunFigures
  readonly baselines: readonly Baseline[]
}

interface Figure {
  readonly name: string
  readonly of: (figures: ClassificationFigures) => number
  /**
   * Our figures under the rule for macro F1, the default of a job, where the rule makes a difference. `of` is then the
   * figures under the rule for accuracy.
   */
  readonly ruled?: (run: RunFigures) => number
  /** 1 if more is better, -1 if less is. */
  readonly sign: 1 | -1
}

const macroF1: Figure = { name: 'macro F1', of: (figures) => figures.macroF1, sign: 1, ruled: (run) => run.ruleMacroF1 }
const logLoss: Figure = { name: 'log-loss', of: (figures) => figures.logLoss, sign: -1 }
const accuracy: Figure = {
  name: 'accuracy',
  of: (figures) => figures.accuracy,
  sign: 1,
  ruled: (run) => run.ruleAccuracy,
}

/** NaN for an empty list. */
function best(figure: Figure, all: readonly ClassificationFigures[]): number {
  return all.length === 0 ? Number.NaN : figure.sign * Math.max(...all.map((one) => figure.sign * figure.of(one)))
}

function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length
}

/** The single baseline with the best mean over these cases; NaN if none has figures for all of them. */
function bestSingle(figure: Figure, cases: readonly Case[]): { model: string; value: number } {
  const models = groupBy(
    cases.flatMap(({ baselines }) => baselines),
    ({ model }) => model,
  )
  let found = { model: '–', value: Number.NaN }
  for (const [model, all] of models) {
    if (all.length < cases.length) continue
    const value = mean(all.map(figure.of))
    if (!(figure.sign * (value - found.value) <= 0)) found = { model, value }
  }
  return found
}

function meansTable(cases: readonly Case[]): string {
  const steps = [...new Set(cases.map(({ labels }) => labels))].sort((a, b) => a - b)
  const rows: string[][] = []
  for (const strategy of strategies) {
    const columns = steps.map((labels) => cases.filter((one) => one.strategy === strategy && one.labels === labels))
    if (columns.every((column) => column.length === 0)) continue
    const row = (what: string, of: (column: readonly Case[]) => string): number =>
      rows.push([what, ...columns.map((column) => (column.length === 0 ? '–' : of(column)))])
    for (const figure of [macroF1, logLoss, accuracy]) {
      const show = (what: string, of: (run: RunFigures) => number): number =>
        row(what, (column) => {
          const ours = mean(column.map((one) => of(one.ours)))
          const behind = figure.sign * (ours - bestSingle(figure, column).value) < 0
          return `${fixed(ours)}${behind ? '*' : ' '}`
        })
      show(`${figure.name}, ${strategy}: ours`, figure.ruled ?? figure.of)
      if (figure.ruled !== undefined) show('  with the objective accuracy', figure.of)
      row('  best single', (column) => `${fixed(bestSingle(figure, column).value)} `)
      row('  which', (column) => bestSingle(figure, column).model)
      row('  best of all on each set', (column) => `${fixed(mean(column.map((one) => best(figure, one.baselines))))} `)
    }
    row(`calibration error, ${strategy}: ours`, (column) => {
      const error = mean(column.map((one) => one.ours.ece))
      const bar = (column[0]?.labels ?? 0) < 100 ? Infinity : strategy === 'random' ? 0.05 : 0.08
      return `${fixed(error)}${error <= bar ? ' ' : '*'}`
    })
    row('  largest of a set', (column) => `${fixed(Math.max(...column.map((one) => one.ours.ece)))} `)
    row(`training ms, largest`, (column) => fixed(Math.max(...column.map((one) => one.ours.trainingMs)), 0))
    row(`decision µs, largest mean`, (column) => fixed(Math.max(...column.map((one) => one.ours.decisionUs)), 1))
    row(`model KiB, largest`, (column) => fixed(Math.max(...column.map((one) => one.ours.modelBytes)) / 1024, 0))
  }
  return textTable(['means over the sets; * misses its bar', ...steps.map((n) => n.toLocaleString('en-US'))], rows)
}

/** Marks a set that is behind the best of all by more than 0.05 in macro F1, or by more than 15 % in log-loss. */
function setsTable(cases: readonly Case[]): string {
  const head = [
    'set, strategy, labels',
    'accuracy',
    'best',
    'macro F1',
    'for accuracy',
    'best',
    'gap',
    'log-loss',
    'best',
    'gap %',
    'ECE',
    'best F1 by',
    'best log-loss by',
  ]
  const rows = cases.map(({ set, strategy, labels, ours, baselines }) => {
    const bestF1 = best(macroF1, baselines)
    const bestLoss = best(logLoss, baselines)
    const gapF1 = ours.ruleMacroF1 - bestF1
    const gapLoss = (ours.logLoss / bestLoss - 1) * 100
    return [
      `${set} ${strategy} ${labels}`,
      fixed(ours.ruleAccuracy),
      fixed(best(accuracy, baselines)),
      fixed(ours.ruleMacroF1),
      fixed(ours.macroF1),
      fixed(bestF1),
      `${fixed(gapF1)}${gapF1 < -0.05 ? '*' : ' '}`,
      fixed(ours.logLoss),
      fixed(bestLoss),
      `${fixed(gapLoss, 0)}${gapLoss > 15 ? '*' : ' '}`,
      fixed(ours.ece),
      baselines.find((one) => one.macroF1 === bestF1)?.model ?? '–',
      baselines.find((one) => one.logLoss === bestLoss)?.model ?? '–',
    ]
  })
  return textTable(head, rows)
}

export function classificationReport(done: readonly Classified[], baselines: readonly Baseline[]): string {
  const cases = [...groupBy(done, ({ task }) => `${task.set} ${task.strategy} ${task.labels}`).values()].map(
    (group): Case => {
      const { set, strategy, labels } = (group[0] as Classified).task
      const beside = baselines.filter((one) => one.set === set && one.strategy === strategy && one.labels === labels)
      return { set, strategy, labels, ours: meanOf(group.map(({ run }) => run.figures)), baselines: beside }
    },
  )
  return `Decisions\n\n${meansTable(cases)}\n\n${setsTable(cases)}`
}
