/** `npm run bench:quality`: the engine's own learner over the fixed protocol, beside what others reached on it. */
import { writeFileSync } from 'node:fs'
import { defaultClassifier } from '../../engine/domain/learn/registry.js'
import { readBaselines, readOutlierBaselines, type Baseline, type OutlierBaseline } from './baselines.js'
import { classificationReport } from './classification-report.js'
import { coarseReport } from './coarse-report.js'
import { checkSet } from './dataset.js'
import { driftReport } from './drift-report.js'
import { BadOption, parseOptions, usage } from './options.js'
import { outlierReport } from './outlier-report.js'
import { planTasks } from './plan.js'
import { runTasks } from './run-tasks.js'
import { BadFile } from './set-files.js'
import type { Done } from './task.js'

function report(done: readonly Done[], baselines: readonly Baseline[], outliers: readonly OutlierBaseline[]): string {
  const classified = done.flatMap((one) => (one.task.kind === 'classification' ? [one] : [])) as Parameters<
    typeof classificationReport
  >[0]
  const found = done.flatMap((one) => (one.task.kind === 'outliers' ? [one] : [])) as Parameters<
    typeof outlierReport
  >[0]
  const followed = done.flatMap((one) => (one.task.kind === 'drift' ? [one] : [])) as Parameters<typeof driftReport>[0]
  const coarse = done.flatMap((one) => (one.task.kind === 'coarse' ? [one] : [])) as Parameters<typeof coarseReport>[0]
  return [
    ...(classified.length > 0 ? [classificationReport(classified, baselines)] : []),
    ...(found.length > 0 ? [outlierReport(found, outliers)] : []),
    ...(coarse.length > 0 ? [coarseReport(coarse)] : []),
    ...(followed.length > 0 ? [driftReport(followed)] : []),
  ].join('\n\n')
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2))
  if (options === 'help') {
    console.log(usage)
    return
  }
  for (const set of options.sets) checkSet(options.data, set)
  const tasks = planTasks(options)
  if (tasks.length === 0)
    throw new BadOption('There is nothing to run: no set has so many labels, or no test of that kind.')
  const baselines = options.baselines === null ? [] : readBaselines(options.baselines)
  const outliers = options.baselines === null ? [] : readOutlierBaselines(options.baselines)
  const done = await runTasks(tasks, options.data, options.workers)
  console.log(`${defaultClassifier.kind}, ${options.seeds} seeds\n`)
  console.log(report(done, baselines, outliers))
  if (options.json !== null)
    writeFileSync(options.json, `${JSON.stringify({ kind: defaultClassifier.kind, done }, null, 1)}\n`)
}

try {
  await main()
} catch (error) {
  if (!(error instanceof BadOption) && !(error instanceof BadFile)) throw error
  console.error(error instanceof BadOption ? `${error.message}\n\n${usage}` : error.message)
  process.exitCode = 2
}
