/**
 * The steps that bring events in or take them out, on the thread of the integrations: which there are, opened and closed as
 * pipelines change.
 *
 * Owns: the running deliveries and intakes, the breakers of their counterparts, the shards that are read. Leaves out: one
 * delivery (delivery/delivery.ts), one intake (delivery/intake.ts), the thread's messages (integration-thread.ts).
 *
 * 1. What runs is what the catalog says: a step that is gone or disabled is closed and forgotten, its letters too; one that
 *    is added or enabled begins with what comes in from then on; one that changed goes on from its place.
 * 2. Steps of one integration share one breaker: its counterpart is dead for all of them or for none.
 * 3. A step that cannot be opened says why, and keeps its place. Inputs of a stopped job rest, and keep theirs.
 * 4. This thread hears of a change a moment after whoever asked for it was answered: what came in behind that waits for it (resource-changes.ts).
 */
import { bringsIn, takesOut, type JobSettings, type PipelineStep } from '../../domain/job/job.js'
import type { Clock } from '../../clock.js'
import type { HostPolicy } from '../../integration/http/host-policy.js'
import { Delivery } from '../../integration/delivery/delivery.js'
import { Intake, type DocumentBatches } from '../../integration/delivery/intake.js'
import { outsideKind } from '../../integration/registry.js'
import { NO_JOB, stepKey, type Ledger, type StepId } from '../../integration/delivery/ledger.js'
import { Circuit, type Pace } from '../../integration/delivery/pace.js'
import { ruleOf } from '../../integration/rule.js'
import { openParameters } from '../../resource/registry/parameters.js'
import { decodeRecord, idKey, type IntegrationRecord } from '../../resource/records.js'
import type { Sealer } from '../../resource/access/sealing.js'
import { openShard } from '../../store/directory/environments.js'
import type { Environment } from '../../store/environment.js'
import { stillHolds } from './resource-changes.js'
import { DecisionFeed, type FeedShard } from './decision-feed.js'
import { JobReader } from '../read/job-reader.js'

export interface StepsDeps {
  readonly dataDir: string
  readonly catalog: Environment
  readonly ledger: Ledger
  readonly sealer: Sealer
  readonly policy: HostPolicy
  readonly pace: Pace
  readonly clock: Clock
  readonly serviceNames: readonly string[]
  readonly takeIn: DocumentBatches
  failed(what: string, error: unknown): void
  /** A step has asked its counterpart (delivery/delivery.ts, enrichment-requests.ts). */
  query(step: StepId, items: number, seconds: number, reason: string | null): void
}

/** A step as it runs. */
export interface RunningStep {
  readonly id: StepId
  readonly job: Pick<JobSettings, 'id' | 'title' | 'shard'>
  readonly integration: IntegrationRecord
  /** null where it could not be opened, or rests. */
  readonly runs: Delivery | Intake | null
  readonly invalid: string
  /** Of all that it was opened with. */
  readonly signature: string
}

/** A step as the catalog says. */
interface Wanted {
  readonly job: JobSettings
  readonly step: PipelineStep
  readonly integration: IntegrationRecord
}

export class Steps {
  readonly #deps: StepsDeps
  readonly #steps = new Map<string, RunningStep>()
  /** Integrations whose steps are to begin anew. */
  readonly #restarting = new Set<number>()
  /** By integration; `of` is where its counterpart is, and how it is asked. */
  readonly #circuits = new Map<number, { readonly of: string; readonly circuit: Circuit }>()
  readonly #shards = new Map<number, FeedShard>()

  constructor(deps: StepsDeps) {
    this.#deps = deps
  }

  get steps(): Iterable<RunningStep> {
    return this.#steps.values()
  }

  /** Shards that are read, with their number. */
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

  /** The next `rewire` closes the integration's steps and opens them again, each in its place. */
  restart(integrationId: number): void {
    this.#restarting.add(integrationId)
  }

