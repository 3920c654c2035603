/**
 * Queries and commands about the steps of integrations, answered on the integrations thread.
 *
 * Owns: which steps and dead letters a query means. Leaves out: how they are shown (step-views.ts), what is done with a
 * dead letter (integration/delivery/).
 */
import { Refusal } from '../../errors.js'
import { eventIdOf } from '../../domain/event/event-id.js'
import { Delivery } from '../../integration/delivery/delivery.js'
import { InputPoller } from '../../integration/delivery/intake.js'
import type {
  DeadLetterPage,
  DeadLetterQuery,
  DeadLetterView,
  DeliveryView,
  EnrichmentView,
  InputView,
  Retried,
  StepTrouble,
} from '../../api/integrations-service.js'
import {
  NO_JOB,
  refusedKey,
  stepKey,
  type DeadLetter,
  type Ledger,
  type RefusedDocument,
} from '../../integration/delivery/ledger.js'
import { clientIdOf } from '../../store/event-record.js'
import { eventAt } from '../../actor/event-table.js'
import { readThreadUsage } from '../../runtime/threads/thread-usage.js'
import type { AlertDeliveries } from './alert-deliveries.js'
import type { Enrichers } from './enrichers.js'
import type { IntegrationQuery, IntegrationQueries } from './integration-protocol.js'
import { deadLetterView, deliveryView, haltView, inputView, refusedView, troublesOf } from './step-views.js'
import type { RunningStep, Steps } from './steps.js'

/** What a command does, and returns to how many it was done. */
interface Command {
  /** To the failed delivery of an event, by the event's time; to all where it is null. */
  delivery(runs: Delivery, eventMicros: number | null): number
  /** To a refused document, by its id; to all where it is null. */
  intake(runs: InputPoller, id: string | null): Promise<number>
}

export interface AnswerDeps {
  readonly steps: Steps
  readonly alerts: AlertDeliveries
  readonly enrichments: Enrichers
  readonly ledger: Ledger
}

export class IntegrationAnswers {
  readonly #deps: AnswerDeps

  constructor(deps: AnswerDeps) {
    this.#deps = deps
  }

