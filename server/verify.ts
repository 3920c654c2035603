/**
 * `npm run verify -- DIRECTORY`: checks every page, record, index, counter and reference of a backup, or of a data
 * directory that no service uses. `--decisions` computes stored decisions again, too: all of them, or a sample. Exit
 * codes: 0 no problems, 1 problems, 2 not readable.
 */
import { isRefusal, verifyDataDir } from '../engine/index.js'
import { fail, readCommand } from './command.js'

const usage = 'npm run verify -- DIRECTORY [--decisions all|COUNT]'
const {
  positionals: [path = ''],
  values: { decisions: wanted },
} = readCommand(usage, 1, { decisions: { type: 'string' } })
if (wanted !== undefined && wanted !== 'all' && !/^[1-9]\d{0,8}$/.test(wanted)) fail(`Usage: ${usage}`)
const sample = wanted === undefined ? null : wanted === 'all' ? wanted : Number(wanted)
const begin = performance.now()
try {
  const { problems, backupOf, jobs, events, leftOver, decisions } = await verifyDataDir(path, sample)
  for (const { file, table, key, what } of problems) {
    process.stdout.write(`${[file, table, key].filter((part) => part !== '').join(' ')}: ${what}\n`)
  }
  if (backupOf !== null) process.stdout.write(`A backup of ${backupOf}.\n`)
  const seconds = ((performance.now() - begin) / 1000).toFixed(1)
  const result = problems.length === 0 ? 'No problems' : `${problems.length} problems`
  process.stdout.write(`${result}: ${jobs} jobs, ${events} events, ${seconds} s.\n`)
  if (leftOver > 0)
    process.stdout.write(`${leftOver} more events belong to deleted jobs; the next start deletes them.\n`)
  if (decisions !== null) {
    process.stdout.write(`${decisions.same} of ${decisions.computed} decisions computed again are the same.\n`)
    for (const [reason, count] of decisions.others) process.stdout.write(`${count} were not computed: ${reason}.\n`)
  }
  process.exitCode = problems.length === 0 ? 0 : 1
} catch (error) {
  if (!isRefusal(error)) throw error
  fail(`${path} could not be checked: ${error.message}.`)
}
