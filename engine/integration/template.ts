/**
 * Templates: text with `{{path}}` in it, where a path names a field of the event. Nothing else is understood, so nothing in a
 * template, or in an event, can do anything.
 *
 * 1. What an event holds is put in as it is and never looked at again: `{{x}}` inside a value stays `{{x}}`.
 * 2. A path that leads nowhere, or to an empty value, leaves nothing behind.
 * 3. A template costs time by its length alone, whatever its writer puts between braces.
 */
import { isoMicros } from '../clock.js'
import type { DecidedEvent } from './contract.js'

const VALUE_CHARS_MAX = 1_000

/** The value at a dot path; a field of exactly that dotted name counts where the path leads nowhere. */
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

/** The service's own words in a template, beside the fields of the event. */
function ownWord(event: DecidedEvent, word: string): unknown {
  switch (word) {
    case 'event_id':
      return event.eventId
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

/** A value as text, cut where it is long. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.length > VALUE_CHARS_MAX ? `${text.slice(0, VALUE_CHARS_MAX)}…` : text
}

/** The template with the event's values; `fit` makes a value fit where it stands. */
export function fill(template: string, event: DecidedEvent, fit: (text: string) => string = (text) => text): string {
  return template.replace(/\{\{([^{}]+)\}\}/g, (_, inside: string) => {
    const path = inside.trim()
    return fit(textOf(ownWord(event, path) ?? valueAt(event.document, path)))
  })
}
