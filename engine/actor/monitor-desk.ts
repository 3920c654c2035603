/**
 * What operators ask of the engine: wiring of what monitor/ and the threads know.
 *
 * Owns: when the engine counts as ready. Leaves out: the log itself (monitor/log.ts).
 */
import type { Component } from '../monitor/components.js'
import type { LogLevels } from '../monitor/log-level.js'
import type { Log } from '../monitor/log.js'
import type { Figures, MonitorService, ServiceState } from '../monitor/monitor-service.js'
import { FigureBook, type FigureParts } from './figures.js'

export interface MonitorParts extends FigureParts {
  /** False while the engine shuts down. */
  accepting(): boolean
}

/** Between two tries to reach threads that do not come up. */
const RETRY_MS = 1_000

export class MonitorDesk implements MonitorService {
  readonly #parts: MonitorParts
  readonly #figures: FigureBook
  #threadsUp = false

  constructor(parts: MonitorParts) {
    this.#parts = parts
    this.#figures = new FigureBook(parts)
    void this.#awaitThreads()
  }

  get state(): ServiceState {
    if (!this.#parts.accepting()) return 'closing'
    return this.#threadsUp ? 'ready' : 'starting'
  }

  figures(): Figures {
    return this.#figures.read()
  }

  log(component: Component, container?: string): Log {
    return this.#parts.logs.of(component, container)
  }

  setLogLevels(levels: LogLevels): void {
    this.#parts.logs.setLevels(levels)
  }

  close(): void {
    this.log('monitor').info('closed')
    this.#parts.logs.close()
  }

  /** Ready is who has heard from every thread that decides events. */
  async #awaitThreads(): Promise<void> {
    const { shards } = this.#parts
    while (this.#parts.accepting() && !this.#threadsUp) {
      try {
        await shards.lookAtThreads()
        this.#threadsUp = true
        this.log('monitor').info('ready', { threads: shards.threads })
      } catch (error) {
        if (!this.#parts.accepting()) return
        this.log('monitor').error('threads that decide events do not come up', { err: error })
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref())
      }
    }
  }
}
