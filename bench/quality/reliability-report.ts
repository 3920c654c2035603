/** The reliability of answers by label and bin, summed over the seeds of a set. */
import { groupBy } from './baselines.js'
import type { ClassificationRun } from './classify.js'
import { addBins, binAnswersMin, binCount, gapOf, type Bin, type Reliability } from './reliability.js'
import type { Done } from './task.js'
import { textTable } from './text-table.js'

type Scored = Extract<Done, { run: ClassificationRun }>

/** The sum over runs with the same labels. */
export function sumOf(all: readonly Reliability[]): Reliability {
  return all.reduce((a, b) => a.map((bins, label) => bins.map((bin, i) => addBins(bin, b[label]?.[i] as Bin))))
}

function cell(bin: Bin): string {
  if (bin.count < binAnswersMin) return '·'
  const percent = (sum: number): string => ((100 * sum) / bin.count).toFixed(0)
  return `${percent(bin.confidence)}/${percent(bin.right)}${gapOf(bin) > 0.1 ? '*' : ' '}`
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
