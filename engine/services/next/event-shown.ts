/** What a person who is asked about an event sees of it at once. */
import type { DecisionPoints } from '../../domain/event/decision-points.js'
import { decodeContent, decodeHeader, type RecordHeader } from '../../store/event-record.js'
import { timeKey } from '../../store/tables.js'
import type { JobAt } from '../explain/job-at.js'
import { EventTimes } from '../../actor/event-times.js'

export interface NextEvent {
  readonly header: RecordHeader
  readonly clientId: string | null
  readonly originalMicros: number
  readonly title: string | null
  readonly decisionPoints: Readonly<Record<string, unknown>>
}

/** The event with this ingest time; null where it is not stored any more. */
export function eventShown(
  { environment, codec, job }: JobAt,
  points: DecisionPoints,
  micros: number,
): NextEvent | null {
  const record = environment.get('events', timeKey(job.id, micros))
  if (record === undefined) return null
  const { clientId, extras, body: bytes } = decodeContent(record)
  const body = codec.decode(bytes)
  const values = points.valuesOf(body)
  return {
    header: decodeHeader(record),
    clientId,
    originalMicros: new EventTimes(codec).of(record, micros),
    title: extras?.title == null ? null : String(extras.title),
    decisionPoints: Object.fromEntries(job.decisionPoints.map((name, at) => [name, values[at] ?? null])),
  }
}
