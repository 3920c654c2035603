import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { httpNotice } from '../../../server/http/native.js'

const program = new URL('../../../server/http/native.js', import.meta.url)

/** What a new process says of its library. */
function noticeWith(setting: string): string {
  const script = `import(${JSON.stringify(program.href)}).then(({ httpNotice }) => console.log(httpNotice))`
  const env = { ...process.env, SERVICE_HTTP_LIBRARY: setting }
  return spawnSync(process.execPath, ['-e', script], { env, encoding: 'utf8' }).stdout.trim()
}

test('one sentence says that node:http serves, and why', () => {
  assert.equal(noticeWith('node'), 'HTTP is served by node:http, as SERVICE_HTTP_LIBRARY says.')
  const auto = noticeWith('auto')
  assert.match(
    auto,
    /^null$|^HTTP is served by node:http, which is slower, because uWebSockets\.js does not load \(.+\): \S/,
  )
  if ((process.env.SERVICE_HTTP_LIBRARY ?? 'auto') === 'auto') assert.equal(String(httpNotice), auto)
})
