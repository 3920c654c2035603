/**
 * The enrichers of jobs, on the integrations thread: opened and closed as pipelines change.
 *
 * Owns: one enricher for each job with enrichment steps. Leaves out: what it does (integration/enrichment/enricher.ts),
 * inputs and deliveries (steps.ts).
 *
 * 1. The catalog says what runs. A job that changed gets a new enricher: the waiting events are in the store.
 * 2. A step that cannot be opened fails for every event, and says why. Its job goes on without it.
 * 3. Events of a stopped job are not enriched, since they are not decided before it starts.
 * 4. Events that came in after a change wait until this thread knows of the change (still-holds.ts).
 */
import { enriches, type JobSettings } from '../../domain/job/job.js'
import { timeZoneOf } from '../../domain/job/time-zone.js'
import { Enricher } from '../../integration/enrichment/enricher.js'
import type { EnrichedResult, EnrichmentStep } from '../../integration/enrichment/enrichment.js'
import { outsideKind } from '../../integration/registry.js'
import type { StepId } from '../../integration/delivery/ledger.js'
import { cacheMs, enrichmentNames, timeLimitMs } from '../../integration/enrichment/enrichment-parameters.js'
import { EnrichmentRequests } from '../../integration/enrichment/enrichment-requests.js'
import { openParameters } from '../../resource/registry/parameters.js'
import { decodeRecord, idKey, type IntegrationRecord } from '../../resource/records.js'
import { StoredAwaited } from './awaited-feed.js'
import { stillHolds, type ResourceRow } from './still-holds.js'
import { openConnection, type Steps, type StepsDeps } from './steps.js'

export interface EnrichersDeps extends StepsDeps {
  /** Has events decided. Resolves with null, or with the reason why it must be tried again. */
  readonly bring: (jobId: number, results: readonly EnrichedResult[]) => Promise<string | null>
}

interface Running {
  readonly job: JobSettings
  readonly enricher: Enricher
  readonly signature: string
  readonly integrations: ReadonlyMap<number, string>
}

/** A step with its integration. */
interface WantedStep {
  readonly step: JobSettings['pipeline'][number]
  readonly title: string
  readonly integration: IntegrationRecord
}

/** A job with enrichment steps, as the catalog has it. */
interface Wanted {
  readonly job: JobSettings
  readonly steps: readonly WantedStep[]
  readonly signature: string
}

export class Enrichers {
  readonly #deps: EnrichersDeps
  readonly #steps: Steps
  readonly #running = new Map<number, Running>()
  readonly #restarting = new Set<number>()

  constructor(deps: EnrichersDeps, steps: Steps) {
    this.#deps = deps
    this.#steps = steps
  }

  get isUsed(): boolean {
    return this.#running.size > 0
  }

  /** The jobs whose events are enriched. */
  get jobs(): Iterable<Running> {
    return this.#running.values()
  }

  /** The next `rewire` opens the enrichers again that have a step of the integration. */
  restart(integrationId: number): void {
    this.#restarting.add(integrationId)
  }

