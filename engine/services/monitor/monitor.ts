/**
 * The monitoring service: figures, samples, log, containers and watchdogs behind one contract.
 *
 * Owns: the timer of samples and checks, and when the engine counts as ready. Leaves out: writing the log (log/log.ts).
 */
import type { Clock } from '../../clock.js'
import { MAIN, type Component } from '../../api/components.js'
import type { ContainerName } from '../../api/container-service.js'
import type { LogLevels } from '../../api/log-level.js'
import type {
  Figures,
  MonitorService,
  ServiceState,
  Batch,
  BatchKind,
  LogFile,
  Log,
} from '../../api/monitor-service.js'
import type { Author } from '../../api/principal.js'
import type { Environment } from '../../store/environment.js'
import type { RecentBatches } from './recent-batches.js'
import { logFileOf, openLog } from './log/log-files.js'
import { SAMPLE_SECONDS, SampleStore } from './sample-store.js'
import type { WatchdogLog } from './watchdog-log.js'
import { clockBehind, MachineClock } from './machine-clock.js'
import { freeShare } from './container-troubles.js'
import { Containers, type ContainersDeps } from './containers.js'
import { FigureReader, type FigureDeps } from './figures.js'
import { Usage } from './usage.js'
import { Watchdogs } from './watchdogs.js'

export interface MonitorDeps extends FigureDeps, ContainersDeps {
  readonly batches: RecentBatches
  /** The catalog's environment. */
  readonly store: Environment
  readonly watchdogLog: WatchdogLog
  readonly clock: Clock
  /** False while the engine shuts down. */
  accepting(): boolean
}

/** Between two tries to reach threads that do not start. */
const RETRY_MS = 1_000

/** Samples between two writes of them. */
const FLUSH_TICKS = 6

export class Monitor implements MonitorService {
  readonly containers: Containers
  readonly watchdogs: Watchdogs
  readonly #deps: MonitorDeps
  readonly #figures: FigureReader
  readonly #samples: SampleStore
  readonly machineClock: MachineClock
  #usage: Usage
  #timer: NodeJS.Timeout | null = null
  /** The timer of samples and checks, as a container. */
  readonly #sampling: { startedMicros: number; restart(): Promise<void> }
  #ticks = 0
  #ticking: Promise<void> = Promise.resolve()
  #threadsUp = false

  constructor(deps: MonitorDeps) {
    const { store, watchdogLog, clock } = deps
    this.#deps = deps
    this.watchdogs = new Watchdogs(deps, watchdogLog, clock)
    this.#figures = new FigureReader(deps, (decided) => this.watchdogs.checks.count(decided))
    this.#samples = new SampleStore(store)
    const { shards } = deps
    const log = (): Log => this.log('monitor')
    this.machineClock = new MachineClock({ clock, shards, log, monotonicMs: () => performance.now() })
    this.#usage = new Usage(deps)
    this.#sampling = { startedMicros: clock.nowMicros(), restart: () => this.#restart() }
    this.containers = new Containers(deps, this.#sampling, this.#samples, clock)
    void this.#awaitThreads()
    this.#start()
  }

  get state(): ServiceState {
    if (!this.#deps.accepting()) return 'closing'
    return this.#threadsUp ? 'ready' : 'starting'
  }

  figures(): Figures {
    const watchdogs = this.watchdogs
      .list()
      .map(({ id, title, type, state }) => ({ id, title, type, isFiring: state === 'firing' }))
    return { ...this.#figures.read(), watchdogs }
  }

  log(component: Component, container?: string): Log {
    return this.#deps.logs.of(component, container)
  }

  setLogLevels(levels: LogLevels): void {
    this.#deps.logs.setLevels(levels)
  }

  flushLog(): void {
    this.#deps.logs.flush()
  }

  async logFiles(): Promise<LogFile[]> {
    this.flushLog()
    return await openLog(this.#deps.dataDir)
  }

  async logOf(name: ContainerName): Promise<LogFile> {
    await this.containers.one(name)
    return logFileOf(await this.logFiles(), name)
  }

  get clockTrouble(): string | null {
    const { clockBehindSeconds } = this.#deps.shards
    return clockBehindSeconds === 0 ? null : clockBehind(clockBehindSeconds)
  }

  get diskFree(): number {
    return freeShare(this.#deps.dataDir)
  }

  batches(kinds: readonly BatchKind[], count: number): Batch[] {
    return this.#deps.batches.latest(kinds, count)
  }

  followBatches(follower: (batch: Batch) => void): void {
    this.#deps.batches.follow(follower)
  }

  async restart(by: Author): Promise<void> {
    await this.containers.restart({ component: 'monitor', container: MAIN }, by)
  }

  /** Writes collected samples, and starts sampling and watchdogs anew. */
  async #restart(): Promise<void> {
    await this.stop()
    this.#usage = new Usage(this.#deps)
    this.watchdogs.checks.restart()
    this.log('monitor').info('restarted')
    this.#sampling.startedMicros = this.#deps.clock.nowMicros()
    this.#start()
  }

  /** Stops sampling; resolves when the last sample is written. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
    await this.#ticking
    this.#samples.flush(this.#deps.clock.nowMicros())
  }

  #start(): void {
    if (!this.#deps.accepting() || this.#timer !== null) return
    let isBusy = false
    this.#timer = setInterval(() => {
      if (isBusy) return
      isBusy = true
      this.#ticking = this.#tick()
        .catch((error: unknown) => this.log('monitor').error('a sample could not be taken', { err: error }))
        .finally(() => (isBusy = false))
    }, SAMPLE_SECONDS * 1_000).unref()
  }

  async #tick(): Promise<void> {
    this.machineClock.check()
    if (!this.#threadsUp) return
    const samples = await this.#usage.read()
    const now = this.#deps.clock.nowMicros()
    this.#samples.add(now, samples)
    this.#figures.countDecided()
    await this.watchdogs.checks.run()
    if (++this.#ticks % FLUSH_TICKS === 0) this.#samples.flush(now)
  }

  async close(): Promise<void> {
    this.log('monitor').info('closed')
    await this.#deps.logs.close()
  }

  /** The engine is ready once it has heard from every thread that decides events. */
  async #awaitThreads(): Promise<void> {
    const { shards } = this.#deps
    while (this.#deps.accepting() && !this.#threadsUp) {
      try {
        await Promise.all(Array.from({ length: shards.threads }, (_, thread) => shards.readThreadUsage(thread)))
        this.#threadsUp = true
        this.log('monitor').info('ready', { threads: shards.threads })
      } catch (error) {
        if (!this.#deps.accepting()) return
        this.log('monitor').error('threads that decide events do not start', { err: error })
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref())
      }
    }
  }
}
