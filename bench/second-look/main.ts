/**
 * `npm run bench:second-look`: wrong labels are planted into labelled sets, and found again by the second look and by
 * Cleanlab, on the same held-out probabilities.
 *
 * Figures: the share of wrong labels among the first k that are looked at, where k is the number of planted ones, and
 * among the first twenty; and how much of the lost macro F1 comes back when these k are corrected. Cleanlab comes from
 * the registry of Python.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { source } from '../harness/paths.js'
import { pythonEnvironment, runShown } from '../harness/python.js'
import { loadDataset, setsOf, type Dataset } from '../quality/dataset.js'
import { textTable } from '../quality/text-table.js'
import { afterLook, ourRanking, plant, precision, type Planted } from './planted.js'

const usage = `npm run bench:second-look -- --data FOLDER

  --data FOLDER   the labelled sets, one folder each, as for bench:quality
  --sets a,b      these sets alone
  --seeds N       seeds 0 to N - 1 (1)
  --labels N      labelled events of a run (300)`

const noises = [0.05, 0.1, 0.2]
const TOP = 20

interface CleanlabRanking {
  readonly scores: readonly number[]
  readonly issues: readonly number[]
}

function cleanlab(runs: readonly Planted[]): CleanlabRanking[] {
  const home = source('.build/second-look')
  const commands = pythonEnvironment(home, source('bench/second-look/requirements.txt'))
  const [input, output] = [join(home, 'runs.json'), join(home, 'ranked.json')]
  writeFileSync(
    input,
    JSON.stringify(
      runs.map(({ answers }) => ({
        labels: answers.map(({ label }) => label),
        probabilities: answers.map(({ probabilities }) => [...probabilities]),
      })),
    ),
  )
  const code = runShown(join(commands, 'python'), ['-B', source('bench/second-look/rank.py'), input, output], home)
  if (code !== 0) throw new Error(`Cleanlab ended with ${code}`)
  return JSON.parse(readFileSync(output, 'utf8')) as CleanlabRanking[]
}

interface Row {
  readonly noise: number
  readonly cells: readonly number[]
}

const head = ['planted', 'runs', 'ours at k', 'Cleanlab at k', 'ours at 20', 'Cleanlab at 20']
const headF1 = ['F1 clean', 'F1 noisy', 'F1 ours', 'F1 Cleanlab', 'issues found by Cleanlab', 'of them wrong']

function rowOf(dataset: Dataset, planted: Planted, ranking: CleanlabRanking, clean: number): Row {
  const ours = ourRanking(planted, dataset.labelNames.length)
  const count = planted.wrong.size
  const { scores, issues } = ranking
  const cells = [
    precision(planted, ours, count),
    precision(planted, scores, count),
    precision(planted, ours, TOP),
    precision(planted, scores, TOP),
    clean,
    planted.macroF1,
    afterLook(dataset, planted, ours, count),
    afterLook(dataset, planted, scores, count),
    issues.length / 100,
    precision(planted, issues, issues.length),
  ]
  const shown = cells.map((cell) => (100 * cell).toFixed(1)).join(' ')
  console.error(`${planted.set}, ${planted.noise}, seed ${planted.seed}: ${shown}`)
  return { noise: planted.noise, cells }
}

function main(): void {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ options: { data: text, sets: text, seeds: text, labels: text } })
  const { data } = values
  if (data === undefined) {
    console.error(usage)
    process.exitCode = 2
    return
  }
  const [seeds, labels] = [Number(values.seeds ?? 1), Number(values.labels ?? 300)]
  const rows: Row[] = []
  for (const set of values.sets?.split(',') ?? setsOf(data)) {
    const dataset = loadDataset(data, set)
    for (let seed = 0; seed < seeds; seed++) {
      const clean = plant(dataset, seed, 0, labels).macroF1
      const runs = noises.map((noise) => plant(dataset, seed, noise, labels))
      const ranked = cleanlab(runs)
      runs.forEach((run, at) => rows.push(rowOf(dataset, run, ranked[at] as CleanlabRanking, clean)))
    }
  }
  const lines = noises.map((noise) => {
    const own = rows.filter((row) => row.noise === noise)
    const means = (own[0]?.cells ?? []).map(
      (_, at) => own.reduce((sum, row) => sum + (row.cells[at] as number), 0) / own.length,
    )
    return [`${100 * noise} %`, String(own.length), ...means.map((mean) => (100 * mean).toFixed(1))]
  })
  console.log(textTable([...head, ...headF1], lines))
}

main()
