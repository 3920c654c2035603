/** What people ask of the steps of integrations, answered on the thread of the integrations. */
import { Refusal } from '../../errors.js'
import { eventIdOf } from '../../domain/event/event-id.js'
import { Delivery } from '../../integration/delivery/delivery.js'
import { Intake } from '../../integration/delivery/intake.js'
import type {
  DeliveryView,
  EnrichmentView,
  InputView,
  DeadLetterPage,
  DeadLetterQuery,
  DeadLetterView,
} from '../../api/integrations-service.js'
import {
  deadLetterKey,
  NO_JOB,
  refusedKey,
  stepKey,
  type Ledger,
  type DeadLetter,
  type RefusedDocument,
} from '../../integration/delivery/ledger.js'
import { clientIdOf } from '../../store/event-record.js'
import type { AlertDeliveries } from './alert-deliveries.js'
import { eventAt } from '../../actor/event-table.js'
import type { Enrichers } from './enrichers.js'
import type { IntegrationQuery, IntegrationQueries } from './integration-protocol.js'
import type { RunningStep, Steps } from './steps.js'
import { readThreadUsage } from '../../runtime/threads/thread-usage.js'

const MICROS = 1_000

/** What is done to one letter of a delivery, by the time of its event, or one document of an input, by its id; null for all. */
interface Change {
  delivery(runs: Delivery, eventMicros: number | null): number
  intake(runs: Intake, id: string | null): Promise<number>
}

export class DeadLetterRequests {
  readonly #steps: Steps
  readonly #alerts: AlertDeliveries
  readonly #enrichments: Enrichers
  readonly #ledger: Ledger

  constructor(
    steps: Steps,
    { alerts, enrichments }: { alerts: AlertDeliveries; enrichments: Enrichers },
    ledger: Ledger,
  ) {
    this.#enrichments = enrichments
    this.#steps = steps
    this.#alerts = alerts
    this.#ledger = ledger
  }

  answer<K extends IntegrationQuery>(ask: K, given: IntegrationQueries[K]['given']): unknown {
    switch (ask) {
      case 'look':
        return readThreadUsage()
      case 'deliveries':
        return this.#ordered()
          .filter(({ id }) => id.role !== 'input')
          .map(deliveryView)
      case 'inputs':
        return this.#ordered()
          .filter(({ id }) => id.role === 'input')
          .map(inputView)
      case 'enrichments':
        return this.#enrichmentViews()
      case 'deadLetters':
        return this.#deadLetters(given as IntegrationQueries['deadLetters']['given'])
      case 'sendAgain':
        return this.#each(given as DeadLetterQuery, {
          delivery: (runs, micros) => runs.sendAgain(micros),
          intake: (runs, id) => runs.takeAgain(id),
        })
      case 'discard':
        return this.#each(given as DeadLetterQuery, {
          delivery: (runs, micros) => runs.deadLetters.discard(micros),
          intake: async (runs, id) => runs.discard(id),
        })
    }
    throw new Error(`a query about ${String(ask)}`)
  }

  #ordered(query: DeadLetterQuery = {}): RunningStep[] {
    const of = [...this.#alerts.steps, ...this.#steps.steps].filter(({ id }) => {
      return (query.jobId ?? id.jobId) === id.jobId && (query.integrationId ?? id.integrationId) === id.integrationId
    })
    return of.sort((a, b) => Buffer.compare(stepKey(a.id), stepKey(b.id)))
  }

  #enrichmentViews(): EnrichmentView[] {
    return [...this.#enrichments.jobs]
      .sort((a, b) => a.job.id - b.job.id)
      .flatMap(({ job, enricher, integrations }) => {
        return enricher.status().map(
          ({ id: { integrationId }, ...status }): EnrichmentView => ({
            jobId: job.id,
            jobTitle: job.title,
            integrationId,
            integrationTitle: integrations.get(integrationId) ?? '',
            ...status,
          }),
        )
      })
  }

  #deadLetters({ state, page, size, ...query }: IntegrationQueries['deadLetters']['given']): DeadLetterPage {
    const deadLetters: DeadLetterView[] = []
    let total = 0
    const show = (view: () => DeadLetterView): void => {
      if (total >= page * size && deadLetters.length < size) deadLetters.push(view())
      total++
    }
    for (const step of this.#ordered(query)) {
      for (const deadLetter of this.#ledger.deadLetters(step.id))
        if (state === undefined || deadLetter.state === state) show(() => this.#view(step, deadLetter))
      if (state !== 'waiting')
        for (const document of this.#ledger.refused(step.id)) show(() => refusedView(step, document))
    }
    return { deadLetters, total }
  }

  /** Changes what the query names, of deliveries or of inputs; how many there were. */
  async #each(query: DeadLetterQuery, change: Change): Promise<number> {
    let sum = 0
    if (query.id === undefined) {
      for (const { runs } of this.#ordered(query))
        sum +=
          runs instanceof Delivery ? change.delivery(runs, null) : runs === null ? 0 : await change.intake(runs, null)
      return sum
    }
    for (const { id, runs } of this.#ordered(query)) {
      const prefix = stepKey(id)
      const rest = query.id.slice(2 * prefix.length)
      if (!query.id.startsWith(prefix.toString('hex')) || !/^[0-9a-f]{16}$/.test(rest)) continue
      if (runs instanceof Delivery) sum = change.delivery(runs, Number(BigInt(`0x${rest}`)))
      const document = [...this.#ledger.refused(id)].find(
        (one) => refusedKey(prefix, one.id).toString('hex') === query.id,
      )
      if (runs instanceof Intake && document !== undefined) sum = await change.intake(runs, document.id)
      if (sum > 0) return sum
    }
    throw new Refusal('letter_not_found', 'there is no such dead letter')
  }

  #eventId(job: RunningStep['job'], micros: number): string | null {
    const { environment, reader } = this.#steps.shard(job.shard)
    reader.refresh()
    const event = eventAt(environment, job.id, micros)
    return event === null ? null : (clientIdOf(Buffer.from(event.record)) ?? eventIdOf(micros))
  }

  #view({ id, job, integration }: RunningStep, deadLetter: DeadLetter): DeadLetterView {
    return {
      id: deadLetterKey(stepKey(id), deadLetter.eventMicros).toString('hex'),
      jobId: job.id,
      jobTitle: job.title,
      integrationId: integration.id,
      integrationTitle: integration.title,
      role: id.role,
      eventId:
        id.jobId === NO_JOB ? this.#alerts.nameOf(deadLetter.eventMicros) : this.#eventId(job, deadLetter.eventMicros),
      state: deadLetter.state,
      attempts: deadLetter.attempts,
      reason: deadLetter.reason,
      firstFailedMicros: deadLetter.firstMs * MICROS,
      lastFailedMicros: deadLetter.lastMs * MICROS,
      nextAttemptMicros: deadLetter.state === 'dead' ? null : deadLetter.nextMs * MICROS,
    }
  }
}

