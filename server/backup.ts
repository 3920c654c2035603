/**
 * `npm run backup -- DIRECTORY [--data-dir D] [--without-key]`: backs up a data directory, whether its service runs or
 * not. It needs write access to the data directory, and no API key.
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
