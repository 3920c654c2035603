import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { firstStartPath, readFirstStart, writeFirstStart } from '../../../../engine/store/directory/first-start-file.js'
import { assertRefused } from '../../../support/engine/refusal.js'

const dir = mkdtempSync(join(tmpdir(), 'first-start-'))
after(() => rmSync(dir, { recursive: true }))

test('what is written is read, whatever was there before, and only the owner may read it', () => {
  writeFileSync(firstStartPath(dir), 'of a start that failed', { mode: 0o644 })
  writeFileSync(`${firstStartPath(dir)}.new`, 'half')
  for (const secrets of [
    { adminPassword: 'p', managementKey: 'k' },
    { adminPassword: null, managementKey: 'k' },
  ]) {
    writeFirstStart(dir, secrets)
    assert.deepEqual(readFirstStart(dir), secrets)
    if (process.platform !== 'win32') assert.equal(statSync(firstStartPath(dir)).mode & 0o777, 0o600)
  }
  assert.deepEqual(readdirSync(dir), ['first-start-secrets'])
})

test('a directory without the file is refused with a sentence', () => {
  assertRefused('data_dir_invalid', () => readFirstStart(join(dir, 'nowhere')))
})
