/**
 * The service of integrations, on the main thread: the life of the integrations thread, and queries to it.
 *
 * Owns: when the thread runs, queries and their answers. Leaves out: what the thread does (integration-thread.ts), what
 * it asks of the shards (shard-requests.ts).
 *
 * 1. Without a step that contacts anything outside there is no thread.
 * 2. A thread that dies is replaced, and the new one repeats unfinished work. Answers to the dead thread are dropped.
 * 3. Nothing here waits for the network.
 */
import { Worker } from 'node:worker_threads'
import { systemClock } from '../../clock.js'
import { Refusal, type RefusalCode } from '../../errors.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { IntegrationsService, DeadLetterQuery, Retried, StepTrouble } from '../../api/integrations-service.js'
import type { LoggedEntry } from '../../runtime/log/catalog/catalog-record.js'
import { threadFile } from '../../runtime/thread-files.js'
import { standardPace } from '../../integration/delivery/pace.js'
import {
  requestBatch,
  type FromIntegrations,
  type IntegrationQuery,
  type IntegrationQueries,
  type IntegrationThreadData,
  type ToIntegrations,
} from './integration-protocol.js'
import { OpenQueries, unavailable } from './open-queries.js'
import { ShardRequests, type ShardRequestsDeps } from './shard-requests.js'
import type { ResourceStore } from '../../resource/resource-store.js'
import type { TakenIn } from '../../integration/delivery/refused-documents.js'

export interface IntegrationsDeps extends ShardRequestsDeps {
  readonly dataDir: string
  readonly serviceNames: readonly string[]
  /** SERVICE_TIME_ZONE. */
  readonly timeZone: string
  readonly resources: Pick<ResourceStore, 'jobs'>
  /** Hosts that steps may reach although they are not public (SERVICE_PRIVATE_HOSTS). */
  readonly privateHosts: readonly string[]
  /** The module of the thread, where it is not the service's own. */
  readonly module?: URL
  /** Told of rows of the ledger that are committed; absent: nobody needs to know. */
  readonly ledgerWritten?: ((entries: readonly LoggedEntry[]) => void) | undefined
  /** Whether integrations have alerts of watchdogs to deliver, or may get any. */
  hasAlerts(): boolean
}

/** Before a thread that died is replaced. */
const RESTART_MS = 1_000
/** Changes within this time are handled together. */
const GATHER_MS = 20
/** A thread that does not end in time is ended. */
const CLOSE_MS = 10_000

export class Integrations implements IntegrationsService {
  readonly #deps: IntegrationsDeps
  readonly #queries = new OpenQueries()
  readonly #requests: ShardRequests
  #worker: Worker | null = null
  #timer: NodeJS.Timeout | null = null
  #startedMicros = 0
  #closed: (() => void) | null = null
  #isClosing = false
  #troubles: readonly StepTrouble[] = []

  constructor(deps: IntegrationsDeps) {
    this.#deps = deps
    this.#requests = new ShardRequests(deps)
  }

  /** Integrations or pipelines have changed, or the service starts. */
  rewire(): void {
    if (this.#isClosing || this.#timer !== null) return
    this.#timer = setTimeout(() => this.#gathered(), GATHER_MS).unref()
  }

  /** A job has another title, other labels, another state. */
  jobChanged(job: JobSettings): void {
    if (job.pipeline.some(({ outsideSince }) => outsideSince !== undefined)) this.rewire()
  }

  /** Events of a job were deleted for good. */
  erased(jobId: number): void {
    this.#tell({ type: 'erased', jobId })
  }

  /** A watchdog has fired or resolved. */
  alerted(): void {
    this.#tell({ type: 'alerted' })
  }

  deliveries(): Promise<IntegrationQueries['deliveries']['answer']> {
    return this.#ask('deliveries', {}, [])
  }

  inputs(): Promise<IntegrationQueries['inputs']['answer']> {
    return this.#ask('inputs', {}, [])
  }

  enrichments(): Promise<IntegrationQueries['enrichments']['answer']> {
    return this.#ask('enrichments', {}, [])
  }

  deadLetters(query: IntegrationQueries['deadLetters']['given']): Promise<IntegrationQueries['deadLetters']['answer']> {
    return this.#ask('deadLetters', query, { deadLetters: [], total: 0 })
  }

  async sendAgain(query: DeadLetterQuery): Promise<Retried> {
    return await this.#ask('sendAgain', query, { deadLetters: 0, steps: 0 })
  }

  async discard(query: DeadLetterQuery): Promise<number> {
    return await this.#ask('discard', query, 0)
  }

  /** What is wrong with the steps of a job now. */
  troublesOf(jobId: number): readonly StepTrouble[] {
    return this.#troubles.filter((trouble) => trouble.jobId === jobId)
  }

  get isRunning(): boolean {
    return this.#worker !== null
  }

  /** Whether the thread has anything to do, so should run. */
  get isNeeded(): boolean {
    for (const job of this.#deps.resources.jobs())
      if (job.pipeline.some((step) => step.outsideSince !== undefined && step.enabled)) return true
    return this.#deps.hasAlerts()
  }

  /** How long the thread has been busy, milliseconds. */
  get busyMs(): number {
    return this.#worker?.performance.eventLoopUtilization().active ?? 0
  }

  /** When the thread started, microseconds; null while there is none. */
  get startedMicros(): number | null {
    return this.#worker === null ? null : this.#startedMicros
  }

  threadUsage(): Promise<IntegrationQueries['threadUsage']['answer']> {
    return this.#ask('threadUsage', {}, null)
  }

  /** Ends the thread and starts another, which goes on from the same places. */
  async restart(): Promise<void> {
    await this.#end()
    this.rewire()
  }

  restartOne(integrationId: number): void {
    this.#tell({ type: 'restart', integrationId })
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#requests.stop()
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    await this.#end()
    await this.#requests.close()
  }

  async #end(): Promise<void> {
    const worker = this.#worker
    if (worker === null) return
    await new Promise<void>((resolve) => {
      const limit = setTimeout(resolve, CLOSE_MS)
      this.#closed = () => {
        clearTimeout(limit)
        resolve()
      }
      this.#tell({ type: 'close' })
    })
    await worker.terminate()
    this.#closed = null
  }

