/**
 * Backups of a store in use: all shards hold still while the snapshots are taken, and go on while these are copied.
 *
 * Owns: one backup at a time, and its state. Leaves out: copying (backup-thread.ts), files (backup-files.ts).
 *
 * 1. A backup is what the disk would hold if the process had ended at its moment. It has everything acknowledged
 *    before.
 */
import { readdirSync, rmSync, statfsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Refusal } from '../../errors.js'
import { isoMicros, systemClock } from '../../clock.js'
import { limits } from '../../limits.js'
import type { BackupReport, BackupService, BackupView } from '../../api/backup-service.js'
import type { Log } from '../../api/monitor-service.js'
import { readList } from '../../store/directory/backup-files.js'
import { beginDirectory, finishDirectory, isPartial } from '../../store/directory/partial-directory.js'
import type { Logs } from '../monitor/log/log.js'
import type { ReadableShards } from '../read/job-reader.js'
import { GIVEN_UP, READY, STILL, TAKEN } from './backup-steps.js'
import type { BackupThread } from './backup-threads.js'

export interface BackupDeps {
  readonly dataDir: string
  /** The directory of named backups; null where there is none. */
  readonly backupDir: string | null
  readonly shards: Pick<ReadableShards, 'stillWhile' | 'count' | 'sizeBytes'>
  readonly logs: Logs
  /** Copies the files. Closed by `close`. */
  readonly thread: BackupThread
  catalogBytes(): number
  /** @throws Refusal draining. */
  mustAccept(): void
}

/** From one read of the thread's step to the next. */
const POLL_MS = 2
const NAME = /^[A-Za-z0-9][\w.-]{0,127}$/

export class Backups implements BackupService {
  readonly #deps: BackupDeps
  readonly #log: Log
  /** Backups of this process that run or have failed, by name. */
  readonly #here = new Map<string, BackupView>()
  #underWay: Promise<unknown> | null = null
  #steps: Int32Array | null = null

  constructor(deps: BackupDeps) {
    this.#deps = deps
    this.#log = deps.logs.of('store')
  }

  start(name: string = isoMicros(systemClock.nowMicros()).replace(/[:.]/g, '-')): BackupView {
    const { backupDir } = this.#deps
    if (backupDir === null)
      throw new Refusal('backup_refused', 'SERVICE_BACKUP_DIR is not set: it names the directory of backups')
    if (!NAME.test(name) || isPartial(name)) throw wrongName()
    this.#deps.mustAccept()
    const running = this.make(join(backupDir, name), true)
    const view: BackupView = { name, state: 'running', madeAt: null, bytes: null, message: '' }
    this.#here.set(name, view)
    running.then(
      () => this.#here.delete(name),
      (error: unknown) => {
        this.#here.set(name, { ...view, state: 'failed', message: (error as Error).message })
        if (this.#here.size > limits.backupFailuresMax) this.#here.delete(this.#here.keys().next().value as string)
      },
    )
    return view
  }

  list(): BackupView[] {
    const { backupDir } = this.#deps
    if (backupDir === null) return []
    return [...this.#here.values(), ...finishedIn(backupDir)].sort((a, b) => (a.name < b.name ? 1 : -1))
  }

  /**
   * Makes a backup in `directory`. Throws at once, or rejects, with Refusal draining, backup_in_progress,
   * backup_refused.
   */
  make(directory: string, withKey: boolean): Promise<BackupReport> {
    this.#deps.mustAccept()
    if (this.#underWay !== null) throw new Refusal('backup_in_progress', 'another backup is being made')
    const path = resolve(directory)
    const partial = beginDirectory(path, this.#deps.dataDir)
    try {
      this.#mustFit(partial)
    } catch (error) {
      rmSync(partial, { recursive: true, force: true })
      throw error
    }
    const running = this.#copy(path, partial, withKey).finally(() => {
      this.#underWay = null
      this.#steps = null
    })
    this.#underWay = running.catch(() => {})
    return running
  }

  /** Stops a running backup. */
  async close(): Promise<void> {
    if (this.#steps !== null) {
      Atomics.store(this.#steps, 0, GIVEN_UP)
      Atomics.notify(this.#steps, 0)
    }
    await this.#deps.thread.close()
    await this.#underWay
  }

  async #copy(path: string, partial: string, withKey: boolean): Promise<BackupReport> {
    const begin = performance.now()
    try {
      const steps = new Int32Array(new SharedArrayBuffer(4))
      this.#steps = steps
      const running = this.#deps.thread.run({
        dataDir: this.#deps.dataDir,
        into: partial,
        withKey,
        steps: steps.buffer as SharedArrayBuffer,
      })
      const reached = waiter(running, steps)
      await reached(READY)
      await this.#deps.shards.stillWhile(async () => {
        Atomics.compareExchange(steps, 0, READY, STILL)
        Atomics.notify(steps, 0)
        await reached(TAKEN)
      })
      const { list, entries } = await running
      finishDirectory(partial)
      const bytes = list.files.reduce((sum, file) => sum + file.bytes, 0)
      const report = {
        directory: path,
        madeAt: list.madeAt,
        files: list.files.length,
        entries,
        bytes,
        seconds: (performance.now() - begin) / 1000,
      }
      this.#log.info('a backup was made', { ...report })
      return report
    } catch (error) {
      rmSync(partial, { recursive: true, force: true })
      this.#log.error('a backup could not be made', { directory: path, err: error })
      throw error
    }
  }

  #mustFit(partial: string): void {
    const { shards } = this.#deps
    const { bavail, bsize } = statfsSync(partial)
    const needed = Array.from({ length: shards.count }, (_, shard) => shards.sizeBytes(shard)).reduce(
      (sum, bytes) => sum + bytes,
      this.#deps.catalogBytes(),
    )
    if (bavail * bsize < needed) {
      throw new Refusal('backup_refused', `there is no room for a backup of ${needed} bytes in its directory`)
    }
  }
}

/** Waits until the thread has reached a step, or has ended. */
function waiter(running: Promise<unknown>, steps: Int32Array): (step: number) => Promise<void> {
  let over = false
  const settled = running.then(
    () => (over = true),
    () => (over = true),
  )
  return async (step) => {
    while (!over && Atomics.load(steps, 0) < step)
      await Promise.race([settled, new Promise((done) => setTimeout(done, POLL_MS))])
  }
}

/** The finished backups in a directory. A damaged one is listed as failed, with the reason. */
function finishedIn(directory: string): BackupView[] {
  let names: string[]
  try {
    names = readdirSync(directory)
  } catch {
    return []
  }
  return names.flatMap((name): BackupView[] => {
    try {
      const list = readList(join(directory, name))
      if (list === null || isPartial(name)) return []
      return [
        {
          name,
          state: 'finished',
          madeAt: list.madeAt,
          bytes: list.files.reduce((sum, file) => sum + file.bytes, 0),
          message: '',
        },
      ]
    } catch (error) {
      return [{ name, state: 'failed', madeAt: null, bytes: null, message: (error as Error).message }]
    }
  })
}

function wrongName(): Refusal {
  const msg =
    'has at most 128 letters, digits, -, _ and ., begins with a letter or a digit, and does not end with .partial'
  return new Refusal('invalid_body', `name: ${msg}`, { issues: [{ loc: ['body', 'name'], msg, type: 'value_error' }] })
}
