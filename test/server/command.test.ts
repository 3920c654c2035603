import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

const dir = mkdtempSync(join(tmpdir(), 'command-'))
after(() => rmSync(dir, { recursive: true }))

const program = join(dir, 'program.mjs')
writeFileSync(
  program,
  `import { readCommand } from ${JSON.stringify(new URL('../../server/command.js', import.meta.url).href)}
console.log(readCommand('npm run it -- PLACE [--key K]', 1, { key: { type: 'string' } }).positionals[0])`,
)

/** How the program ends with these arguments, and what it says on which stream. */
function run(...args: string[]): [number | null, string, string] {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' })
  return [status, stdout, stderr]
}

test('help is told and no failure, other arguments than a command takes are one', () => {
  const usage = 'Usage: npm run it -- PLACE [--key K]\n'
  assert.deepEqual(run('--help'), [0, usage, ''])
  for (const args of [[], [''], ['a', 'b'], ['a', '--other']]) assert.deepEqual(run(...args), [2, '', usage])
  assert.deepEqual(run('a', '--key', 'k'), [0, 'a\n', ''])
})
