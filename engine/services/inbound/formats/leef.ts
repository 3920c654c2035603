/** Lines in the Log Event Extended Format (domain/event/input/leef.ts). */
import { isLeef, parseLeef } from '../../../domain/event/input/leef.js'
import { at, eventOf, isObject, type InboundFormat } from './format.js'

export const leef: InboundFormat = {
  name: 'leef',
  givesUp: true,
  recognizes: (document) => isLeef(document.message) || (isObject(document.attributes) && 'leef_version' in document),
  event(item) {
    const parsed = isLeef(item.message) && !isObject(item.attributes) ? parseLeef(item.message) : null
    const body = parsed === null ? item : { ...item, ...parsed }
    // The format has no id of an event.
    return eventOf(body, null, body.event_class_id, at(body.attributes, 'sev'))
  },
}
