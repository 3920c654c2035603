/** The parts of an engine on a directory of their own, with its threads, for tests of what is behind its door. */
import { join } from 'node:path'
import type { Clock } from '../../../engine/clock.js'
import type { JobSettings } from '../../../engine/domain/job/job.js'
import { wire } from '../../../engine/wiring.js'
import type { Runtime } from '../../../engine/services/start/start-runtime.js'
import type { Services } from '../../../engine/services/start/open-services.js'
import type { Stores } from '../../../engine/services/start/open-stores.js'
import type { Reports } from '../../../engine/services/start/reports.js'
import type { EngineOptions } from '../../../engine/options.js'
import { makeDataDir, openDataDir } from '../../../engine/store/directory/data-dir.js'
import { lockDataDir } from '../../../engine/store/directory/data-lock.js'
import { afterwards, type Ending } from '../afterwards.js'
import { temporaryDirectory } from './files.js'

/** All parts side by side. */
export interface EngineParts extends Reports, Stores, Runtime, Services {
  job(id: number): JobSettings | undefined
  close(): Promise<void>
}

/** The parts over a directory that is there, of one shard where it is new. */
export async function wireParts(options: EngineOptions): Promise<EngineParts> {
  const lock = await lockDataDir(options.dataDir)
  const { reports, stores, runtime, services, close } = wire(options, openDataDir(options.dataDir, 1), lock)
  return { ...reports, ...stores, ...runtime, ...services, job: (id) => stores.resources.job(id), close }
}

/** With a clock that is not the machine's, and on a directory that is there already, where they are given. */
export async function openParts(test: Ending, clock?: Clock, madeDir?: string): Promise<EngineParts> {
  const dataDir = madeDir ?? join(temporaryDirectory(test), 'data')
  if (madeDir === undefined) makeDataDir(dataDir)
  const settings = {
    dataDir,
    name: 'service',
    shards: 1,
    threads: 1,
    adminPassword: 'administrator',
    passwordCost: 10,
    clock,
  }
  const parts = await wireParts(settings)
  afterwards(test, () => parts.close())
  return parts
}
