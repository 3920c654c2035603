/**
 * Alerts and incidents of Microsoft: incidents of Sentinel as a playbook gets them, alerts of Defender in the form of
 * Microsoft Graph (alerts_v2), and the common alert schema of Azure Monitor.
 */
import { at, eventOf, firstText, isObject, type InboundFormat, type DocumentJson } from './format.js'

const INCIDENT = /^Microsoft\.SecurityInsights\/incidents$/i
const COMMON_ALERT = 'azureMonitorCommonAlertSchema'

function isIncident(document: DocumentJson): boolean {
  if (!isObject(document.properties)) return false
  return INCIDENT.test(String(document.type)) || Object.hasOwn(document.properties, 'incidentNumber')
}

function isGraphAlert(document: DocumentJson): boolean {
  if (/^#microsoft\.graph\.security\./.test(String(document['@odata.type']))) return true
  return typeof document.serviceSource === 'string' && typeof document.detectionSource === 'string'
}

/** The end of a resource id such as `/subscriptions/…/alerts/<id>`. */
function lastSegment(id: unknown): string | null {
  return firstText(
    String(id ?? '')
      .split('/')
      .at(-1),
  )
}

function isOne(document: unknown): boolean {
  return isObject(document) && (isIncident(document) || isGraphAlert(document) || document.schemaId === COMMON_ALERT)
}

export const microsoft: InboundFormat = {
  name: 'sentinel',
  hasVersions: true,
  recognizes({ object, value, ...document }) {
    return isOne(document) || isOne(object) || (Array.isArray(value) && value.some(isOne))
  },
  items(document) {
    if (Array.isArray(document.value)) return document.value
    return [isObject(document.object) && !isOne(document) ? document.object : document]
  },
  event(item) {
    if (item.schemaId === COMMON_ALERT) {
      const essentials = at(item, 'data', 'essentials')
      const id = lastSegment(at(essentials, 'alertId'))
      return eventOf(item, id, at(essentials, 'alertRule'), at(essentials, 'severity'))
    }
    if (isObject(item.properties)) {
      const { properties } = item
      const id = firstText(item.name, lastSegment(item.id), properties.incidentNumber)
      return eventOf(item, id, properties.title, properties.severity)
    }
    return eventOf(item, firstText(item.id), item.title, item.severity)
  },
}
