/**
 * `npm run audit:verify -- --data-dir D [--head SEQUENCE:HASH]`: verifies the audit log of a data directory that no
 * service uses. Exit codes: 0 intact, 1 broken, 2 not readable.
 */
import { checkAuditLog, isRefusal } from '../engine/index.js'
import { fail, readCommand } from './command.js'

const USAGE = 'npm run audit:verify -- --data-dir DIRECTORY [--head SEQUENCE:HASH]'
const HEAD = /^([1-9]\d{0,14}):([0-9a-f]{64})$/i

function readArguments(): { dataDir: string; noted: { count: number; hash: string } | undefined } {
  const {
    values: { 'data-dir': dataDir = '', head: given },
  } = readCommand(USAGE, 0, { 'data-dir': { type: 'string' }, head: { type: 'string' } })
  const head = given === undefined ? undefined : HEAD.exec(given)
  if (dataDir === '' || head === null) return fail(`Usage: ${USAGE}`)
  return { dataDir, noted: head === undefined ? undefined : { count: Number(head[1]), hash: head[2]! } }
}

const { dataDir, noted } = readArguments()
try {
  const { intact, entries, head, broken, waiting } = await checkAuditLog(dataDir, noted)
  if (!intact) {
    process.stdout.write(`BROKEN at entry ${broken?.sequence}: ${broken?.reason}.\n`)
    process.exitCode = 1
  } else {
    process.stdout.write(`Intact: ${entries} entries.\nHead: ${entries}:${head}\n`)
    if (waiting > 0) process.stdout.write(`${waiting} more entries are added at the next start of the service.\n`)
  }
} catch (error) {
  if (!isRefusal(error)) throw error
  fail(`The audit log could not be read: ${error.message}.`)
}
