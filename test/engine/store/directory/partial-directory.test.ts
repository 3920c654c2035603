import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { beginDirectory, finishDirectory, isPartial } from '../../../../engine/store/directory/partial-directory.js'
import { temporaryDirectory } from '../../../support/engine/files.js'
import { assertRefused } from '../../../support/engine/refusal.js'

test('of two that make a directory at the same place, the first that is whole has it, with all of its files and none of the other', (test) => {
  const place = join(temporaryDirectory(test), 'place')
  const source = temporaryDirectory(test)
  const [one, other] = [beginDirectory(place, source), beginDirectory(place, source)]
  for (const name of ['first', 'last']) writeFileSync(join(one, name), 'one')
  writeFileSync(join(other, 'first'), 'other')
  finishDirectory(one)
  assert.deepEqual(readdirSync(place), ['first', 'last'])
  assertRefused('backup_refused', () => finishDirectory(other))
  assertRefused('backup_refused', () => beginDirectory(place, source))
  assert.deepEqual(readdirSync(place), ['first', 'last'])
})

test('what was left by one that was killed goes with the next attempt at that place, and what may be under way does not', (test) => {
  const directory = temporaryDirectory(test)
  const [left, later] = ['monday.0123abcd.partial', 'monday.partial']
  for (const name of [left, later, 'tuesday.0123abcd.partial']) {
    mkdirSync(join(directory, name))
    writeFileSync(join(directory, name, 'file'), '')
    const hours = new Date(Date.now() - 2 * 3_600_000)
    for (const path of name === later
      ? [join(directory, name)]
      : [join(directory, name, 'file'), join(directory, name)])
      utimesSync(path, hours, hours)
  }
  const partial = beginDirectory(join(directory, 'monday'), temporaryDirectory(test))
  assert.ok(isPartial(partial) && isPartial(later) && !isPartial('monday'))
  assert.deepEqual(
    readdirSync(directory).filter((name) => !partial.endsWith(name)),
    [later, 'tuesday.0123abcd.partial'],
  )
})

test('a directory does not begin inside the one that is copied, by whatever name', (test) => {
  const directory = temporaryDirectory(test)
  const [source, beside, link] = ['data', 'data-2', 'link'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(source)
  symlinkSync(source, link)
  const inside = [
    source,
    join(source, 'monday'),
    join(source, 'a', 'b'),
    join(beside, '..', 'data', 'x'),
    join(link, 'x'),
    link,
  ]
  for (const path of inside) {
    const refusal = assertRefused('backup_refused', () => beginDirectory(path, source))
    assert.match(refusal.message, /lies inside .*data/)
  }
  assertRefused('backup_refused', () => beginDirectory(join(source, 'x'), link))
  assert.deepEqual(readdirSync(source), [])
  assert.ok(existsSync(beginDirectory(beside, source)))
})
