/**
 * `npm run test:python`: a Python client, generated from the OpenAPI document, does the first steps of the manual.
 *
 * It installs openapi-python-client from its registry into .build/python, which may be deleted at any time. It needs
 * Python 3.11 or newer.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pythonEnvironment } from '../../../bench/harness/python.js'
import { MANAGEMENT_KEY, startService, type TestService } from '../../support/service.js'
import { root } from '../../support/source-tree.js'

const NAME_CHARS_MAX = 32

const source = join(root, 'test/long/python')
const home = join(root, '.build/python')
const generated = join(home, 'client')
const packageName = 'decision_service_client'

let service: TestService
let bin: string

before(async () => {
  bin = pythonEnvironment(home, join(source, 'requirements.txt'))
  service = await startService()
})
after(() => service.close())

/** Runs a command of the environment. It does not block this process, which serves. */
function run(command: string, args: readonly string[]): Promise<string> {
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH ?? ''}`, PYTHONPATH: generated }
  return new Promise((resolve, reject) => {
    execFile(join(bin, command), args, { cwd: home, env }, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(`${command} failed:\n${stdout}${stderr}`)),
    )
  })
}

test('a generated Python client has every operation and short names, and does the first steps', async () => {
  const document = join(home, 'openapi.json')
  rmSync(generated, { recursive: true, force: true })
  mkdirSync(generated, { recursive: true })
  writeFileSync(document, (await service.client.get('/openapi.json')).text)
  const target = join(generated, packageName)
  const said = await run('openapi-python-client', [
    'generate',
    '--path',
    document,
    '--output-path',
    target,
    '--meta',
    'none',
  ])
  assert.doesNotMatch(said, /Endpoint will not be generated/)
  const names = readdirSync(join(target, 'models')).map((file) => file.replace(/\.py$/, ''))
  assert.deepEqual(
    names.filter((name) => name.length > NAME_CHARS_MAX),
    [],
  )
  const printed = await run('python', [join(source, 'first_steps.py'), service.baseUrl, MANAGEMENT_KEY])
  assert.deepEqual(JSON.parse(printed), { result_label: 'Drop', events: 3 })
})
