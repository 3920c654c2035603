/** The reliability of answers by label and bin, summed over the seeds of a set. */
import { groupBy } from './baselines.js'
import type { ClassificationRun } from './classify.js'
import {
  addBins,
  binAnswersMin,
  binCount,
  binsWithin,
  gapMax,
  gapOf,
  type Bin,
  type BinsWithin,
  type Reliability,
} from './reliability.js'
import type { Done } from './task.js'
import { fixed, textTable } from './text-table.js'

type Scored = Extract<Done, { run: ClassificationRun }>

/** The sum over runs with the same labels. */
export function sumOf(all: readonly Reliability[]): Reliability {
  return all.reduce((a, b) => a.map((bins, label) => bins.map((bin, i) => addBins(bin, b[label]?.[i] as Bin))))
}

function cell(bin: Bin): string {
  if (bin.count < binAnswersMin) return '·'
  const percent = (sum: number): string => ((100 * sum) / bin.count).toFixed(0)
  return `${percent(bin.confidence)}/${percent(bin.right)}${gapOf(bin) > gapMax ? '*' : ' '}`
}

function share(part: number, whole: number): string {
  return whole === 0 ? '–' : fixed((100 * part) / whole, 0)
}

/** One line for each number of labels, over the bins of all sets; then one for each set. */
export function binsReport(done: readonly Scored[], title: string): string {
  const cases = [...groupBy(done, ({ task }) => `${task.set} ${task.labels}`).values()].map((group) => {
    const [{ task, run }] = group as [Scored, ...Scored[]]
    const bins = binsWithin(sumOf(group.map((one) => one.run.reliability)))
    return { set: task.set, labels: task.labels, names: run.labelNames, bins }
  })
  const worstOf = ({ set, names, bins: { worst } }: (typeof cases)[number]): string => {
    if (worst === null) return '–'
    const { label, at, bin } = worst
    const range = `${(100 * at) / binCount}–${(100 * (at + 1)) / binCount}`
    return `${set} ${names[label] ?? ''} ${range}: ${cell(bin).trim()} of ${bin.count}`
  }
  const rowOf = (name: string, group: typeof cases): string[] => {
    const sum = (field: 'bins' | 'within' | 'expected'): number =>
      group.reduce((total, one) => total + one.bins[field], 0)
    const gap = ({ worst }: BinsWithin): number => (worst === null ? 0 : gapOf(worst.bin))
    const worst = group.reduce((a, b) => (gap(b.bins) > gap(a.bins) ? b : a))
    const [bins, within] = [sum('bins'), sum('within')]
    return [name, String(bins), share(within, bins), share(sum('expected'), bins), worstOf(worst)]
  }
  const steps = [...groupBy(cases, ({ labels }) => String(labels))].sort((a, b) => Number(a[0]) - Number(b[0]))
  const rows = [
    ...steps.map(([labels, group]) => rowOf(`all sets, ${labels} labels`, group)),
    ...cases.map((one) => rowOf(`${one.set} ${one.labels}`, [one])),
  ]
  const head = ['set, labels', 'bins', `within ${gapMax}, %`, 'by chance, %', 'worst: confidence/right, %, of answers']
  const intro = `bins of a tenth of confidence by answered label, with ${binAnswersMin} answers and more over the seeds`
  const lead = `Confidence beside the share that is right, ${title}: ${intro}`
  return `${lead};\nby chance: were each confidence the truth\n\n${textTable(head, rows)}`
}

/** One line for each set, number of labels and answered label: mean confidence and share right, in percent. */
export function reliabilityReport(done: readonly Scored[], title: string): string {
  const groups = [...groupBy(done, ({ task }) => `${task.set} ${task.labels}`)]
  const rows = groups.flatMap(([name, group]) => {
    const [{ run }] = group as [Scored, ...Scored[]]
    const sums = sumOf(group.map((one) => one.run.reliability))
    return run.labelNames.map((label, k) => {
      const bins = sums[k] as readonly Bin[]
      const count = bins.reduce((total, bin) => total + bin.count, 0)
      return [`${name} ${label}`, String(count), ...bins.map(cell)]
    })
  })
  const heads = Array.from({ length: binCount }, (_, i) => `${(100 * i) / binCount}–${(100 * (i + 1)) / binCount}`)
  const cells = 'mean confidence / share right, in percent'
  const intro = `${cells}, of bins with ${binAnswersMin} answers; * differ by more than 10`
  const table = textTable(['set, labels, answer', 'answers', ...heads], rows)
  return `Reliability of answers, ${title}: ${intro}\n\n${table}`
}
