import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { sentenceOf } from '../../../server/cli/failure.js'
import { temporaryDirectory } from '../../support/engine/files.js'

function failureOf(path: string): unknown {
  try {
    return readFileSync(path)
  } catch (error) {
    return error
  }
}

it('a file that cannot be read is a sentence, without the words of the system', (test) => {
  const directory = temporaryDirectory(test)
  const missing = join(directory, 'events.ndjson')
  assert.equal(sentenceOf(failureOf(missing)), `${missing} does not exist.`)
  // The system does not say which path it was that it read as a file.
  assert.match(
    sentenceOf(Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: 'open', path: '/x' })),
    /^\/x may not/,
  )
  assert.equal(sentenceOf(failureOf(directory)), 'the file is a directory; give a file.')
  assert.equal(sentenceOf(Object.assign(new Error('boom'), { code: 'EIO', syscall: 'read' })), 'boom.')
})
