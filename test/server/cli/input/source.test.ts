import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { openSource } from '../../../../server/cli/input/source.js'

const dir = mkdtempSync(join(tmpdir(), 'decide-source-'))
after(() => rmSync(dir, { recursive: true }))

async function textOf(input: Iterable<Uint8Array>): Promise<string> {
  const { bytes } = await openSource(undefined, Readable.from(input))
  const pieces: Uint8Array[] = []
  for await (const piece of bytes) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

function bytewise(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (byte) => Uint8Array.of(byte))
}

test('gzip is seen by its first bytes, also in several parts and byte by byte', async () => {
  const bytes = Buffer.concat([gzipSync('one\n'), gzipSync('zwölf\n')])
  assert.equal(await textOf([bytes]), 'one\nzwölf\n')
  assert.equal(await textOf(bytewise(bytes)), 'one\nzwölf\n')
  assert.equal(await textOf(bytewise(Buffer.from('zwölf'))), 'zwölf')
  assert.equal(await textOf([]), '')
})

test('gzip that is cut off is said in a sentence', async () => {
  const cut = gzipSync('one').subarray(0, 15)
  await assert.rejects(textOf([cut]), { name: 'UsageError', message: 'the input is not valid gzip' })
})

test('a file says how much of it was read, a directory is none', async () => {
  const file = join(dir, 'file')
  writeFileSync(file, 'x'.repeat(1000))
  const source = await openSource(file, Readable.from([]))
  for await (const _ of source.bytes);
  assert.equal(source.share(), 1)
  await assert.rejects(openSource(dir, Readable.from([])), { name: 'UsageError' })
})