  #gathered(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#worker !== null) this.#tell({ type: 'rewired' })
    else if (this.isNeeded) this.#start()
  }

  #start(): void {
    const { dataDir, serviceNames, timeZone, privateHosts, shards, module, failed } = this.#deps
    const workerData: IntegrationThreadData = {
      dataDir,
      serviceNames,
      timeZone,
      privateHosts,
      pace: standardPace,
      commits: shards.commits,
      tellsLedger: this.#deps.ledgerWritten !== undefined,
    }
    const worker = new Worker(module ?? threadFile('integration-thread'), { workerData, name: 'integrations' })
    this.#worker = worker
    this.#startedMicros = systemClock.nowMicros()
    worker.on('message', (message: FromIntegrations) => this.#heard(message, worker))
    worker.on('error', (error) => failed('the integrations thread died', error))
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = null
      this.#troubles = []
      this.#queries.refuseAll()
      this.#closed?.()
      if (!this.#isClosing) setTimeout(() => this.rewire(), RESTART_MS).unref()
    })
  }

  #tell(message: ToIntegrations): void {
    this.#worker?.postMessage(message)
  }

  /** `none` is the answer where there is no thread, because there are no steps. */
  #ask<K extends IntegrationQuery>(
    ask: K,
    given: IntegrationQueries[K]['given'],
    none: IntegrationQueries[K]['answer'],
  ): Promise<IntegrationQueries[K]['answer']> {
    // The first step was added just now: the query waits in the thread until the step is open.
    if (this.#timer !== null) this.#gathered()
    if (this.#worker === null) {
      if ((given as DeadLetterQuery).id !== undefined)
        return Promise.reject(new Refusal('letter_not_found', 'there is no such dead letter'))
      return this.isNeeded ? Promise.reject(unavailable()) : Promise.resolve(none)
    }
    return this.#queries.ask((id) => this.#tell({ type: 'ask', id, ask, given }))
  }

  #answer(worker: Worker, id: number, request: Promise<TakenIn>): void {
    void request.then((fared) => worker.postMessage({ type: 'tookIn', id, fared } satisfies ToIntegrations))
  }

  #heard(message: FromIntegrations, worker: Worker): void {
    switch (message.type) {
      case 'takeIn':
        return this.#answer(worker, message.id, this.#requests.takeIn(message))
      case 'enriched':
        return this.#answer(worker, message.id, this.#requests.enriched(message))
      case 'troubles':
        this.#troubles = message.troubles
        return
      case 'answer':
        return this.#queries.answered(message.id, message.answer)
      case 'refused':
        return this.#queries.refused(message.id, new Refusal(message.code as RefusalCode, message.message))
      case 'ledger':
        return this.#deps.ledgerWritten?.(message.entries)
      case 'passed':
        return this.#requests.passed(message)
      case 'found':
        return this.#requests.found(message)
      case 'requested':
        return this.#deps.batches.add(requestBatch(message))
      case 'failed':
        return this.#deps.failed(message.what, Object.assign(new Error(message.message), { stack: message.stack }))
      case 'closed':
        return this.#closed?.()
    }
  }
}
