/**
 * Lines in the Common Event Format (domain/event/input/cef.ts), with the time of the event at `@timestamp`.
 */
import { isoMicros } from '../../../clock.js'
import { timeOf } from '../../../domain/event/event-time.js'
import { cefDocument, cefFieldsOf, isCef } from '../../../domain/event/input/cef.js'
import { eventOf, firstText, isObject, type InboundFormat, type DocumentJson } from './format.js'

/**
 * The first time in an extension. Null without one, and where it has no year: that follows from the arrival, by which
 * the field is read later (domain/event/event-time-fields.ts).
 */
function timeIn(fields: DocumentJson): string | null {
  for (const value of [fields.deviceReceiptTime, fields.endTime, fields.startTime]) {
    const micros = timeOf(value)
    if (micros !== null) return isoMicros(micros)
    if (timeOf(value, 0) !== null) return null
  }
  return null
}

/** A line as a document; null if it is not in the format. */
export function parseCef(line: string): DocumentJson | null {
  const fields = cefFieldsOf(line)
  if (fields === null) return null
  const time = timeIn(fields.extensions)
  return { ...(time === null ? {} : { '@timestamp': time }), ...cefDocument(fields, line) }
}

export const cef: InboundFormat = {
  name: 'cef',
  givesUp: true,
  recognizes: (document) => isCef(document.message) || isObject(document.cef),
  event(item) {
    const parsed = isCef(item.message) && !isObject(item.cef) ? parseCef(item.message) : null
    const body = parsed === null ? item : { ...item, ...parsed }
    const fields = isObject(body.cef) ? body.cef : {}
    const extensions = isObject(fields.extensions) ? fields.extensions : {}
    return eventOf(body, firstText(extensions.externalId, extensions.eventId), fields.name, fields.severity)
  },
}
