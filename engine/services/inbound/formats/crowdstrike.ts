/**
 * CrowdStrike Falcon: events of the event stream (`{metadata, event}`), and what a Fusion workflow sends by a webhook
 * (`{meta, data}`, with dots in the names of data).
 */
import { idOfParts } from '../../../domain/event/client-id.js'
import { nested } from './dotted.js'
import { at, eventOf, firstText, isObject, type InboundFormat, type DocumentJson } from './format.js'

function streamId({ metadata, event }: DocumentJson): string | null {
  const own = firstText(at(event, 'CompositeId'), at(event, 'DetectId'), at(event, 'IncidentID'))
  if (own !== null) return own
  const [customer, offset] = [firstText(at(metadata, 'customerIDString')), firstText(at(metadata, 'offset'))]
  return customer === null || offset === null ? null : idOfParts([customer, offset], '-')
}

export const crowdstrike: InboundFormat = {
  name: 'crowdstrike',
  recognizes: ({ metadata, event, meta, data }) =>
    (isObject(event) && at(metadata, 'eventType') !== undefined && at(metadata, 'customerIDString') !== undefined) ||
    (isObject(data) && (at(meta, 'workflow_id') !== undefined || at(meta, 'trigger_name') !== undefined)),
  event(item) {
    if (isObject(item.event)) {
      const { event } = item
      const title = firstText(event.Name, event.DetectName, event.IncidentType, at(item, 'metadata', 'eventType'))
      return eventOf(item, streamId(item), title, event.SeverityName ?? event.Severity)
    }
    const body = { ...item, data: isObject(item.data) ? nested(item.data) : item.data }
    const found = at(body, 'data', 'detections') ?? at(body, 'data', 'detection')
    const id = firstText(at(found, 'composite_id'), at(found, 'id'), at(item, 'meta', 'execution_id'))
    const title = firstText(at(found, 'name'), at(found, 'description'), at(item, 'meta', 'trigger_name'))
    return eventOf(body, id, title, at(found, 'severity'))
  },
}
