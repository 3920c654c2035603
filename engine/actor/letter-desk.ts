/** What people ask of the steps of integrations, answered on the thread of the integrations. */
import { Refusal } from '../errors.js'
import { eventIdOf } from '../event/event-id.js'
import { Delivery } from '../integration/delivery.js'
import { Intake } from '../integration/intake.js'
import type { DeliveryView, InputView, LetterPage, LetterQuery, LetterView } from '../integration/integrations-service.js'
import { letterKey, NO_JOB, stepKey, type Ledger, type Letter } from '../integration/ledger.js'
import { clientIdOf } from '../store/event-record.js'
import type { AlertDesk } from './alert-desk.js'
import { eventAt } from './event-table.js'
import type { IntegrationQuestion, IntegrationQuestions } from './integration-wire.js'
import type { RunningStep, StepDesk } from './step-desk.js'
import { lookAtThread } from './thread-look.js'

const MICROS = 1_000

export class LetterDesk {
  readonly #desk: StepDesk
  readonly #alerts: AlertDesk
  readonly #ledger: Ledger

  constructor(desk: StepDesk, alerts: AlertDesk, ledger: Ledger) {
    this.#desk = desk
    this.#alerts = alerts
    this.#ledger = ledger
  }

  answer<K extends IntegrationQuestion>(ask: K, given: IntegrationQuestions[K]['given']): unknown {
    switch (ask) {
      case 'look': return lookAtThread()
      case 'deliveries': return this.#ordered().filter(({ id }) => id.role !== 'input').map(deliveryView)
      case 'inputs': return this.#ordered().filter(({ id }) => id.role === 'input').map(inputView)
      case 'letters': return this.#letters(given as IntegrationQuestions['letters']['given'])
      case 'sendAgain': return this.#each(given as LetterQuery, ({ runs }, micros) => (runs instanceof Delivery ? runs.sendAgain(micros) : 0))
      case 'discard': return this.#each(given as LetterQuery, ({ runs }, micros) => (runs instanceof Delivery ? runs.letters.discard(micros) : 0))
    }
    throw new Error(`a question about ${String(ask)}`)
  }

  #ordered(query: LetterQuery = {}): RunningStep[] {
    const of = [...this.#alerts.steps, ...this.#desk.steps].filter(({ id }) => {
      return (query.jobId ?? id.jobId) === id.jobId && (query.integrationId ?? id.integrationId) === id.integrationId
    })
    return of.sort((a, b) => Buffer.compare(stepKey(a.id), stepKey(b.id)))
  }

  #letters({ state, page, size, ...query }: IntegrationQuestions['letters']['given']): LetterPage {
    const letters: LetterView[] = []
    let total = 0
    for (const step of this.#ordered(query)) {
      for (const letter of this.#ledger.letters(step.id)) {
        if (state !== undefined && letter.state !== state) continue
        if (total >= page * size && letters.length < size) letters.push(this.#view(step, letter))
        total++
      }
    }
    return { letters, total }
  }

  #each(query: LetterQuery, change: (step: RunningStep, eventMicros: number | null) => number): number {
    if (query.id === undefined) return this.#ordered(query).reduce((sum, step) => sum + change(step, null), 0)
    for (const step of this.#ordered(query)) {
      const prefix = stepKey(step.id).toString('hex')
      if (!query.id.startsWith(prefix) || !/^[0-9a-f]{16}$/.test(query.id.slice(prefix.length))) continue
      const changed = change(step, Number(BigInt(`0x${query.id.slice(prefix.length)}`)))
      if (changed > 0) return changed
    }
    throw new Refusal('letter_not_found', 'there is no such dead letter')
  }

  #eventId(job: RunningStep['job'], micros: number): string | null {
    const { environment, reader } = this.#desk.shard(job.shard)
    reader.refresh()
    const event = eventAt(environment, job.id, micros)
    return event === null ? null : (clientIdOf(Buffer.from(event.record)) ?? eventIdOf(micros))
  }

  #view({ id, job, integration }: RunningStep, letter: Letter): LetterView {
    return {
      id: letterKey(stepKey(id), letter.eventMicros).toString('hex'),
      jobId: job.id, jobTitle: job.title, integrationId: integration.id, integrationTitle: integration.title, role: id.role,
      eventId: id.jobId === NO_JOB ? this.#alerts.nameOf(letter.eventMicros) : this.#eventId(job, letter.eventMicros),
      state: letter.state, attempts: letter.attempts, reason: letter.reason,
      firstFailedMicros: letter.firstMs * MICROS, lastFailedMicros: letter.lastMs * MICROS,
      nextAttemptMicros: letter.state === 'dead' ? null : letter.nextMs * MICROS,
    }
  }
}

function deliveryView({ id, job, integration, runs, invalid }: RunningStep): DeliveryView {
  const names = { jobId: job.id, jobTitle: job.title, integrationId: integration.id, integrationTitle: integration.title, role: id.role }
  const none = { delivered: 0, waiting: 0, dead: 0, lastDeliveredMicros: null, handledThroughMicros: 0 }
  if (!(runs instanceof Delivery)) return { ...names, ...none, state: 'invalid', reason: invalid }
  const { state, reason, delivered, waiting, dead, lastDeliveredMs, place } = runs.status()
  return {
    ...names, state, reason, delivered, waiting, dead, handledThroughMicros: place.events,
    lastDeliveredMicros: lastDeliveredMs === null ? null : lastDeliveredMs * MICROS,
  }
}

function inputView({ job, integration, runs, invalid }: RunningStep): InputView {
  const names = { jobId: job.id, jobTitle: job.title, integrationId: integration.id, integrationTitle: integration.title }
  const none = { taken: 0, refused: 0, lastTakenMicros: null, reason: invalid }
  if (!(runs instanceof Intake)) return { ...names, ...none, state: invalid === '' ? 'paused' : 'invalid' }
  const { lastTakenMs, ...status } = runs.status()
  return { ...names, ...status, lastTakenMicros: lastTakenMs === null ? null : lastTakenMs * MICROS }
}