function refusedView({ id, job, integration }: RunningStep, document: RefusedDocument): DeadLetterView {
  return {
    id: refusedKey(stepKey(id), document.id).toString('hex'),
    jobId: job.id,
    jobTitle: job.title,
    integrationId: integration.id,
    integrationTitle: integration.title,
    role: id.role,
    eventId: document.id,
    state: 'dead',
    attempts: document.attempts,
    reason: document.reason,
    firstFailedMicros: document.firstMs * MICROS,
    lastFailedMicros: document.lastMs * MICROS,
    nextAttemptMicros: null,
  }
}

function deliveryView({ id, job, integration, runs, invalid }: RunningStep): DeliveryView {
  const names = {
    jobId: job.id,
    jobTitle: job.title,
    integrationId: integration.id,
    integrationTitle: integration.title,
    role: id.role,
  }
  const none = { delivered: 0, waiting: 0, dead: 0, lastDeliveredMicros: null, handledThroughMicros: 0 }
  if (!(runs instanceof Delivery)) return { ...names, ...none, state: 'invalid', reason: invalid }
  const { state, reason, delivered, waiting, dead, lastDeliveredMs, place } = runs.status()
  return {
    ...names,
    state,
    reason,
    delivered,
    waiting,
    dead,
    handledThroughMicros: place.events,
    lastDeliveredMicros: lastDeliveredMs === null ? null : lastDeliveredMs * MICROS,
  }
}

function inputView({ job, integration, runs, invalid }: RunningStep): InputView {
  const names = {
    jobId: job.id,
    jobTitle: job.title,
    integrationId: integration.id,
    integrationTitle: integration.title,
  }
  const none = { taken: 0, refused: 0, lastTakenMicros: null, reason: invalid }
  if (!(runs instanceof Intake)) return { ...names, ...none, state: invalid === '' ? 'paused' : 'invalid' }
  const { lastTakenMs, ...status } = runs.status()
  return { ...names, ...status, lastTakenMicros: lastTakenMs === null ? null : lastTakenMs * MICROS }
}
