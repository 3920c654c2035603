/** Bundles are small, and their stack traces name the source all the same. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const bundles = fileURLToPath(new URL('../../../bundle/service/', import.meta.url))

test('a trace from a bundle has the lines of the source, without a flag of Node.js', () => {
  // Without the data of its thread it fails.
  const { status, stderr } = spawnSync(process.execPath, [join(bundles, 'shard-thread.js')], { encoding: 'utf8' })
  assert.notEqual(status, 0)
  assert.match(stderr, /at .*engine\/runtime\/threads\/shard-thread\.ts:\d+:\d+/)
})

test('bundles have no indents and no other languages, and V8 needs one byte for a character', () => {
  for (const name of readdirSync(bundles).filter((one) => one.endsWith('.js'))) {
    const text = readFileSync(join(bundles, name), 'utf8')
    assert.doesNotMatch(text, /\n {2}const /, name)
    assert.doesNotMatch(text, /\/locales\/(?!en\b)/, name)
    assert.ok(
      [...text].every((char) => char <= '\u00ff'),
      `${name} has characters beyond Latin-1`,
    )
  }
})
