/** Directories for one test. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterwards, type Ending } from '../afterwards.js'

/** A directory that the caller removes. */
export function newDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'engine-test-'))
}

/** A directory that is removed when the test ends. */
export function temporaryDirectory(test: Ending): string {
  const path = newDirectory()
  afterwards(test, () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }))
  return path
}
