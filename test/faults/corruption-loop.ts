/**
 * `npm run test:corruption -- [--count 1000] [--seed 1]`: runs the trials of corruption.ts and exits with 1 if a byte
 * was missed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { furnish } from '../support/furnished.js'
import type { Trial } from './corruption.js'
import { corrupt } from './corruption-runs.js'

function counted(trials: readonly Trial[], nameOf: (trial: Trial) => string): string {
  const counts = new Map<string, number>()
  for (const trial of trials) counts.set(nameOf(trial), (counts.get(nameOf(trial)) ?? 0) + 1)
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([name, count]) => `${String(count).padStart(6)}  ${name}`)
    .join('\n')
}

/** The report without its places. */
function sortOf(what: string): string {
  return what
    .replace(/shard-\d/, 'shard')
    .replace(/the entry [0-9a-f]+/, 'the entry')
    .replace(/\d+/g, 'N')
    .replace(/ {2,}/g, ' ')
}

const { values } = parseArgs({
  options: { count: { type: 'string', default: '1000' }, seed: { type: 'string', default: '1' } },
})
const dir = mkdtempSync(join(tmpdir(), 'corruption-'))
try {
  await furnish(dir)
  const trials = await corrupt(dir, Number(values.seed), Number(values.count), ({ number }) => {
    if (number % 100 === 99) process.stderr.write(`${number + 1} bytes\n`)
  })
  const found = trials.filter(({ fate }) => fate === 'found')
  const missed = trials.filter(({ fate }) => fate === 'missed')
  process.stdout.write(
    `By page:\n${counted(trials, ({ kind, fate }) => `${kind}: ${fate}`)}\n\nNamed:\n${counted(found, ({ what }) => sortOf(what))}\n\n`,
  )
  process.stdout.write(
    `Seed ${values.seed}: ${trials.length} bytes changed, ${found.length} found, ${trials.length - found.length - missed.length} harmless, ${missed.length} missed.\n`,
  )
  for (const trial of missed) process.stdout.write(`${JSON.stringify(trial)}\n`)
  process.exitCode = missed.length === 0 && trials.length === Number(values.count) ? 0 : 1
} finally {
  rmSync(dir, { recursive: true, force: true })
}
