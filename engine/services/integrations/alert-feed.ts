/** The alerts that an integration is to deliver: the rows of the catalog that name it. */
import type { Feed, FeedItem, FeedPiece } from '../../integration/delivery/feed.js'
import { alertEvent } from '../../integration/alert.js'
import type { StepProgress } from '../../integration/delivery/ledger.js'
import type { Summary, Waiting } from '../../integration/delivery/tally.js'
import { summaryEvent } from '../../integration/summary.js'
import { alertAt, alertsAfter } from '../monitor/alert-log.js'
import { eventIdOf } from '../../domain/event/event-id.js'
import type { Environment } from '../../store/environment.js'
import type { WatchdogAlert } from '../../integration/contract.js'

export class AlertFeed implements Feed {
  readonly #catalog: Environment
  readonly #integrationId: number
  readonly #serviceName: string

  constructor(catalog: Environment, integrationId: number, serviceName: string) {
    this.#catalog = catalog
    this.#integrationId = integrationId
    this.#serviceName = serviceName
  }

  look(after: StepProgress, eventsMax: number): FeedPiece {
    this.#catalog.refresh()
    const items: FeedItem[] = []
    let through = after.events
    for (const { alert, integrationIds } of alertsAfter(this.#catalog, after.events)) {
      if (items.length >= eventsMax) return { items, place: { ...after, events: through }, more: true }
      through = alert.atMicros
      if (integrationIds.includes(this.#integrationId)) items.push(this.#item(alert))
    }
    return { items, place: { ...after, events: through }, more: false }
  }

  tally(after: StepProgress, count: (waiting: Waiting) => void): Pick<FeedPiece, 'place' | 'more'> {
    this.#catalog.refresh()
    let through = after.events
    for (const { alert, integrationIds } of alertsAfter(this.#catalog, after.events)) {
      through = alert.atMicros
      if (!integrationIds.includes(this.#integrationId)) continue
      count({ eventMicros: alert.atMicros, changeMicros: 0, label: this.#item(alert).event.resultLabel })
    }
    return { place: { ...after, events: through }, more: false }
  }

  summaryItem(summary: Summary): FeedItem {
    const serviceName = this.#serviceName
    return {
      eventMicros: summary.throughMicros,
      changeMicros: 0,
      id: `w${this.#integrationId}.${eventIdOf(summary.fromMicros)}-${eventIdOf(summary.throughMicros)}`,
      reason: 'decided',
      event: summaryEvent(summary, { jobId: null, jobTitle: '', serviceName }),
      summary,
    }
  }

  has(eventMicros: number): boolean {
    this.#catalog.refresh()
    return alertAt(this.#catalog, eventMicros) !== null
  }

  one(eventMicros: number): FeedItem | null {
    this.#catalog.refresh()
    const row = alertAt(this.#catalog, eventMicros)
    return row === null ? null : this.#item(row.alert)
  }

  #item(alert: WatchdogAlert): FeedItem {
    return {
      eventMicros: alert.atMicros,
      changeMicros: 0,
      id: `w${this.#integrationId}.${eventIdOf(alert.atMicros)}`,
      reason: 'decided',
      event: alertEvent(alert, this.#serviceName),
      alert,
    }
  }
}
