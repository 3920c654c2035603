/** The parts of an engine on a directory of their own, with its threads, for tests of what is behind its door. */
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { EngineParts } from '../../engine/parts.js'
import { makeDataDir, openDataDir } from '../../engine/store/data-dir.js'
import { lockDataDir } from '../../engine/store/data-lock.js'
import { temporaryDirectory } from './engine-files.js'

export async function openParts(test: Pick<TestContext, 'after'>): Promise<EngineParts> {
  const dataDir = join(temporaryDirectory(test), 'data')
  makeDataDir(dataDir)
  const lock = await lockDataDir(dataDir)
  const parts = new EngineParts({ dataDir, name: 'service', shards: 1, threads: 1, adminPassword: 'administrator', passwordCost: 10 }, openDataDir(dataDir, 1), lock)
  test.after(() => parts.close())
  return parts
}
