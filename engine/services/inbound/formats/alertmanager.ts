/**
 * The webhook of Prometheus Alertmanager, version 4, and of Grafana, which has the same form: one event for each alert.
 *
 * 1. An alert stays one event while it lasts: its fingerprint and its start make the id, as in
 *    `POST /api/v1/alertmanager/{job_id}`. Sent as resolved, it is a new version of the event.
 */
import { at, eventOf, firstText, isObject, type InboundFormat, type Json } from './format.js'

function idOf({ fingerprint, startsAt }: Json): string | null {
  const ms = Date.parse(String(startsAt))
  return typeof fingerprint === 'string' && !Number.isNaN(ms) ? `${fingerprint}-${ms}` : null
}

export const alertmanager: InboundFormat = {
  name: 'alertmanager',
  recognizes: ({ alerts }) =>
    Array.isArray(alerts) && alerts.every((alert) => isObject(alert) && isObject(alert.labels) && 'startsAt' in alert),
  items: ({ alerts }) => (Array.isArray(alerts) ? alerts : []),
  event(item, whole) {
    const { receiver, externalURL } = whole
    const title = firstText(at(item, 'annotations', 'summary'), at(item, 'labels', 'alertname'))
    return eventOf({ ...item, receiver, externalURL }, idOf(item), title, at(item, 'labels', 'severity'))
  },
}
