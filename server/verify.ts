/**
 * `npm run verify -- DIRECTORY`: checks every page, record, index, counter and reference of a backup, or of a data
 * directory that no service uses. Exit codes: 0 no problems, 1 problems, 2 not readable.
 */
import { isRefusal, verifyDataDir } from '../engine/index.js'
import { fail, readCommand } from './command.js'

const {
  positionals: [path = ''],
} = readCommand('npm run verify -- DIRECTORY', 1, {})
const begin = performance.now()
try {
  const { problems, backupOf, jobs, events, leftOver } = await verifyDataDir(path)
  for (const { file, table, key, what } of problems) {
    process.stdout.write(`${[file, table, key].filter((part) => part !== '').join(' ')}: ${what}\n`)
  }
  if (backupOf !== null) process.stdout.write(`A backup of ${backupOf}.\n`)
  const seconds = ((performance.now() - begin) / 1000).toFixed(1)
  const result = problems.length === 0 ? 'No problems' : `${problems.length} problems`
  process.stdout.write(`${result}: ${jobs} jobs, ${events} events, ${seconds} s.\n`)
  if (leftOver > 0)
    process.stdout.write(`${leftOver} more events belong to deleted jobs; the next start deletes them.\n`)
  process.exitCode = problems.length === 0 ? 0 : 1
} catch (error) {
  if (!isRefusal(error)) throw error
  fail(`${path} could not be checked: ${error.message}.`)
}
