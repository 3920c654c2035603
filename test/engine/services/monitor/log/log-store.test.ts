import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { limits } from '../../../../../engine/limits.js'
import { logDirectory, logFile, LogStore } from '../../../../../engine/services/monitor/log/log-store.js'

const dir = mkdtempSync(join(tmpdir(), 'log-store-'))
after(() => rmSync(dir, { recursive: true }))

test('lines are kept in order, the oldest file makes room, and there are never more files than may be', () => {
  const store = new LogStore(join(dir, 'a'), 1_000)
  for (let line = 0; line < 500; line++) {
    store.write(`${String(line).padStart(99, '.')}\n`)
    store.flush()
  }
  store.close()
  const names = readdirSync(logDirectory(join(dir, 'a')))
  assert.ok(names.length <= limits.logFilesMax)
  const numbers: number[] = []
  for (let file = limits.logFilesMax - 1; file >= 0; file--) {
    const path = logFile(join(dir, 'a'), file)
    if (!existsSync(path)) continue
    assert.ok(statSync(path).size <= 1_100)
    numbers.push(
      ...readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => Number(line.replace(/^\.+/, ''))),
    )
  }
  assert.equal(numbers.at(-1), 499)
  numbers.forEach((number, place) => assert.equal(number, (numbers[0] as number) + place))
})

test('a restart goes on in the same file', () => {
  for (const line of ['one\n', 'two\n']) {
    const store = new LogStore(join(dir, 'b'))
    store.write(line)
    store.close()
    store.write('too late\n')
  }
  assert.equal(readFileSync(logFile(join(dir, 'b'), 0), 'utf8'), 'one\ntwo\n')
})

test('what cannot be written is counted and harms nothing', () => {
  writeFileSync(join(dir, 'c'), 'not a directory')
  const store = new LogStore(join(dir, 'c'))
  store.write('lost\n')
  store.write('lost\n')
  store.flush()
  assert.equal(store.dropped, 2)
  store.close()
})
