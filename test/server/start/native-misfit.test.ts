import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { isNativeMisfit } from '../../../server/start/native-misfit.js'

const require = createRequire(import.meta.url)

function errorOf(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  assert.fail('it did not fail')
}

test('a binary that does not load, or is not there, does not fit', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'decision-service-native-'))
  try {
    writeFileSync(join(dir, 'broken.node'), 'not a library')
    assert.equal(isNativeMisfit(errorOf(() => require(join(dir, 'broken.node')))), true)
    assert.equal(isNativeMisfit(errorOf(() => require(join(dir, 'missing.node')))), true)
    assert.equal(isNativeMisfit(new Error('No native build was found for platform=linux arch=x64')), true)
    assert.equal(isNativeMisfit(new Error('This version of uWS.js supports only Node.js versions 18, 20')), true)
  } finally {
    await rm(dir, { recursive: true })
  }
})

test('any other failure of an import is told as it is', async () => {
  const missing = './no-such-file.js'
  const notFound: unknown = await import(missing).then(
    () => null,
    (error: unknown) => error,
  )
  const syntax = errorOf(() => new Function('('))
  for (const error of [notFound, syntax, new TypeError('x is not a function'), 'text', null]) {
    assert.equal(isNativeMisfit(error), false)
  }
})
