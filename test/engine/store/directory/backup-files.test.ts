import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { BACKUP_LIST, restoreBackup, writeList } from '../../../../engine/store/directory/backup-files.js'
import { temporaryDirectory } from '../../../support/engine/files.js'
import { assertRefused } from '../../../support/engine/refusal.js'

function backup(test: TestContext): { readonly backup: string; readonly directory: string } {
  const directory = temporaryDirectory(test)
  const backup = join(directory, 'backup')
  mkdirSync(backup)
  writeFileSync(join(backup, 'format.json'), '{}')
  writeList(backup, '2026-01-31T09:05:00.000000Z')
  return { backup, directory }
}

test('a backup is restored into a place that is named with a slash at the end, there or not', (test) => {
  const { backup: from, directory } = backup(test)
  mkdirSync(join(directory, 'there'))
  for (const name of ['there', 'new']) {
    restoreBackup(`${from}/`, `${join(directory, name)}/`)
    assert.deepEqual(readdirSync(join(directory, name)).sort(), ['format.json'])
  }
  assert.deepEqual(readdirSync(directory).sort(), ['backup', 'new', 'there'])
})

test('a place that is an empty directory behind a link is filled, and what cannot be made or replaced is refused', (test) => {
  const { backup: from, directory } = backup(test)
  mkdirSync(join(directory, 'there'))
  symlinkSync(join(directory, 'there'), join(directory, 'link'))
  restoreBackup(from, join(directory, 'link'))
  assert.deepEqual(readdirSync(join(directory, 'there')), ['format.json'])
  symlinkSync(join(directory, 'nowhere'), join(directory, 'dangling'))
  // Of procfs, making a directory with those above it took the thread for good.
  for (const place of [join(directory, 'dangling', 'x'), '/proc/nowhere/x', '/dev/null/x', '/proc']) {
    assertRefused('backup_refused', () => restoreBackup(from, place))
  }
  assert.deepEqual(readdirSync(directory).sort(), ['backup', 'dangling', 'link', 'there'])
})

test('a place that is a file, and a list that names what is no file of a backup, are refused', (test) => {
  const { backup: from, directory } = backup(test)
  writeFileSync(join(directory, 'file'), '')
  assertRefused('backup_refused', () => restoreBackup(from, join(directory, 'file')))
  for (const name of ['..', '.', '../x', '/etc/passwd']) {
    const list = JSON.parse(readFileSync(join(from, BACKUP_LIST), 'utf8')) as { files: object[] }
    writeFileSync(join(from, BACKUP_LIST), JSON.stringify({ ...list, files: [{ name, bytes: 0, sha256: '' }] }))
    assertRefused('backup_refused', () => restoreBackup(from, join(directory, 'new')))
  }
})

test('a list that is damaged, or of a newer version, is refused with a sentence that says which', (test) => {
  const { backup: from, directory } = backup(test)
  const whole = readFileSync(join(from, BACKUP_LIST), 'utf8')
  const list = JSON.parse(whole) as { files: [object] }
  const refused = (text: string): string => {
    writeFileSync(join(from, BACKUP_LIST), text)
    return assertRefused('backup_refused', () => restoreBackup(from, join(directory, 'new'))).message
  }
  const [file] = list.files
  const wrong = [
    { ...list, format: 0 },
    { ...list, format: '1' },
    { ...list, made_at: 1 },
    { ...list, files: {} },
    { ...list, files: [null] },
  ]
  const wrongFiles = [{ bytes: 0.5 }, { bytes: '2' }, { sha256: null }, { name: 7 }].map((part) => ({
    ...list,
    files: [{ ...file, ...part }],
  }))
  for (const text of [
    '',
    'null',
    '[]',
    whole.slice(0, -1),
    ...[...wrong, ...wrongFiles].map((one) => JSON.stringify(one)),
  ]) {
    assert.match(refused(text), /backup\.json in .* is damaged/, text)
  }
  assert.match(refused(JSON.stringify({ ...list, format: 2 })), /made by a newer version/)
  writeFileSync(join(from, BACKUP_LIST), whole)
  assert.equal(restoreBackup(from, join(directory, 'new')).files.length, 1)
})
