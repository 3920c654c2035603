import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { blocksOf, textsOf } from '../../../../server/cli/input/lines.js'
import { openSource } from '../../../../server/cli/input/source.js'

const dir = mkdtempSync(join(tmpdir(), 'decide-source-'))
after(() => rmSync(dir, { recursive: true }))

async function textOf(input: Iterable<Uint8Array>): Promise<string> {
  const { bytes } = await openSource(undefined, Readable.from(input))
  const lines: string[] = []
  for await (const line of textsOf(blocksOf(bytes))) lines.push(line)
  return lines.join('\n')
}

function bytewise(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (byte) => Uint8Array.of(byte))
}

test('gzip is seen by its first bytes, also in several parts and byte by byte', async () => {
  const bytes = Buffer.concat([gzipSync('one\n'), gzipSync('zwölf\n')])
  assert.equal(await textOf([bytes]), 'one\nzwölf')
  assert.equal(await textOf(bytewise(bytes)), 'one\nzwölf')
  assert.equal(await textOf(bytewise(Buffer.from('\ufeffzwölf'))), 'zwölf')
  assert.equal(await textOf([]), '')
  assert.equal(await textOf(bytewise(Buffer.from('a\r\n\n\ufeffb'))), 'a\n\n\ufeffb')
})

test('what is not UTF-8, and gzip that is cut off, is said in a sentence', async () => {
  await assert.rejects(textOf([Uint8Array.of(0x61, 0xff)]), { name: 'UsageError', message: 'the input is not UTF-8' })
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
