/**
 * `npm run audit:verify -- --data-dir D [--head SEQUENCE:HASH]`: proves the audit log of a data directory that no service
 * uses. Ends with 0 where it is intact, 1 where it is not, 2 where it could not look.
 */
import { parseArgs } from 'node:util'
import { checkAuditLog, isRefusal } from '../engine/index.js'

const USAGE = 'Usage: npm run audit:verify -- --data-dir DIRECTORY [--head SEQUENCE:HASH]\n'
const HEAD = /^([1-9]\d{0,14}):([0-9a-f]{64})$/i

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(2)
}

function readArguments(): { dataDir: string; noted: { count: number; hash: string } | undefined } {
  try {
    const { values } = parseArgs({ options: { 'data-dir': { type: 'string' }, head: { type: 'string' } } })
    const head = values.head === undefined ? undefined : HEAD.exec(values.head)
    if (values['data-dir'] !== undefined && head !== null) {
      return { dataDir: values['data-dir'], noted: head === undefined ? undefined : { count: Number(head[1]), hash: head[2]! } }
    }
  } catch {
    // Said below.
  }
  return fail(USAGE)
}

const { dataDir, noted } = readArguments()
try {
  const { intact, entries, head, broken, waiting } = await checkAuditLog(dataDir, noted)
  if (!intact) {
    process.stdout.write(`BROKEN at entry ${broken?.sequence}: ${broken?.reason}.\n`)
    process.exitCode = 1
  } else {
    process.stdout.write(`Intact: ${entries} entries.\nHead: ${entries}:${head}\n`)
    if (waiting > 0) process.stdout.write(`${waiting} more wait for the next start of the service.\n`)
  }
} catch (error) {
  if (!isRefusal(error)) throw error
  fail(`The audit log could not be looked at: ${error.message}.`)
}
