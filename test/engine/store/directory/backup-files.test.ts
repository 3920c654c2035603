import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { BACKUP_LIST, restoreBackup, writeList } from '../../../../engine/store/directory/backup-files.js'
import { temporaryDirectory } from '../../../support/engine/files.js'
import { assertRefused } from '../../../support/engine/refusal.js'

/** What a data directory cannot be without. */
const files = ['catalog.mdb', 'format.json']

function backup(test: TestContext): { readonly backup: string; readonly directory: string } {
  const directory = temporaryDirectory(test)
  const backup = join(directory, 'backup')
  mkdirSync(backup)
  for (const name of files) writeFileSync(join(backup, name), '{}')
  writeList(backup, '2026-01-31T09:05:00.000000Z')
  return { backup, directory }
}

test('a backup is restored into a place that is named with a slash at the end, there or not', (test) => {
  const { backup: from, directory } = backup(test)
  mkdirSync(join(directory, 'there'))
  for (const name of ['there', 'new']) {
    restoreBackup(`${from}/`, `${join(directory, name)}/`)
    assert.deepEqual(readdirSync(join(directory, name)).sort(), files)
  }
  assert.deepEqual(readdirSync(directory).sort(), ['backup', 'new', 'there'])
})

test('a place that is an empty directory behind a link is filled, and what cannot be made or replaced is refused', (test) => {
  const { backup: from, directory } = backup(test)
  mkdirSync(join(directory, 'there'))
  symlinkSync(join(directory, 'there'), join(directory, 'link'))
  restoreBackup(from, join(directory, 'link'))
  assert.deepEqual(readdirSync(join(directory, 'there')), files)
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
    writeFileSync(
      join(from, BACKUP_LIST),
      JSON.stringify({ ...list, files: [...list.files, { name, bytes: 0, sha256: '' }] }),
    )
    assertRefused('backup_refused', () => restoreBackup(from, join(directory, 'new')))
  }
})

test('a list that is damaged, or of a newer version, is refused with a sentence that says which', (test) => {
  const { backup: from, directory } = backup(test)
  const whole = readFileSync(join(from, BACKUP_LIST), 'utf8')
  const list = JSON.parse(whole) as { files: [object, object] }
  const refused = (text: string): string => {
    writeFileSync(join(from, BACKUP_LIST), text)
    return assertRefused('backup_refused', () => restoreBackup(from, join(directory, 'new'))).message
  }
  const [file, other] = list.files
  const wrong = [
    { ...list, format: 0 },
    { ...list, format: '1' },
    { ...list, made_at: 1 },
    { ...list, files: {} },
    { ...list, files: [null] },
    { ...list, files: [] },
    { ...list, files: [other] },
    { ...list, files: [file] },
    { ...list, files: [file, other, other] },
  ]
  const wrongFiles = [{ bytes: 0.5 }, { bytes: '2' }, { sha256: null }, { name: 7 }].map((part) => ({
    ...list,
    files: [{ ...file, ...part }, other],
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
  assert.equal(restoreBackup(from, join(directory, 'new')).files.length, 2)
})

test('what is no file is missing: nothing waits for a pipe', { skip: process.platform === 'win32' }, (test) => {
  const { backup: from, directory } = backup(test)
  for (const [name, sentence] of [
    ['format.json', /format\.json is missing/],
    [BACKUP_LIST, /is not a backup/],
  ] as const) {
    rmSync(join(from, name))
    execFileSync('mkfifo', [join(from, name)])
    assert.match(assertRefused('backup_refused', () => restoreBackup(from, join(directory, 'new'))).message, sentence)
  }
})
