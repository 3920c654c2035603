/**
 * Events as the wire shows them, as text: the busiest answers are put together without a serializer.
 *
 * Field names are those of schemas/events.ts; a test parses each text and checks it against its schema.
 */
import { isoMicros, type EventView, type Refusal } from '../../engine/index.js'
import { statusOf } from '../http/error-reply.js'

/** Texts without quotes, backslashes and anything beyond ASCII: nearly all ids and names. */
const plain = /^[ !#-[\]-~]*$/

/** A text as JSON; looking at one that is plain costs a fraction of the serializer's call. */
function quote(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text)
}

function textOrNull(text: string | null): string {
  return text === null ? 'null' : quote(text)
}

/** The answer to a new event: pending at all times, however fast it was decided (specification, States). */
export function ingestedText(view: EventView, emptyErrorMessage: boolean): string {
  return (
    `{"event_id":${quote(view.eventId)},"job_id":${view.jobId},"ingest_timestamp":"${isoMicros(view.ingestMicros)}",` +
    `"status":"pending_inference","error_message":${emptyErrorMessage ? '""' : 'null'}}`
  )
}

/** The answer to GET. */
export function eventText(view: EventView): string {
  return (
    `{"event_id":${quote(view.eventId)},"ingest_timestamp":"${isoMicros(view.ingestMicros)}",` +
    `"status":"${view.status}","result":${quote(view.result)},"result_label":${quote(view.resultLabel)},` +
    `"error_message":${textOrNull(view.errorMessage)},"bucket_state":"${view.bucketState}",` +
    `"outlier":${view.outlier},"confidence_score":${view.confidenceScore}}`
  )
}

/** The line of an event that was taken in by a stream, with its end. */
export function resultLine(view: EventView): string {
  return (
    `{"event_id":${quote(view.eventId)},"job_id":${view.jobId},"ingest_timestamp":"${isoMicros(view.ingestMicros)}",` +
    `"status":"${view.status}","result":${quote(view.result)},"result_label":${quote(view.resultLabel)},` +
    `"bucket_state":"${view.bucketState}","outlier":${view.outlier},"confidence_score":${view.confidenceScore},` +
    `"error_message":${textOrNull(view.errorMessage)}}\n`
  )
}

/** The line of an event that was refused, with its end. `jobId` where it was read before the refusal. */
export function refusedLine(refusal: Refusal, jobId: number | null): string {
  const job = jobId === null ? '' : `,"job_id":${jobId}`
  return `{"status":"ERROR","status_code":${statusOf[refusal.code]}${job},"error":${quote(refusal.message)}}\n`
}