  /** Opens and closes enrichers as the catalog says. `Steps.rewire` has refreshed it just before. */
  async rewire(): Promise<void> {
    const { catalog } = this.#deps
    const wanted = new Map<number, Wanted>()
    for (const { value } of catalog.range('jobs', {})) {
      const one = this.#wantedOf(value)
      if (one !== null) wanted.set(one.job.id, one)
    }
    const closing: Promise<void>[] = []
    for (const [id, { signature, enricher, integrations }] of this.#running) {
      if (wanted.get(id)?.signature === signature && ![...this.#restarting].some((one) => integrations.has(one))) {
        wanted.delete(id)
        enricher.wake()
        continue
      }
      this.#running.delete(id)
      closing.push(enricher.close())
    }
    this.#restarting.clear()
    await Promise.all(closing)
    for (const one of wanted.values()) this.#running.set(one.job.id, this.#open(one))
  }

  wake(shard: number): void {
    for (const { job, enricher } of this.#running.values()) if (job.shard === shard) enricher.wake()
  }

  /** Whether no enricher reads the shard now. */
  isIdle(shard: number): boolean {
    return [...this.#running.values()].every(({ job, enricher }) => job.shard !== shard || enricher.isIdle)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ enricher }) => enricher.close()))
    this.#running.clear()
  }

  /** Null where no events of the job are to be enriched. */
  #wantedOf(bytes: Uint8Array | undefined): Wanted | null {
    const job = bytes === undefined ? null : decodeRecord<JobSettings>('jobs', bytes)
    if (job?.status !== 'STARTED') return null
    const steps = job.pipeline.filter(enriches).flatMap((step): WantedStep[] => {
      const found = this.#deps.catalog.get('integrations', idKey(step.integrationId))
      if (found === undefined) return []
      const integration = decodeRecord<IntegrationRecord>('integrations', found)
      return [{ step, integration, title: integration.title }]
    })
    return steps.length === 0 ? null : { job, steps, signature: JSON.stringify(steps) }
  }

  #open({ job, steps, signature }: Wanted): Running {
    const { catalog, pace, clock, failed, bring } = this.#deps
    const rows: ResourceRow[] = [
      ['jobs', job.id],
      ...steps.map(({ integration: { id } }): ResourceRow => ['integrations', id]),
    ]
    const names = enrichmentNames(steps)
    const enricher = new Enricher({
      feed: new StoredAwaited(this.#steps.shard(job.shard), job),
      steps: steps.map((one, at) => this.#step(job, one, names[at] as string)),
      bring: (results) => bring(job.id, results),
      isCurrent: stillHolds(
        catalog,
        rows,
        () => this.#wantedOf(catalog.get('jobs', idKey(job.id)))?.signature === signature,
      ),
      idleMs: pace.idleMs,
      nowMs: () => Math.floor(clock.nowMicros() / 1_000),
      failed,
    })
    enricher.start()
    return {
      job,
      enricher,
      signature,
      integrations: new Map(steps.map(({ integration }) => [integration.id, integration.title])),
    }
  }

  #step(job: JobSettings, { step, title, integration }: WantedStep, name: string): EnrichmentStep {
    const id = { jobId: job.id, integrationId: integration.id, role: step.role }
    const opened = { id, title, name, timeLimitMs: timeLimitMs(step.parameters) }
    try {
      return { ...opened, requests: this.#make(job, id, step.parameters, integration), invalid: '' }
    } catch (error) {
      return { ...opened, requests: null, invalid: (error as Error).message }
    }
  }

  /** @throws Error with a sentence where the step cannot be opened. */
  #make(
    job: JobSettings,
    id: StepId,
    parameters: WantedStep['step']['parameters'],
    integration: IntegrationRecord,
  ): EnrichmentRequests {
    const { sealer, policy, clock, serviceNames, failed } = this.#deps
    const kind = outsideKind(integration.kind)
    if (kind?.openEnrichment === undefined) throw new Error('this version of the service cannot use it as enrichment')
    const connection = openConnection(integration, sealer)
    const opened = openParameters(parameters, sealer)
    const enrichment = kind.openEnrichment(connection, opened, {
      policy,
      clock,
      serviceName: serviceNames[0] as string,
      timeZone: timeZoneOf(job.advancedSettings, this.#deps.timeZone),
    })
    return new EnrichmentRequests({
      halted: () => this.#deps.halted(),
      pace: this.#deps.pace,
      requested: (items, seconds, reason) => this.#deps.requested(id, items, seconds, reason),
      enrichment,
      cacheMs: cacheMs(opened),
      circuit: this.#steps.circuit(integration),
      failed,
      nowMs: () => Math.floor(clock.nowMicros() / 1_000),
    })
  }
}
