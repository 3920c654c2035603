/** The parts of an engine on a directory of their own, with its threads, for tests of what is behind its door. */
import { join } from 'node:path'
import type { Clock } from '../../engine/clock.js'
import { EngineParts } from '../../engine/parts.js'
import { makeDataDir, openDataDir } from '../../engine/store/data-dir.js'
import { lockDataDir } from '../../engine/store/data-lock.js'
import { afterwards, type Ending } from './afterwards.js'
import { temporaryDirectory } from './engine-files.js'

/** With a clock that is not the machine's, and on a directory that is there already, where they are given. */
export async function openParts(test: Ending, clock?: Clock, madeDir?: string): Promise<EngineParts> {
  const dataDir = madeDir ?? join(temporaryDirectory(test), 'data')
  if (madeDir === undefined) makeDataDir(dataDir)
  const lock = await lockDataDir(dataDir)
  const settings = {
    dataDir,
    name: 'service',
    shards: 1,
    threads: 1,
    adminPassword: 'administrator',
    passwordCost: 10,
    clock,
  }
  const parts = new EngineParts(settings, openDataDir(dataDir, 1), lock)
  afterwards(test, () => parts.close())
  return parts
}
