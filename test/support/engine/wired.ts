/** The internals of an engine with its threads, on a directory of their own. */
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
import type { TurnLog } from '../../../engine/runtime/log/turn-log.js'
import { afterwards, type Ending } from '../afterwards.js'
import { temporaryDirectory } from './files.js'

/** All internals in one object. */
export interface EngineParts extends Reports, Stores, Runtime, Services {
  job(id: number): JobSettings | undefined
  close(): Promise<void>
}

/** The internals over an existing directory, with one shard if it is new. */
export async function wireParts(options: EngineOptions, log?: TurnLog): Promise<EngineParts> {
  const lock = await lockDataDir(options.dataDir)
  let sequence = 0
  const catalog = { append: () => ++sequence, appendLedger() {} }
  const logs = log === undefined ? undefined : { turns: log, catalog, lastMicros: 0 }
  const { reports, stores, runtime, services, close } = wire(options, openDataDir(options.dataDir, 1), lock, logs)
  return { ...reports, ...stores, ...runtime, ...services, job: (id) => stores.resources.job(id), close }
}

/** Takes a manual clock and an existing directory if they are given. */
export async function openParts(test: Ending, clock?: Clock, madeDir?: string, log?: TurnLog): Promise<EngineParts> {
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
  const parts = await wireParts(settings, log)
  afterwards(test, () => parts.close())
  return parts
}
