import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { Readable } from 'node:stream'
import { Context } from '../../../server/cli/context.js'
import { ProfileFile, profilePath } from '../../../server/cli/profile.js'

const dir = mkdtempSync(join(tmpdir(), 'decide-profile-'))
after(() => rmSync(dir, { recursive: true }))

function contextOf(env: Readonly<Record<string, string>>): Context {
  const quiet = { write: () => {} }
  return new Context({
    stdin: Readable.from([]),
    stdout: quiet,
    stderr: quiet,
    env,
    signal: new AbortController().signal,
  })
}

const path = join(dir, 'a', 'b', 'profiles.json')
const file = new ProfileFile(path)

test('the first profile is the default, and the file is readable by its owner alone', () => {
  assert.equal(file.get(), undefined)
  file.set('home', { url: 'http://one', key: 'k1' }, false)
  file.set('work', { url: 'http://two:1/base', key: 'k2' }, false)
  assert.deepEqual(file.get(), { url: 'http://one', key: 'k1' })
  assert.deepEqual(file.get('work'), { url: 'http://two:1/base', key: 'k2' })
  assert.equal(file.get('constructor'), undefined)
  file.set('work', { url: 'http://two:1/base', key: 'k2' }, true)
  assert.equal(file.get()?.key, 'k2')
  assert.deepEqual(readdirSync(dirname(path)), ['profiles.json'])
  if (process.platform !== 'win32') assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('a key is sent to the address of its profile alone', () => {
  const env = { DECIDE_CONFIG: path }
  assert.deepEqual(contextOf(env).target({}), { url: 'http://two:1/base', key: 'k2' })
  assert.deepEqual(contextOf(env).target({ profile: 'home' }), { url: 'http://one', key: 'k1' })
  assert.deepEqual(contextOf(env).target({ url: 'http://two:1/other' }), { url: 'http://two:1/other', key: 'k2' })
  for (const url of ['http://two', 'http://two:2', 'https://two:1', 'http://other'])
    assert.deepEqual(contextOf(env).target({ url }), { url, key: undefined })
  const given = { ...env, DECIDE_URL: 'http://other', DECIDE_KEY: 'k3' }
  assert.deepEqual(contextOf(given).target({}), { url: 'http://other', key: 'k3' })
  assert.throws(() => contextOf(env).target({ profile: 'none' }), { name: 'UsageError' })
  assert.throws(() => contextOf({ DECIDE_CONFIG: join(dir, 'none') }).target({}), { name: 'UsageError' })
})

test('a file that others can read is refused, and so is one that is no profile file', {
  skip: process.platform === 'win32',
}, () => {
  chmodSync(path, 0o640)
  assert.throws(() => file.get(), { message: /can be read by others; run: chmod 600/ })
  const broken = new ProfileFile(join(dir, 'broken'))
  writeFileSync(broken.path, '{"profiles": {"a": {"key": 5}}}', { mode: 0o600 })
  assert.throws(() => broken.get(), { message: /is not valid/ })
})

test('the file is where the system keeps configuration', { skip: process.platform === 'win32' }, () => {
  assert.equal(profilePath({ XDG_CONFIG_HOME: '/x' }), '/x/decide/profiles.json')
  assert.equal(profilePath({ DECIDE_CONFIG: '/y' }), '/y')
  assert.match(profilePath({}), /\/\.config\/decide\/profiles\.json$/)
})
