/**
 * CrowdStrike Falcon: events of the event stream (`{metadata, event}`), and what a Fusion workflow sends by a webhook
 * (`{meta, data}`, with dots in the names of data).
 */
import { idOfParts } from '../../../domain/event/client-id.js'
import { valueAt } from '../../../domain/event/path.js'
import { at, eventOf, firstText, isObject, type InboundFormat, type DocumentJson } from './format.js'

/** Where a workflow has the fields of a detection. */
const detections = ['data.detections', 'data.detection']

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
    const found = (name: string): readonly unknown[] => detections.map((path) => valueAt(item, `${path}.${name}`))
    const id = firstText(...found('composite_id'), ...found('id'), at(item, 'meta', 'execution_id'))
    const title = firstText(...found('name'), ...found('description'), at(item, 'meta', 'trigger_name'))
    return eventOf(
      item,
      id,
      title,
      found('severity').find((severity) => severity !== undefined),
    )
  },
}
