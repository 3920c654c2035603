/** `npm run bench:quality`: the engine's own learner over the fixed protocol, beside what others reached on it. */
import { writeFileSync } from 'node:fs'
import { defaultClassifier } from '../../engine/domain/learn/registry.js'
import { groupBy, readBaselines, readOutlierBaselines, type Baseline, type OutlierBaseline } from './baselines.js'
import { churnReport } from './churn-report.js'
import { classificationReport } from './classification-report.js'
import { confidenceReport } from './confidence-report.js'
import { coarseReport } from './coarse-report.js'
import { checkSet } from './dataset.js'
import { driftReport } from './drift-report.js'
import { BadOption, parseOptions, usage, type QualityOptions } from './options.js'
import { outlierReport } from './outlier-report.js'
import { overHttpTable, runOverHttp, type Compared } from './over-http/report.js'
import { planTasks } from './plan.js'
import { binsReport, reliabilityReport } from './reliability-report.js'
import { runTasks } from './run-tasks.js'
import { BadFile } from './set-files.js'
import type { Done, Task } from './task.js'

function ofKind<K extends Task['kind']>(done: readonly Done[], kind: K): Extract<Done, { task: { kind: K } }>[] {
  return done.filter((one): one is Extract<Done, { task: { kind: K } }> => one.task.kind === kind)
}

function confidenceParts(done: Parameters<typeof binsReport>[0], title: string): string[] {
  return [confidenceReport(done, title), binsReport(done, title), reliabilityReport(done, title)]
}

function report(done: readonly Done[], baselines: readonly Baseline[], outliers: readonly OutlierBaseline[]): string {
  const parts: string[] = []
  const classified = ofKind(done, 'classification')
  if (classified.length > 0) parts.push(classificationReport(classified, baselines))
  for (const [strategy, all] of groupBy(classified, ({ task }) => task.strategy))
    parts.push(...confidenceParts(all, `picks: ${strategy}`))
  for (const [shift, all] of groupBy(ofKind(done, 'shift'), ({ task }) => task.shift))
    parts.push(...confidenceParts(all, `shift by ${shift}`))
  const found = ofKind(done, 'outliers')
  if (found.length > 0) parts.push(outlierReport(found, outliers))
  const followed = ofKind(done, 'drift')
  if (followed.length > 0) parts.push(driftReport(followed))
  const again = ofKind(done, 'churn')
  if (again.length > 0) parts.push(churnReport(again))
  const coarse = ofKind(done, 'coarse')
  if (coarse.length > 0) parts.push(coarseReport(coarse))
  return parts.join('\n\n')
}

async function overHttp(options: QualityOptions): Promise<Compared[]> {
  const played = await runOverHttp(options)
  if (played === null)
    throw new BadOption('There is nothing to play: no set has three labels, as a job has, and so many labelled lines.')
  return played
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2))
  if (options === 'help') {
    console.log(usage)
    return
  }
  for (const set of options.sets) checkSet(options.data, set)
  const tasks = planTasks(options)
  if (tasks.length === 0 && !options.overHttp)
    throw new BadOption('There is nothing to run: no set has so many labels, or no test of that kind.')
  const baselines = options.baselines === null ? [] : readBaselines(options.baselines)
  const outliers = options.baselines === null ? [] : readOutlierBaselines(options.baselines)
  const done = await runTasks(tasks, options.data, options.workers)
  console.log(`${defaultClassifier.kind}, ${options.seeds} seeds\n`)
  if (done.length > 0) console.log(report(done, baselines, outliers))
  if (options.overHttp) console.log(overHttpTable(await overHttp(options)))
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
