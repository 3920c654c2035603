/** The answer to a request for an event's export, as JSON text in wire names (C3.4). */
import { isoMicros } from '../../clock.js'
import type { EventExport } from '../../api/decision-service.js'
import { writeJson } from '../../domain/event/json.js'

/** Works beside the service's own name (C1.1). */
const NEUTRAL_NAME = 'service'

/** The document is under the service's name and under the neutral one. It is serialized once. */
export function exportText({ view, document }: EventExport, serviceName: string): string {
  const head = JSON.stringify({
    event_id: view.eventId,
    ingest_timestamp: isoMicros(view.ingestMicros),
    status: view.status,
    error_message: view.errorMessage,
  })
  const text = writeJson(document)
  const own = serviceName === NEUTRAL_NAME ? '' : `${JSON.stringify(`${serviceName}_event`)}:${text},`
  return `${head.slice(0, -1)},${own}"${NEUTRAL_NAME}_event":${text}}`
}
