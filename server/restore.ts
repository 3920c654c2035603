/** `npm run restore -- BACKUP DIRECTORY`: restores a backup into a new data directory. */
import { isRefusal, restoreBackup } from '../engine/index.js'
import { fail, readCommand } from './command.js'

const {
  positionals: [from = '', to = ''],
} = readCommand('npm run restore -- BACKUP DIRECTORY', 2, {})
try {
  const { madeAt, files } = restoreBackup(from, to)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  process.stdout.write(
    `Restored the backup of ${madeAt}: ${files.length} files, ${bytes} bytes.\n` +
      `Start the service with SERVICE_DATA_DIR=${to}\n`,
  )
} catch (error) {
  if (!isRefusal(error)) throw error
  fail(`Nothing was restored: ${error.message}.`)
}
