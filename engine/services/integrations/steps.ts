/**
 * Inputs and deliveries of jobs, on the integrations thread: opened and closed as pipelines change.
 *
 * Owns: the running deliveries and intakes, the circuit breakers of their counterparts, the open shards. Leaves out:
 * one delivery and one intake (integration/delivery/), the thread's messages (integration-thread.ts).
 *
 * 1. The catalog says what runs. A step that is deleted or disabled is forgotten, with its dead letters. A step that is
 *    added or enabled begins with later events. A step that changed goes on from its place.
 * 2. Steps of one integration share one circuit breaker: its counterpart is down for all of them or for none.
 * 3. A step that cannot be opened says why, and keeps its place. So does an input of a stopped job, which rests.
 * 4. The thread is told of a change a moment after its caller got an answer. Events that came in after that answer wait
 *    until the thread knows of the change (still-holds.ts).
 */
import type { Finding } from '../../domain/event/finding.js'
import { bringsIn, type JobSettings } from '../../domain/job/job.js'
import { timeZoneOf } from '../../domain/job/time-zone.js'
import type { Clock } from '../../clock.js'
import type { HostPolicy } from '../../integration/http/host-policy.js'
import { Delivery } from '../../integration/delivery/delivery.js'
import { InputPoller, type DocumentBatches } from '../../integration/delivery/intake.js'
import { outsideKind } from '../../integration/registry.js'
import { NO_JOB, type Ledger, type StepId } from '../../integration/delivery/ledger.js'
import { Circuit, type Pace } from '../../integration/delivery/pace.js'
import { ruleOf } from '../../integration/rule.js'
import { openParameters } from '../../resource/registry/parameters.js'
import { idKey, type IntegrationRecord } from '../../resource/records.js'
import type { Sealer } from '../../resource/access/sealing.js'
import { openShard } from '../../store/directory/environments.js'
import type { Environment } from '../../store/environment.js'
import { idOf, nameOf, signatureOf, stepsOf, type CatalogStep } from './catalog-steps.js'
import { DecisionFeed, type FeedShard } from './decision-feed.js'
import { JobReader } from '../read/job-reader.js'
import { stillHolds } from './still-holds.js'

export interface StepsDeps {
  readonly dataDir: string
  readonly catalog: Environment
  readonly ledger: Ledger
  readonly sealer: Sealer
  readonly policy: HostPolicy
  readonly pace: Pace
  readonly clock: Clock
  readonly serviceNames: readonly string[]
  /** SERVICE_TIME_ZONE. */
  readonly timeZone: string
  readonly takeIn: DocumentBatches
  /** Told what an input found. */
  found(step: StepId, findings: readonly Finding[]): void
  failed(what: string, error: unknown): void
  /** Called after each request to a counterpart: items, seconds, and why it failed or null. */
  requested(step: StepId, items: number, seconds: number, reason: string | null): void
  /** Called when a counterpart says that nothing will get through, and when something does again. */
  halted(): void
}

/** A step as it runs. */
export interface RunningStep {
  readonly id: StepId
  readonly job: Pick<JobSettings, 'id' | 'title' | 'shard'>
  readonly integration: IntegrationRecord
  /** Null where the step could not be opened, or rests. */
  readonly runs: Delivery | InputPoller | null
  readonly invalid: string
  /** Since when the step is set up, microseconds. */
  readonly sinceMicros: number
  /** Everything that the step was opened with, as text. */
  readonly signature: string
}

export class Steps {
  readonly #deps: StepsDeps
  readonly #steps = new Map<string, RunningStep>()
  /** Integrations whose steps are to be opened again. */
  readonly #restarting = new Set<number>()
  /** By integration. `of` is the connection to the counterpart, as text. */
  readonly #circuits = new Map<number, { readonly of: string; readonly circuit: Circuit }>()
  readonly #shards = new Map<number, FeedShard>()

  constructor(deps: StepsDeps) {
    this.#deps = deps
  }

  get steps(): Iterable<RunningStep> {
    return this.#steps.values()
  }

  /** The open shards, by number. */
  get shards(): Iterable<[number, FeedShard]> {
    return this.#shards
  }

