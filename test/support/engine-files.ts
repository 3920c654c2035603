/** Directories of one test's own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** A directory that the caller removes. */
export function newDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'engine-test-'))
}

/** A directory that is there until the test ends. */
export function temporaryDirectory(test: Pick<TestContext, 'after'>): string {
  const path = newDirectory()
  test.after(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }))
  return path
}
