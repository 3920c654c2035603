/**
 * Deliveries of watchdog alerts, on the integrations thread: one delivery for each integration that a watchdog names.
 *
 * Owns: opening and closing them as watchdogs and integrations change. Leaves out: one delivery
 * (integration/delivery/delivery.ts), the alerts (alert-feed.ts), the steps of jobs (steps.ts).
 *
 * 1. In the ledger they are steps of job 0, which does not exist.
 * 2. An integration begins with alerts later than the first watchdog that named it. After a restart it goes on from its
 *    place.
 * 3. An integration that neither a watchdog nor a stored alert names is forgotten, with its dead letters.
 */
import { alertEvent } from '../../integration/alert.js'
import { Delivery } from '../../integration/delivery/delivery.js'
import { outsideKind } from '../../integration/registry.js'
import { NO_JOB, type StepId } from '../../integration/delivery/ledger.js'
import { alertAt, alertsAfter } from '../monitor/alert-log.js'
import { readWatchdogs } from '../monitor/watchdog-log.js'
import { openParameters } from '../../resource/registry/parameters.js'
import { decodeRecord, idKey, type IntegrationRecord } from '../../resource/records.js'
import { AlertFeed } from './alert-feed.js'
import { stillHolds } from './still-holds.js'
import type { RunningStep, Steps, StepsDeps } from './steps.js'

interface Wanted {
  readonly integration: IntegrationRecord
  /** Where it begins the first time, microseconds. */
  readonly since: number
  readonly signature: string
}

export class AlertDeliveries {
  readonly #deps: StepsDeps
  readonly #steps: Steps
  readonly #running = new Map<number, RunningStep>()
  /** Integrations whose delivery is to be opened again. */
  readonly #restarting = new Set<number>()

  constructor(deps: StepsDeps, steps: Steps) {
    this.#deps = deps
    this.#steps = steps
  }

  get steps(): Iterable<RunningStep> {
    return this.#running.values()
  }

  /** The next `rewire` closes the delivery of an integration and opens it again, at its place. */
  restart(integrationId: number): void {
    this.#restarting.add(integrationId)
  }

  /** Opens, closes and forgets deliveries as the catalog says now. */
  async rewire(): Promise<void> {
    const { catalog, ledger } = this.#deps
    catalog.refresh()
    const wanted = this.#wanted()
    const restarting = new Set(this.#restarting)
    this.#restarting.clear()
    for (const [id, { signature, runs }] of [...this.#running]) {
      if (wanted.get(id)?.signature === signature && !restarting.has(id)) {
        if (runs instanceof Delivery) runs.wake()
        continue
      }
      // Two deliveries of one step would write its place in turn.
      this.#running.delete(id)
      await runs?.close()
    }
    for (const step of ledger.steps()) if (step.jobId === NO_JOB && !wanted.has(step.integrationId)) ledger.forget(step)
    for (const [id, { integration, since, signature }] of wanted) {
      if (!this.#running.has(id)) this.#running.set(id, this.#open(integration, since, signature))
    }
  }

  /** To be called when a watchdog has fired or resolved. */
  wake(): void {
    for (const { runs } of this.#running.values()) if (runs instanceof Delivery) runs.wake()
  }

  /** The event id of an alert; null where the alert is gone. */
  nameOf(micros: number): string | null {
    const row = alertAt(this.#deps.catalog, micros)
    return row === null ? null : alertEvent(row.alert, '').eventId
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ runs }) => runs?.close()))
    this.#running.clear()
  }

  /** Integrations that a watchdog or a stored alert names: the alert of a deleted watchdog may still be to deliver. */
  #wanted(): Map<number, Wanted> {
    const { catalog } = this.#deps
    const wanted = new Map<number, Wanted>()
    const name = (id: number, from: number): void => {
      const integration = this.#integration(id)
      if (integration === null) return
      wanted.set(id, {
        integration,
        since: Math.min(from, wanted.get(id)?.since ?? Infinity),
        signature: JSON.stringify(integration),
      })
    }
    for (const { integrationIds, namedMicros } of readWatchdogs(catalog))
      for (const id of integrationIds) name(id, namedMicros)
    for (const { alert, integrationIds } of alertsAfter(catalog, 0)) {
      for (const id of integrationIds) if (!wanted.has(id)) name(id, alert.atMicros - 1)
    }
    return wanted
  }

  #integration(id: number): IntegrationRecord | null {
    const bytes = this.#deps.catalog.get('integrations', idKey(id))
    return bytes === undefined ? null : decodeRecord<IntegrationRecord>('integrations', bytes)
  }

  #open(integration: IntegrationRecord, since: number, signature: string): RunningStep {
    const id: StepId = { jobId: NO_JOB, integrationId: integration.id, role: 'post_decision' }
    const opened = {
      id,
      job: { id: NO_JOB, title: '', shard: 0 },
      integration,
      sinceMicros: since,
      signature,
      invalid: '',
    }
    try {
      const runs = this.#make(id, { integration, since, signature })
      runs.start()
      return { ...opened, runs }
    } catch (error) {
      return { ...opened, runs: null, invalid: (error as Error).message }
    }
  }

  /** @throws Error with a sentence where it cannot be opened. */
  #make(step: StepId, { integration, since, signature }: Wanted): Delivery {
    const { catalog, ledger, sealer, policy, pace, clock, serviceNames, timeZone, failed } = this.#deps
    const kind = outsideKind(integration.kind)
    if (kind?.openSink === undefined || kind.sendsAlerts !== true)
      throw new Error('this version of the service cannot deliver alerts of watchdogs through it')
    const serviceName = serviceNames[0] as string
    const sink = kind.openSink(
      'post_decision',
      openParameters(integration.connection, sealer),
      {},
      { policy, clock, serviceName, timeZone },
    )
    return new Delivery({
      halted: () => this.#deps.halted(),
      requested: (items, seconds, reason) => this.#deps.requested(step, items, seconds, reason),
      step,
      ledger,
      pace,
      failed,
      sink,
      circuit: this.#steps.circuit(integration),
      feed: new AlertFeed(catalog, integration.id, serviceName),
      start: { events: since, change: 0, changeEvent: 0 },
      nowMs: () => Math.floor(clock.nowMicros() / 1_000),
      random: Math.random,
      isCurrent: stillHolds(
        catalog,
        [['integrations', integration.id]],
        () => JSON.stringify(this.#integration(integration.id)) === signature,
      ),
    })
  }
}
