/** An event with its decision as one document, for search engines and brokers. */
import { isoMicros } from '../clock.js'
import type { DecidedEvent } from './contract.js'

/** The client's fields, the service's section, and the top-level names by which clients filter stored events. */
export function decidedDocument(event: DecidedEvent): Record<string, unknown> {
  return {
    '@timestamp': isoMicros(event.ingestMicros),
    ...event.document,
    event_id: event.eventId,
    job_id: event.jobId,
    job_title: event.jobTitle,
    timestamp_inference: isoMicros(event.ingestMicros),
  }
}