  /** Opens, closes and forgets by what the catalog says now. */
  async rewire(): Promise<void> {
    const { catalog, ledger } = this.#deps
    const restarting = new Set(this.#restarting)
    this.#restarting.clear()
    catalog.refresh()
    const wanted = new Map<string, Wanted>()
    for (const { value } of catalog.range('jobs', {}))
      for (const one of this.#wantedOf(value)) wanted.set(nameOf(idOf(one.job, one.step)), one)
    const closing: Promise<void>[] = []
    for (const [name, running] of this.#steps) {
      const next = wanted.get(name)
      if (next !== undefined && signatureOf(next) === running.signature && !restarting.has(running.integration.id)) {
        wanted.delete(name)
        // Changed and changed back, it may have stopped in between.
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

  /** Events of the job were deleted for good. */
  erased(jobId: number): void {
    for (const { job, runs } of this.#steps.values())
      if (job.id === jobId && runs instanceof Delivery) runs.deadLetters.read()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#steps.values()].map(({ runs }) => runs?.close()))
    this.#steps.clear()
    for (const { reader } of this.#shards.values()) await reader.close()
  }

  /** The steps of a job that bring events in or take them out. */
  #wantedOf(bytes: Uint8Array): Wanted[] {
    const job = decodeRecord<JobSettings>('jobs', bytes)
    return job.pipeline.flatMap((step) => {
      const found =
        takesOut(step) || bringsIn(step) ? this.#deps.catalog.get('integrations', idKey(step.integrationId)) : undefined
      return found === undefined
        ? []
        : [{ job, step, integration: decodeRecord<IntegrationRecord>('integrations', found) }]
    })
  }

  /** The catalog says of the step what it said when it was opened. */
  #isAsOpened({ id, signature }: Pick<RunningStep, 'id' | 'signature'>): boolean {
    const bytes = this.#deps.catalog.get('jobs', idKey(id.jobId))
    const now =
      bytes === undefined
        ? undefined
        : this.#wantedOf(bytes).find(({ job, step }) => nameOf(idOf(job, step)) === nameOf(id))
    return now !== undefined && signatureOf(now) === signature
  }

  #open(wanted: Wanted): RunningStep {
    const { job, step, integration } = wanted
    const opened = { id: idOf(job, step), job, integration, invalid: '', signature: signatureOf(wanted) }
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
  #make({ job, step, integration }: Wanted, opened: Pick<RunningStep, 'id' | 'signature'>): Delivery | Intake {
    const { catalog, ledger, sealer, policy, pace, clock, serviceNames, failed, takeIn } = this.#deps
    const kind = outsideKind(integration.kind)
    if (kind === null) throw new Error('this version of the service does not have its type')
    const connection = openParameters(integration.connection, sealer)
    const parameters = openParameters(step.parameters, sealer)
    const missing = kind.entry.connection.find(({ name, required }) => required && connection[name] === undefined)
    if (missing !== undefined) throw new Error(`its parameter ${missing.name} has to be given again`)
    const tools = { policy, clock, serviceName: serviceNames[0] as string }
    const nowMicros = (): number => clock.nowMicros()
    const shared = {
      step: opened.id,
      ledger,
      pace,
      failed,
      circuit: this.circuit(integration),
      nowMs: () => Math.floor(nowMicros() / 1_000),
    }
    if (bringsIn(step)) {
      if (kind.openSource === undefined) throw new Error('this version of the service cannot use it as input')
      return new Intake({ ...shared, takeIn, source: kind.openSource(connection, parameters, tools) })
    }
    if (kind.openSink === undefined) throw new Error(`this version of the service cannot use it as ${step.role}`)
    const rule = ruleOf(step.role, parameters, job.labels)
    const feed = new DecisionFeed({ ...this.shard(job.shard), job, step: shared.step, rule, serviceNames, nowMicros })
    const since = step.outsideSince ?? 0
    // Removed, or disabled, and there again before this thread saw it: what it had to tell is over.
    if ((ledger.place(opened.id)?.events ?? since) < since) ledger.forget(opened.id)
    return new Delivery({
      ...shared,
      feed,
      requested: (items, seconds, reason) => this.#deps.query(shared.step, items, seconds, reason),
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

  /** The breaker of an integration's counterpart; one at another address has not failed yet. */
  circuit({ id, connection }: IntegrationRecord): Circuit {
    const of = JSON.stringify(connection)
    let known = this.#circuits.get(id)
    if (known?.of !== of) this.#circuits.set(id, (known = { of, circuit: new Circuit(this.#deps.pace, Math.random) }))
    return known.circuit
  }
}

function idOf(job: JobSettings, step: PipelineStep): StepId {
  return { jobId: job.id, integrationId: step.integrationId, role: step.role }
}

function nameOf(step: StepId): string {
  return stepKey(step).toString('hex')
}

function signatureOf({ job, step, integration }: Wanted): string {
  const status = bringsIn(step) ? job.status : ''
  return JSON.stringify([
    job.title,
    job.labels,
    job.decisionPoints,
    step.parameters,
    step.outsideSince,
    status,
    integration,
  ])
}
