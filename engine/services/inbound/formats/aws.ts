/**
 * Events of Amazon EventBridge, above all findings of GuardDuty, and bare findings as GuardDuty exports them.
 *
 * 1. A finding that comes again with a higher count has the same id: it is a new version of the event.
 */
import { at, eventOf, firstText, isObject, type InboundFormat, type DocumentJson } from './format.js'

function isEnvelope(document: DocumentJson): boolean {
  return typeof document['detail-type'] === 'string' && isObject(document.detail)
}

function isFinding(document: DocumentJson): boolean {
  const service = firstText(at(document, 'service', 'serviceName'), at(document, 'Service', 'ServiceName'))
  return service === 'guardduty'
}

export const aws: InboundFormat = {
  name: 'guardduty',
  hasVersions: true,
  recognizes: (document) => isEnvelope(document) || isFinding(document),
  items: (document) => {
    const findings = at(document, 'detail', 'findings')
    // Security Hub has several findings in one event.
    return Array.isArray(findings) ? findings.map((finding) => ({ ...document, detail: finding })) : [document]
  },
  event(item) {
    const finding = isEnvelope(item) && isObject(item.detail) ? item.detail : item
    const id = firstText(finding.id, finding.Id, item.id)
    const title = firstText(finding.title, finding.Title, finding.type, item['detail-type'])
    return eventOf(item, id, title, finding.severity ?? at(finding, 'Severity', 'Label') ?? finding.Severity)
  },
}
