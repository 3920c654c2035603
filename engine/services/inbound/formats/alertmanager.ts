/**
 * The webhook of Prometheus Alertmanager, version 4, and of Grafana, which has the same form: one event for each alert.
 *
 * 1. An alert stays one event while it lasts: its fingerprint and its start make the id. Sent as resolved, it is a new
 *    version of the event.
 * 2. An alert is taken however odd it is (S36). An empty fingerprint is none: the labels take its place, and without
 *    labels the alert itself. Without a start that can be read, its text counts, and without one the alert itself.
 * 3. A list of alerts without the webhook around it is read, too.
 */
import { contentHash, idOfParts, idText } from '../../../domain/event/client-id.js'
import { timeOf } from '../../../domain/event/event-time.js'
import { at, eventOf, firstText, isObject, type InboundFormat, type DocumentJson } from './format.js'

const HASH_CHARS = 16

/** The id of an alert. */
function idOf(alert: DocumentJson): string {
  const { fingerprint, labels, startsAt } = alert
  const hasLabels = isObject(labels) && Object.keys(labels).length > 0
  const name = idText(fingerprint) ?? contentHash(hasLabels ? labels : alert, HASH_CHARS)
  return idOfParts([name, startOf(startsAt) ?? contentHash(alert, HASH_CHARS)], '-')
}

/** Milliseconds of a time, or the text of what is none; null for nothing. */
function startOf(startsAt: unknown): string | null {
  const start = idText(startsAt)
  if (start === null) return null
  const micros = timeOf(start)
  return micros === null ? start : String(Math.floor(micros / 1_000))
}

export function isAlert(value: unknown): boolean {
  return isObject(value) && 'startsAt' in value && ('labels' in value || 'fingerprint' in value)
}

export const alertmanager: InboundFormat = {
  name: 'alertmanager',
  hasVersions: true,
  givesUp: true,
  recognizes: (document) =>
    Array.isArray(document.alerts)
      ? document.alerts.length === 0 || document.alerts.some(isAlert)
      : isAlert(document) && 'fingerprint' in document,
  items: (document) => (Array.isArray(document.alerts) ? document.alerts : isAlert(document) ? [document] : []),
  event(item, whole) {
    const { receiver, externalURL } = item === whole ? {} : whole
    const title = firstText(at(item, 'annotations', 'summary'), at(item, 'labels', 'alertname'))
    return eventOf({ ...item, receiver, externalURL }, idOf(item), title, at(item, 'labels', 'severity'))
  },
}