  answer<K extends IntegrationQuery>(ask: K, given: IntegrationQueries[K]['given']): unknown {
    switch (ask) {
      case 'threadUsage':
        return readThreadUsage()
      case 'deliveries':
        return this.#deliveries()
      case 'inputs':
        return this.#inputs()
      case 'enrichments':
        return this.#enrichmentViews()
      case 'deadLetters':
        return this.#deadLetters(given as IntegrationQueries['deadLetters']['given'])
      case 'sendAgain':
        return this.#sendAgain(given as DeadLetterQuery)
      case 'discard':
        return this.#do(given as DeadLetterQuery, {
          delivery: (runs, micros) => runs.deadLetters.discard(micros),
          intake: async (runs, id) => runs.discard(id),
        })
    }
    throw new Error(`there is no query ${String(ask)}`)
  }

  /** What the main thread warns of. */
  troubles(): StepTrouble[] {
    const inputs = this.#inputs().map((view) => ({ ...view, role: 'input' as const }))
    const enrichments = this.#enrichmentViews().map((view) => ({ ...view, role: 'enrichment' as const }))
    return troublesOf([...this.#deliveries(), ...inputs, ...enrichments])
  }

  #deliveries(): DeliveryView[] {
    return this.#ordered()
      .filter(({ id }) => id.role !== 'input')
      .map(deliveryView)
  }

  #inputs(): InputView[] {
    return this.#ordered()
      .filter(({ id }) => id.role === 'input')
      .map(inputView)
  }

  async #sendAgain(query: DeadLetterQuery): Promise<Retried> {
    const steps = query.id === undefined ? this.#resume(query) : 0
    const deadLetters = await this.#do(query, {
      delivery: (runs, micros) => runs.sendAgain(micros),
      intake: (runs, id) => runs.takeAgain(id),
    })
    return { deadLetters, steps }
  }

  /** Steps that a query means try again at once. Returns how many had stopped. */
  #resume(query: DeadLetterQuery): number {
    let stopped = 0
    for (const { runs } of this.#ordered(query)) stopped += Number(runs?.resume() ?? false)
    for (const { job, enricher } of this.#deps.enrichments.jobs)
      if ((query.jobId ?? job.id) === job.id) stopped += enricher.resume(query.integrationId)
    return stopped
  }

  #ordered(query: DeadLetterQuery = {}): RunningStep[] {
    const { alerts, steps } = this.#deps
    const meant = [...alerts.steps, ...steps.steps].filter(({ id }) => {
      return (query.jobId ?? id.jobId) === id.jobId && (query.integrationId ?? id.integrationId) === id.integrationId
    })
    return meant.sort((a, b) => Buffer.compare(stepKey(a.id), stepKey(b.id)))
  }

  #enrichmentViews(): EnrichmentView[] {
    return [...this.#deps.enrichments.jobs]
      .sort((a, b) => a.job.id - b.job.id)
      .flatMap(({ job, enricher, integrations }) => {
        return enricher.status().map(
          ({ id: { integrationId }, halted, ...status }): EnrichmentView => ({
            ...haltView(halted),
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
      for (const deadLetter of this.#deps.ledger.deadLetters(step.id))
        if (state === undefined || deadLetter.state === state) show(() => this.#view(step, deadLetter))
      if (state !== 'waiting')
        for (const document of this.#deps.ledger.refused(step.id)) show(() => refusedView(step, document))
    }
    return { deadLetters, total }
  }

  /** Carries out a command on what the query names, in deliveries or in inputs; returns to how many it was done. */
  async #do(query: DeadLetterQuery, command: Command): Promise<number> {
    if (query.id !== undefined) return await this.#doOne(query, query.id, command)
    let sum = 0
    for (const { runs } of this.#ordered(query)) {
      if (runs instanceof Delivery) sum += command.delivery(runs, null)
      else if (runs !== null) sum += await command.intake(runs, null)
    }
    return sum
  }

  /** @throws Refusal letter_not_found. */
  async #doOne(query: DeadLetterQuery, deadLetterId: string, command: Command): Promise<number> {
    for (const { id, runs } of this.#ordered(query)) {
      const prefix = stepKey(id)
      const rest = deadLetterId.slice(2 * prefix.length)
      if (!deadLetterId.startsWith(prefix.toString('hex')) || !/^[0-9a-f]{16}$/.test(rest)) continue
      let count = 0
      if (runs instanceof Delivery) count = command.delivery(runs, Number(BigInt(`0x${rest}`)))
      if (runs instanceof InputPoller) {
        const isNamed = (one: RefusedDocument): boolean => refusedKey(prefix, one.id).toString('hex') === deadLetterId
        const document = [...this.#deps.ledger.refused(id)].find(isNamed)
        if (document !== undefined) count = await command.intake(runs, document.id)
      }
      if (count > 0) return count
    }
    throw new Refusal('letter_not_found', 'there is no such dead letter')
  }

  #eventId(job: RunningStep['job'], micros: number): string | null {
    const { environment, reader } = this.#deps.steps.shard(job.shard)
    reader.refresh()
    const event = eventAt(environment, job.id, micros)
    return event === null ? null : (clientIdOf(Buffer.from(event.record)) ?? eventIdOf(micros))
  }

  #view(step: RunningStep, deadLetter: DeadLetter): DeadLetterView {
    const { eventMicros } = deadLetter
    const isAlert = step.id.jobId === NO_JOB
    return deadLetterView(
      step,
      deadLetter,
      isAlert ? this.#deps.alerts.nameOf(eventMicros) : this.#eventId(step.job, eventMicros),
    )
  }
}
