/**
 * Containers: the parts of the service that operators can look at, check and restart one by one.
 *
 * Owns: how often each was restarted, and how its health is reported. Leaves out: the list (container-list.ts), samples
 * (usage.ts).
 *
 * 1. A restart loses nothing: messages wait, trainings run again, queries are answered first, deliveries go on where
 *    they were.
 * 2. Restarts and changed log levels are in the audit log.
 */
import type { Clock } from '../../clock.js'
import { Refusal } from '../../errors.js'
import type { AuditAction, AuditEntry } from '../../api/audit-service.js'
import { MAIN } from '../../api/components.js'
import type {
  ContainerName,
  ContainerService,
  ContainerView,
  HealthCheck,
  RestartOutcome,
  SeriesPoint,
  LastError,
  TimeSelector,
} from '../../api/container-service.js'
import type { LogLevel } from '../../api/log-level.js'
import type { Author } from '../../api/principal.js'
import type { AuditTrail } from '../../resource/audit-trail.js'
import { within } from '../../runtime/within.js'
import { commitOrWait } from '../../store/commit-or-wait.js'
import { WriteBatch, type Environment } from '../../store/environment.js'
import { monitorBounds } from './bounds.js'
import type { Logs } from './log/log.js'
import type { SampleStore } from './sample-store.js'
import { containersOf, type Container, type ContainerListDeps, type MonitorPart } from './container-list.js'
import type { Trouble } from './container-troubles.js'

export interface ContainersDeps extends ContainerListDeps {
  readonly logs: Logs
  readonly audit: AuditTrail
  /** The catalog's environment. */
  readonly store: Pick<Environment, 'commit'>
}

/** How long an error makes its container degraded. */
const ERROR_FRESH_MS = 300_000

export class Containers implements ContainerService {
  readonly #deps: ContainersDeps
  readonly #monitor: MonitorPart
  readonly #startedMicros: number
  readonly #samples: SampleStore
  readonly #clock: Clock
  readonly #restarted = new Map<string, { micros: number; count: number }>()

  constructor(deps: ContainersDeps, monitor: MonitorPart, samples: SampleStore, clock: Clock) {
    this.#deps = deps
    this.#monitor = monitor
    this.#startedMicros = clock.nowMicros()
    this.#samples = samples
    this.#clock = clock
  }

  async all(): Promise<readonly ContainerView[]> {
    return (await this.#containers()).map((each) => this.#view(each))
  }

  async one(name: ContainerName): Promise<ContainerView> {
    return this.#view(await this.#find(name))
  }

  async series(name: ContainerName, what: 'cpu' | 'memory', selector: TimeSelector): Promise<readonly SeriesPoint[]> {
    await this.#find(name)
    return this.#samples.series(nameOf(name), what, selector, this.#clock.nowMicros())
  }

  async check(name: ContainerName): Promise<HealthCheck> {
    const found = await this.#find(name)
    const begin = performance.now()
    let trouble: Trouble
    try {
      await within(monitorBounds.healthCheckMs, found.check())
      trouble = this.#troubleOf(found)
    } catch (error) {
      trouble = { health: 'unhealthy', reason: (error as Error).message }
    }
    const { component, container } = found
    return {
      component,
      container,
      ...trouble,
      milliseconds: performance.now() - begin,
      atMicros: this.#clock.nowMicros(),
    }
  }

  async restart(name: ContainerName, by: Author): Promise<void> {
    const found = await this.#find(name)
    if (found.restart === null) {
      throw new Refusal('not_restartable', 'this part of the service restarts only with the process')
    }
    this.#deps.logs.of(found.component, found.container).info('restarting')
    await found.restart()
    const count = this.#restarted.get(nameOf(found))?.count ?? 0
    this.#restarted.set(nameOf(found), { micros: this.#clock.nowMicros(), count: count + 1 })
    this.#audit(found, 'restarted', by)
  }

  async restartAll(by: Author): Promise<readonly RestartOutcome[]> {
    const outcomes: RestartOutcome[] = []
    for (const { component, container } of await this.#containers()) {
      try {
        await this.restart({ component, container }, by)
        outcomes.push({ component, container, restarted: true, reason: '' })
      } catch (error) {
        outcomes.push({ component, container, restarted: false, reason: (error as Error).message })
      }
    }
    return outcomes
  }

  async setLogLevel(name: ContainerName, level: LogLevel, by: Author): Promise<void> {
    const found = await this.#find(name)
    const { component, container } = found
    const before = this.#deps.logs.level(component, container)
    this.#deps.logs.setLevel(component, container, level)
    this.#audit(found, 'log level changed', by, { log_level: { before, after: level } })
  }

  async #containers(): Promise<Container[]> {
    return (await this.#parts()).filter(({ isContainer }) => isContainer)
  }

  #parts(): Promise<Container[]> {
    return containersOf(this.#deps, this.#monitor, this.#startedMicros)
  }

  /** Operators need both most when the disk is full: then the log has a line instead. */
  #audit(of: Container, action: AuditAction, by: Author, changes?: AuditEntry['changes']): void {
    const { audit, store, logs } = this.#deps
    const batch = new WriteBatch()
    audit.record(batch, {
      atMicros: this.#clock.nowMicros(),
      by,
      action,
      object: { type: 'container', id: nameOf(of), title: of.title },
      ...(changes === undefined ? {} : { changes }),
    })
    if (!commitOrWait(store, batch))
      logs.of('monitor').error('the audit log could not be written', { container: nameOf(of), action, by: by.name })
  }

  /** @throws Refusal container_not_found. */
  async #find({ component, container }: ContainerName): Promise<Container> {
    const found = (await this.#parts()).find((each) => each.component === component && each.container === container)
    if (found === undefined) throw new Refusal('container_not_found', 'there is no such container')
    return found
  }

  #view(of: Container): ContainerView {
    const { component, container, title, status, waiting, waitingBytes, storeBytes, restart } = of
    const restarted = this.#restarted.get(nameOf(of))
    const [cpuPercent, memoryBytes] = this.#samples.latest(nameOf(of))
    return {
      component,
      container,
      title,
      status,
      waiting,
      waitingBytes,
      storeBytes,
      cpuPercent,
      memoryBytes,
      ...this.#troubleOf(of),
      startedMicros: Math.max(of.startedMicros, restarted?.micros ?? 0),
      restarts: restarted?.count ?? 0,
      lastError: this.#lastError(of),
      logLevel: this.#deps.logs.level(component, container),
      restartable: restart !== null,
    }
  }

  #troubleOf(of: Container): Trouble {
    const error = this.#lastError(of)
    const isFresh = error !== null && this.#clock.nowMicros() / 1_000 - Date.parse(error.at) < ERROR_FRESH_MS
    if (of.trouble.health !== 'healthy' || !isFresh) return of.trouble
    return { health: 'degraded', reason: `an error at ${error.at}: ${error.message}` }
  }

  /** The last error of the container, or of its component. */
  #lastError({ component, container }: ContainerName): LastError | null {
    return this.#deps.logs.lastError(component, container) ?? this.#deps.logs.lastError(component, MAIN)
  }
}

/** The name in samples and batches. */
export function nameOf({ component, container }: ContainerName): string {
  return `${component}/${container}`
}