  shard(number: number): FeedShard {
    let shard = this.#shards.get(number)
    if (shard === undefined) {
      const environment = openShard(this.#deps.dataDir, number)
      shard = { environment, reader: new JobReader(environment) }
      this.#shards.set(number, shard)
    }
    return shard
  }

  /** The next `rewire` closes the integration's steps and opens them again, at their places. */
  restart(integrationId: number): void {
    this.#restarting.add(integrationId)
  }

  /** Opens, closes and forgets steps as the catalog says now. */
  async rewire(): Promise<void> {
    const { catalog, ledger } = this.#deps
    const restarting = new Set(this.#restarting)
    this.#restarting.clear()
    catalog.refresh()
    const wanted = new Map<string, CatalogStep>()
    for (const { value } of catalog.range('jobs', {}))
      for (const one of stepsOf(catalog, value)) wanted.set(nameOf(idOf(one)), one)
    const closing: Promise<void>[] = []
    for (const [name, running] of this.#steps) {
      const next = wanted.get(name)
      if (next !== undefined && signatureOf(next) === running.signature && !restarting.has(running.integration.id)) {
        wanted.delete(name)
        // Changed and changed back, the delivery may have stopped in between.
        if (running.runs instanceof Delivery) running.runs.wake()
        continue
      }
      this.#steps.delete(name)
      if (running.runs !== null) closing.push(running.runs.close())
    }
    await Promise.all(closing)
    for (const id of restarting) this.#circuits.delete(id)
    const kept = new Set([...wanted.keys(), ...this.#steps.keys()])
    for (const step of ledger.steps()) if (step.jobId !== NO_JOB && !kept.has(nameOf(step))) ledger.forget(step)
    for (const [name, one] of wanted) this.#steps.set(name, this.#open(one))
  }

  wake(shard: number): void {
    for (const { job, runs } of this.#steps.values()) if (job.shard === shard && runs instanceof Delivery) runs.wake()
  }

  /** To be called when events of the job were erased. */
  erased(jobId: number): void {
    for (const { job, runs } of this.#steps.values())
      if (job.id === jobId && runs instanceof Delivery) runs.deadLetters.read()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#steps.values()].map(({ runs }) => runs?.close()))
    this.#steps.clear()
    for (const { reader } of this.#shards.values()) await reader.close()
  }

  /** Whether the catalog says of the step what it said when the step was opened. */
  #isAsOpened({ id, signature }: Pick<RunningStep, 'id' | 'signature'>): boolean {
    const bytes = this.#deps.catalog.get('jobs', idKey(id.jobId))
    const now =
      bytes === undefined
        ? undefined
        : stepsOf(this.#deps.catalog, bytes).find((one) => nameOf(idOf(one)) === nameOf(id))
    return now !== undefined && signatureOf(now) === signature
  }

  #open(wanted: CatalogStep): RunningStep {
    const { job, step, integration } = wanted
    const opened = {
      id: idOf(wanted),
      job,
      integration,
      invalid: '',
      sinceMicros: step.outsideSince ?? 0,
      signature: signatureOf(wanted),
    }
    if (bringsIn(step) && job.status === 'STOPPED') return { ...opened, runs: null }
    try {
      const runs = this.#make(wanted, opened)
      runs.start()
      return { ...opened, runs }
    } catch (error) {
      return { ...opened, runs: null, invalid: (error as Error).message }
    }
  }

  /** @throws Error with a sentence where the step cannot be opened. */
  #make(
    { job, step, integration }: CatalogStep,
    opened: Pick<RunningStep, 'id' | 'signature'>,
  ): Delivery | InputPoller {
    const { catalog, ledger, sealer, policy, pace, clock, serviceNames, failed, takeIn, found } = this.#deps
    const kind = outsideKind(integration.kind)
    if (kind === null) throw new Error('this version of the service does not have its type')
    const connection = openConnection(integration, sealer)
    const parameters = openParameters(step.parameters, sealer)
    const timeZone = timeZoneOf(job.advancedSettings, this.#deps.timeZone)
    const tools = { policy, clock, serviceName: serviceNames[0] as string, timeZone }
    const nowMicros = (): number => clock.nowMicros()
    const shared = {
      step: opened.id,
      ledger,
      pace,
      failed,
      circuit: this.circuit(integration),
      halted: () => this.#deps.halted(),
      nowMs: () => Math.floor(nowMicros() / 1_000),
    }
    if (bringsIn(step)) {
      if (kind.openSource === undefined) throw new Error('this version of the service cannot use it as input')
      return new InputPoller({ ...shared, takeIn, found, source: kind.openSource(connection, parameters, tools) })
    }
    if (kind.openSink === undefined) throw new Error(`this version of the service cannot use it as ${step.role}`)
    const rule = ruleOf(step.role, parameters, job.labels)
    const feed = new DecisionFeed({ ...this.shard(job.shard), job, step: shared.step, rule, serviceNames, nowMicros })
    const since = step.outsideSince ?? 0
    // Deleted or disabled, and there again before this thread saw it: what it had to deliver is over.
    if ((ledger.place(opened.id)?.events ?? since) < since) ledger.forget(opened.id)
    return new Delivery({
      ...shared,
      feed,
      requested: (items, seconds, reason) => this.#deps.requested(shared.step, items, seconds, reason),
      start: { events: since, change: since, changeEvent: 0 },
      random: Math.random,
      sink: kind.openSink(step.role, connection, parameters, tools),
      isCurrent: stillHolds(
        catalog,
        [
          ['jobs', job.id],
          ['integrations', integration.id],
        ],
        () => this.#isAsOpened(opened),
      ),
    })
  }

  /** The circuit breaker of an integration's counterpart. A changed connection gets a new one. */
  circuit({ id, connection }: IntegrationRecord): Circuit {
    const of = JSON.stringify(connection)
    let known = this.#circuits.get(id)
    if (known?.of !== of) this.#circuits.set(id, (known = { of, circuit: new Circuit(this.#deps.pace, Math.random) }))
    return known.circuit
  }
}

/** The parameters of an integration's connection, opened. @throws Error where a required one is missing. */
export function openConnection(
  { kind, connection }: IntegrationRecord,
  sealer: Sealer,
): ReturnType<typeof openParameters> {
  const opened = openParameters(connection, sealer)
  const missing = outsideKind(kind)?.entry.connection.find(
    ({ name, required }) => required && opened[name] === undefined,
  )
  if (missing !== undefined) throw new Error(`its parameter ${missing.name} has to be given again`)
  return opened
}
