/**
 * `npm run bench`: every step, or the named ones. Prints a table and writes everything to bench/results/<date>.json.
 *
 * A bar that is not met is only a figure. A step that could not be measured is a failure and sets the exit code.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { consoleBudgets } from './console/console.js'
import { audit } from './end-to-end/audit.js'
import { bulkEventCentric, bulkNew } from './end-to-end/bulk-strange.js'
import { bulk } from './end-to-end/bulk.js'
import { cli } from './end-to-end/cli.js'
import { cost } from './end-to-end/cost.js'
import { gate } from './end-to-end/gate.js'
import { getEvent } from './end-to-end/get-event.js'
import { manyBuckets } from './end-to-end/many-buckets.js'
import { manyJobs } from './end-to-end/many-jobs.js'
import { lists } from './end-to-end/lists.js'
import { searchLists } from './end-to-end/search.js'
import { metrics } from './end-to-end/metrics.js'
import { million } from './end-to-end/million.js'
import { nextLabels } from './end-to-end/next-page.js'
import { operations } from './end-to-end/operations.js'
import { outputs } from './end-to-end/outputs.js'
import { peer } from './end-to-end/peer.js'
import { query } from './end-to-end/query.js'
import { queuePage } from './end-to-end/queue-page.js'
import { replay } from './end-to-end/replay.js'
import { reprocess } from './end-to-end/reprocess.js'
import { resources } from './end-to-end/resources.js'
import { searchInput } from './end-to-end/search-input.js'
import { nodeHttp } from './end-to-end/node-http.js'
import { singlePost } from './end-to-end/single-post.js'
import { streams } from './end-to-end/streams.js'
import { tenMillion } from './end-to-end/ten-million.js'
import { millionLabels, training } from './end-to-end/training.js'
import { visible } from './end-to-end/visible.js'
import { describeMachine } from './harness/machine.js'
import { source } from './harness/paths.js'
import type { RunSize, Row, Step } from './harness/result.js'
import { rowsText } from './harness/table.js'
import { hasWrk } from './load/drive.js'
import { clusters } from './root-cause/speed.js'
import { walk } from './walk/walk.js'

const steps: readonly Step[] = [
  singlePost,
  nodeHttp,
  peer,
  bulk,
  bulkNew,
  bulkEventCentric,
  cost,
  cli,
  visible,
  streams,
  getEvent,
  query,
  nextLabels,
  queuePage,
  gate,
  replay,
  lists,
  searchLists,
  consoleBudgets,
  metrics,
  walk,
  training,
  millionLabels,
  reprocess,
  million,
  tenMillion,
  manyBuckets,
  manyJobs,
  resources,
  audit,
  clusters,
  searchInput,
  outputs,
  operations,
]

function log(what: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)}  ${what}`)
}

const full: RunSize = { seconds: 4, rounds: 3, million: 1_024_000, labelled: 100_000, log }
const quick: RunSize = { seconds: 2, rounds: 1, million: 102_400, labelled: 10_000, log }

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { quick: { type: 'boolean' } } })
  const names = steps.map(({ name }) => name)
  const unknown = positionals.filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    console.error(`There is no step ${unknown.join(', ')}; the steps are ${names.join(', ')}.`)
    process.exitCode = 2
    return
  }
  const size = values.quick === true ? quick : full
  const machine = await describeMachine(source('.'), (await hasWrk()) ? 'wrk' : 'bench/load')
  const results: { step: string; rows: Row[]; seconds: number; error?: string }[] = []
  for (const step of steps) {
    if (positionals.length > 0 && !positionals.includes(step.name)) continue
    log(step.name)
    const startedAt = performance.now()
    const seconds = (): number => (performance.now() - startedAt) / 1000
    try {
      results.push({ step: step.name, rows: await step.run(size), seconds: seconds() })
    } catch (error) {
      const what = error instanceof Error ? error.message || error.name : String(error)
      log(error instanceof Error ? (error.stack ?? what) : what)
      const failed: Row = { what: `${step.name} failed`, ours: null, unit: '', bar: '', met: false, note: what }
      results.push({ step: step.name, rows: [failed], seconds: seconds(), error: what })
      process.exitCode = 1
    }
  }
  const date = new Date().toISOString()
  mkdirSync(source('bench/results'), { recursive: true })
  const file = join(source('bench/results'), `${date.replaceAll(':', '-').slice(0, 19)}.json`)
  writeFileSync(file, `${JSON.stringify({ date, quick: values.quick === true, machine, results }, null, 2)}\n`)
  const { cores, cpu, memoryGib, node, kernel, fileSystem, generator, loadBefore } = machine
  const machineText = `${cores} cores ${cpu}, ${memoryGib} GiB, node ${node}, Linux ${kernel}, ${fileSystem}`
  console.log(`\n${machineText}, load by ${generator}`)
  if (loadBefore > 0.5) {
    console.log(`The machine was busy before the run (load average ${loadBefore.toFixed(2)}): look at ratios only.`)
  }
  if (values.quick === true) console.log('A quick run: one short round each, a tenth of the events. Not for quoting.')
  console.log(`\n${rowsText(results.flatMap(({ rows }) => rows))}\n\n${file}`)
}

await main()
