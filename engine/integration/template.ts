/**
 * Templates: text with `{{path}}`, where a path names a field of the event. There is no other syntax, so neither a
 * template nor an event can execute anything.
 *
 * 1. Values of an event are inserted as they are, and never parsed again: `{{x}}` inside a value stays `{{x}}`.
 * 2. A path without a value, or with an empty one, inserts nothing.
 * 3. The cost of a template grows with its length only, whatever is between the braces.
 */
import { isoMicros } from '../clock.js'
import type { DecidedEvent } from './contract.js'

const VALUE_CHARS_MAX = 1_000

/** The value at a dot path. Without one, a top-level field with exactly this dotted name counts. */
export function valueAt(document: Readonly<Record<string, unknown>>, path: string): unknown {
  let value: unknown = document
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) {
      return Object.hasOwn(document, path) ? document[path] : undefined
    }
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

/**
 * The address of the event's page in the console, below that of the service. It has letters, digits, slashes and
 * percent signs alone, so no place where a value stands changes it.
 */
function pageOf({ jobId, eventId }: DecidedEvent): string {
  const id = encodeURIComponent(eventId.toWellFormed()).replace(
    /[^A-Za-z0-9%]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
  return `/jobs/${jobId}/events/${id}`
}

/** Names of the service in a template, in addition to the fields of the event. */
function serviceValue(event: DecidedEvent, name: string): unknown {
  switch (name) {
    case 'event_id':
      return event.eventId
    case 'event_page':
      return pageOf(event)
    case 'job_id':
      return event.jobId
    case 'job_title':
      return event.jobTitle
    case 'ingest_timestamp':
      return isoMicros(event.ingestMicros)
    case 'result':
      return event.result
    case 'result_label':
      return event.resultLabel
    case 'confidence_score':
      return event.confidenceScore
    case 'outlier':
      return event.outlier
    case 'bucket_id':
      return event.bucketId
    default:
      return undefined
  }
}

/** A value as text of at most 1,000 characters; a longer one is cut. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.length > VALUE_CHARS_MAX ? `${text.slice(0, VALUE_CHARS_MAX)}…` : text
}

/** The template with the event's values; `fit` makes a value fit where it stands. */
export function fill(template: string, event: DecidedEvent, fit: (text: string) => string = (text) => text): string {
  return template.replace(/\{\{([^{}]+)\}\}/g, (_, inside: string) => {
    const path = inside.trim()
    return fit(textOf(serviceValue(event, path) ?? valueAt(event.document, path)))
  })
}
