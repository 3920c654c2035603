/** `npm run restore -- BACKUP DIRECTORY`: makes a data directory of a backup, in a place where there is none. */
import { isRefusal, restoreBackup } from '../engine/index.js'
import { fail, readCommand } from './command.js'

const {
  positionals: [from = '', to = ''],
} = readCommand('npm run restore -- BACKUP DIRECTORY', 2, {})
try {
  const { madeAt, files } = restoreBackup(from, to)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  process.stdout.write(
    `Restored the backup of ${madeAt}: ${files.length} files, ${bytes} bytes. Start the service with SERVICE_DATA_DIR=${to}\n`,
  )
} catch (error) {
  if (!isRefusal(error)) throw error
  fail(`Nothing was restored: ${error.message}.`)
}
