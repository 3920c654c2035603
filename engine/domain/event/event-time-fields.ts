/**
 * Which field an event's own time is taken from (S35).
 *
 * Owns: the order of the fields, what counts as a time that cannot be read. Leaves out: the forms of times
 * (event-time.ts), reading a body (actor/event-times.ts).
 *
 * 1. The field of the job's setting `time_field` comes first, then `eventTimeFields` in their order. The first one that
 *    holds a time counts. So a bad one is passed over.
 * 2. Of a list, the first item that is a time counts.
 */
import { looksLikeTime } from './event-time.js'

/** Paths, in the order in which they are tried: those of S35, then those of further products. */
export const eventTimeFields = [
  '@timestamp',
  'timestamp',
  // Zeek
  'ts',
  // Falco, OCSF, EventBridge
  'time',
  // CloudTrail
  'eventTime',
  // Alertmanager, Grafana
  'startsAt',
  // Windows, as XML turns into JSON in several ways
  'Event.System.TimeCreated',
  'Event.System.TimeCreated.@SystemTime',
  'Event.System.TimeCreated.SystemTime',
  'Event.System.TimeCreated.#attributes.SystemTime',
  // CEF, and the names that its format gives to them
  'rt',
  'end',
  'start',
  'cef.extensions.deviceReceiptTime',
  'cef.extensions.endTime',
  'cef.extensions.startTime',
  'Timestamp',
  'TimeGenerated',
  'TimeCreated',
  '_time',
  'result._time',
  'event.created',
  'event_time',
  'starts_at',
  'createdDateTime',
  'properties.createdTimeUtc',
  'metadata.eventCreationTime',
  'detail.service.eventLastSeen',
  'attributes.devTime',
  'alert.updated_at',
] as const

export type EventTimeField = (typeof eventTimeFields)[number]

/** Names that are lengths of time or places in a text as often as times. */
const looseNames: ReadonlySet<string> = new Set(['time', 'start', 'end', 'ts'])
/** Numbers below it are no count of seconds since 1970 that anybody sends. */
const COUNT_MIN = 1e8

/** True if somebody meant this value, which is no time that can be read, as one. */
export function isMeantAsTime(field: string, value: unknown): boolean {
  if (value === '' || typeof value === 'boolean') return false
  if (!looseNames.has(field)) return true
  if (typeof value === 'number') return value >= COUNT_MIN
  return typeof value === 'string' && (field === 'ts' || field === 'time' || looksLikeTime(value))
}
