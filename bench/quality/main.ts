/** `npm run bench:quality`: the engine's own learner over the fixed protocol, beside what others reached on it. */
import { writeFileSync } from 'node:fs'
import { defaultClassifier } from '../../engine/learn/registry.js'
import { groupBy, readBaselines, readOutlierBaselines, type Baseline, type OutlierBaseline } from './baselines.js'
import { classificationReport } from './classification-report.js'
import { driftReport } from './drift-report.js'
import { BadOption, parseOptions, usage, type QualityOptions } from './options.js'
import { outlierReport } from './outlier-report.js'
import { runTasks } from './run-tasks.js'
import type { Done, Task } from './task.js'

/** A task for each group of baselines that was asked for, and each seed. */
function tasksOf(options: QualityOptions, baselines: readonly Baseline[], outliers: readonly OutlierBaseline[]): Task[] {
  const { sets, labels, seeds, strategies, parts, single } = options
  const numbers = [...new Array(seeds).keys()]
  const wanted = (one: { set: string; labels: number }): boolean => sets.includes(one.set) && labels.includes(one.labels)
  const tasks: Task[] = []
  const classification = parts.has('classification') ? baselines.filter(wanted) : []
  for (const [one] of groupBy(classification, (b) => `${b.set} ${b.strategy} ${b.labels}`).values()) {
    if (one === undefined || !strategies.includes(one.strategy)) continue
    const { set, strategy } = one
    for (const seed of numbers) tasks.push({ kind: 'classification', set, strategy, labels: one.labels, seed, single })
  }
  const tests = parts.has('outliers') ? outliers.filter(wanted) : []
  for (const [one] of groupBy(tests, (b) => `${b.set} ${b.heldOut} ${b.labels}`).values()) {
    if (one === undefined) continue
    for (const seed of numbers) {
      tasks.push({ kind: 'outliers', set: one.set, heldOut: one.heldOut, labels: one.labels, seed, single })
    }
  }
  if (parts.has('drift')) {
    // Where time has no order there is no drift to follow.
    for (const set of sets.filter((name) => name !== 'adult_census')) for (const seed of numbers) {
      for (const count of labels.filter((n) => n === 100 || n === 300)) {
        for (const pace of [0, 20, 5] as const) tasks.push({ kind: 'drift', set, labels: count, seed, single, pace })
      }
    }
  }
  return tasks.sort((a, b) => (a.set < b.set ? -1 : a.set > b.set ? 1 : 0))
}

function report(done: readonly Done[], baselines: readonly Baseline[], outliers: readonly OutlierBaseline[]): string {
  const classified = done.flatMap((one) => (one.task.kind === 'classification' ? [one] : [])) as Parameters<typeof classificationReport>[0]
  const found = done.flatMap((one) => (one.task.kind === 'outliers' ? [one] : [])) as Parameters<typeof outlierReport>[0]
  const followed = done.flatMap((one) => (one.task.kind === 'drift' ? [one] : [])) as Parameters<typeof driftReport>[0]
  return [
    ...(classified.length > 0 ? [classificationReport(classified, baselines)] : []),
    ...(found.length > 0 ? [outlierReport(found, outliers)] : []),
    ...(followed.length > 0 ? [driftReport(followed)] : []),
  ].join('\n\n')
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2))
  if (options === 'help') {
    console.log(usage)
    return
  }
  const baselines = readBaselines(options.baselines)
  const outliers = readOutlierBaselines(options.baselines)
  const tasks = tasksOf(options, baselines, outliers)
  const done = await runTasks(tasks, options.data, options.workers)
  console.log(`${defaultClassifier.kind}, ${options.seeds} seeds\n`)
  console.log(report(done, baselines, outliers))
  if (options.json !== null) writeFileSync(options.json, `${JSON.stringify({ kind: defaultClassifier.kind, done }, null, 1)}\n`)
}

try {
  await main()
} catch (error) {
  if (!(error instanceof BadOption)) throw error
  console.error(`${error.message}\n\n${usage}`)
  process.exitCode = 2
}
