/**
 * `npm run backup -- DIRECTORY [--data-dir D] [--without-key]`: copies all that is stored, of a service that runs or not.
 * Whoever may write in the data directory may do it; no key of the API is needed.
 */
import { resolve } from 'node:path'
import { backupDataDir, isRefusal } from '../engine/index.js'
import { fail, readCommand } from './command.js'

const {
  positionals: [into = ''],
  values,
} = readCommand('npm run backup -- DIRECTORY [--data-dir D] [--without-key]', 1, {
  'data-dir': { type: 'string', default: process.env.SERVICE_DATA_DIR ?? './data' },
  'without-key': { type: 'boolean', default: false },
})
try {
  const { directory, madeAt, files, bytes, seconds } = await backupDataDir(
    values['data-dir'],
    resolve(into),
    !values['without-key'],
  )
  process.stdout.write(
    `${directory}: the state of ${madeAt}, ${files} files, ${bytes} bytes, ${seconds.toFixed(1)} s.\n`,
  )
} catch (error) {
  if (!isRefusal(error)) throw error
  fail(`No backup was made: ${error.message}.`)
}
