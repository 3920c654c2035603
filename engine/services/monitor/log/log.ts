/**
 * The log: JSON lines with time, level, component and container, written by pino. The only file that imports `pino`.
 *
 * Owns: levels, and the last error of each container. Leaves out: the files (log-store.ts).
 *
 * 1. No line has a key, a password or an event's body.
 * 2. Levels can be changed while the service runs, for a component or for one of its containers.
 * 3. Nothing waits for the reader of standard error: lines that it does not take are dropped.
 */
import { pino, stdSerializers, stdTimeFunctions, type DestinationStream, type Logger } from 'pino'
import type { Component } from '../../../api/components.js'
import { MAIN } from '../../../api/components.js'
import type { LogLevel, LogLevels } from '../../../api/log-level.js'
import type { LastError } from '../../../api/container-service.js'
import type { Log, LogFields } from '../../../api/monitor-service.js'
import { LogStore } from './log-store.js'

class ContainerLog implements Log {
  readonly #logger: Logger
  lastError: LastError | null = null

  constructor(logger: Logger) {
    this.#logger = logger
  }

  get level(): LogLevel {
    return this.#logger.level as LogLevel
  }

  set level(level: LogLevel) {
    this.#logger.level = level
  }

  enabled(level: LogLevel): boolean {
    return level !== 'silent' && this.#logger.isLevelEnabled(level)
  }

  debug(message: string, fields: LogFields = {}): void {
    this.#logger.debug(fields, message)
  }

  info(message: string, fields: LogFields = {}): void {
    this.#logger.info(fields, message)
  }

  warn(message: string, fields: LogFields = {}): void {
    this.#logger.warn(fields, message)
  }

  error(message: string, fields: LogFields = {}): void {
    const cause = fields.err instanceof Error ? `: ${fields.err.message}` : ''
    this.lastError = { at: new Date().toISOString(), message: message + cause }
    this.#logger.error(fields, message)
  }
}

export class Logs {
  readonly #store: LogStore
  readonly #root: Logger
  #echo: Echo | null
  readonly #containers = new Map<string, ContainerLog>()
  #levels: LogLevels

  /** With `echo` the lines also go to standard error. */
  constructor(dataDir: string, levels: LogLevels, echo: boolean) {
    this.#levels = levels
    this.#store = new LogStore(dataDir)
    this.#echo = echo ? pino.destination({ fd: 2, sync: false, maxLength: ECHO_BYTES_MAX }) : null
    this.#echo?.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') this.#echo = null
    })
    const destination: DestinationStream = {
      write: (line) => {
        this.#store.write(line)
        this.#echo?.write(line)
      },
    }
    this.#root = pino(
      {
        level: 'trace',
        base: null,
        timestamp: stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
        serializers: { err: stdSerializers.err },
      },
      destination,
    )
  }

  /** Lines that could not be written to the files. */
  get dropped(): number {
    return this.#store.dropped
  }

  of(component: Component, container: string = MAIN): Log {
    return this.#of(component, container)
  }

  level(component: Component, container: string): LogLevel {
    return this.#of(component, container).level
  }

  lastError(component: Component, container: string): LastError | null {
    return this.#containers.get(`${component}/${container}`)?.lastError ?? null
  }

  setLevel(component: Component, container: string, level: LogLevel): void {
    this.#of(component, container).level = level
  }

  /** Sets the levels of all components; their containers get the same. */
  setLevels(levels: LogLevels): void {
    this.#levels = levels
    for (const [name, log] of this.#containers) log.level = levels[name.slice(0, name.indexOf('/')) as Component]
  }

  /** A callback that logs background failures of a component, and passes them on to `also`. */
  failures(
    component: Component,
    also?: (what: string, error: unknown) => void,
  ): (what: string, error: unknown) => void {
    const log = this.#of(component, MAIN)
    return (what, error) => {
      log.error(what, { err: error instanceof Error ? error : new Error(String(error)) })
      also?.(what, error)
    }
  }

  /** Writes all lines to the files. Standard error is not waited for: its reader may never take them. */
  flush(): void {
    this.#store.flush()
  }

  /** Closes the log; later lines are lost. */
  async close(): Promise<void> {
    this.flush()
    this.#store.close()
    const echo = this.#echo
    this.#echo = null
    if (echo !== null) await ended(echo)
  }

  #of(component: Component, container: string): ContainerLog {
    const name = `${component}/${container}`
    let log = this.#containers.get(name)
    if (log === undefined) {
      log = new ContainerLog(this.#root.child({ component, container }, { level: this.#levels[component] }))
      this.#containers.set(name, log)
    }
    return log
  }
}

/** Bytes that may wait for the reader of standard error. */
const ECHO_BYTES_MAX = 4 * 1024 ** 2
/** How long the reader of standard error has for the last lines. */
const ECHO_END_MS = 1_000

type Echo = ReturnType<typeof pino.destination>

/**
 * Resolves when the last lines are taken or dropped. Otherwise pino would wait for their reader at exit, without end.
 */
function ended(echo: Echo): Promise<void> {
  return new Promise((resolve) => {
    const giveUp = setTimeout(() => {
      echo.destroy()
      resolve()
    }, ECHO_END_MS)
    echo.once('close', () => {
      clearTimeout(giveUp)
      resolve()
    })
    echo.end()
  })
}
