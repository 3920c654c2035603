import assert from 'node:assert/strict'
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { FileLog } from '../../../../engine/runtime/log/file-log.js'
import { recordLogContract } from '../../../contracts/record-log.js'
import { afterwards } from '../../../support/afterwards.js'
import { temporaryDirectory } from '../../../support/engine/files.js'

recordLogContract('a file', async (test) => {
  const path = join(temporaryDirectory(test), 'log')
  const log = new FileLog(path)
  let last = log
  afterwards(test, () => last.close().catch(() => {}))
  return { log, reopen: async () => (last = new FileLog(path)) }
})

it('a torn record at the end of a file is cut off', async (test) => {
  const path = join(temporaryDirectory(test), 'log')
  const log = new FileLog(path)
  await log.append(Buffer.from('first'), 0)
  await log.append(Buffer.from('second'), 1)
  await log.close()
  const whole = readFileSync(path)
  for (const tear of [
    () => truncateSync(path, whole.length - 1),
    () => appendFileSync(path, Buffer.alloc(5)),
    () => writeFileSync(path, Buffer.concat([whole.subarray(0, -1), Buffer.from('X')])),
  ]) {
    writeFileSync(path, whole)
    tear()
    const torn = new FileLog(path)
    const last = await torn.last()
    assert.equal(await torn.append(Buffer.from('next'), last), last + 1)
    await torn.close()
    const again = new FileLog(path)
    assert.equal(await again.last(), last + 1)
    await again.close()
  }
})
