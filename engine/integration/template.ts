/**
 * Templates: text with `{{path}}`, where a path names a field of the event. There is no other syntax, so neither a
 * template nor an event can execute anything.
 *
 * 1. Values of an event are inserted as they are, and never parsed again: `{{x}}` inside a value stays `{{x}}`.
 * 2. A path without a value, or with an empty one, inserts nothing.
 * 3. The cost of a template grows with its length only, whatever is between the braces.
 * 4. A text that is too long for its place is shortened in its longest values. What stands after them stays.
 */
import { isoMicros } from '../clock.js'
import { cutText } from '../domain/event/input/cut-text.js'
import type { DecidedEvent } from './contract.js'
import { writeJson } from '../domain/event/json.js'
import { valueAt } from '../domain/event/path.js'

const VALUE_CHARS_MAX = 1_000
/** A link or an id that is longer is cut like all other values. */
const WHOLE_CHARS_MAX = 4_000
const LINK = /^https?:\/\/\S+$/i

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
  return cutText(wholeTextOf(value), VALUE_CHARS_MAX)
}

function wholeTextOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? writeJson(value) : String(value)
}

/** A piece of a filled template: text of its author, or a value of the event. */
interface Piece {
  readonly text: string
  /** A value that may be cut. Links and ids are not: half of one leads nowhere, or to something else. */
  readonly isCuttable: boolean
  readonly isValue: boolean
}

/** Values of the service that are whole or useless. */
const wholeValues: ReadonlySet<string> = new Set(['event_page', 'event_id', 'job_id', 'bucket_id'])

function piecesOf(template: string, event: DecidedEvent): Piece[] {
  return template.split(/\{\{([^{}]+)\}\}/).map((text, at) => {
    if (at % 2 === 0) return { text, isCuttable: false, isValue: false }
    const path = text.trim()
    const own = serviceValue(event, path)
    const value = wholeTextOf(own ?? valueAt(event.document, path))
    const isWhole = (own !== undefined && wholeValues.has(path)) || LINK.test(value)
    return { text: value, isCuttable: !(isWhole && value.length <= WHOLE_CHARS_MAX), isValue: true }
  })
}

/** How a text is made to fit where it stands: escaped, say. It is cut before, so that no escape is cut. */
export type Fit = (text: string) => string

/** The template with the event's values; `fit` makes a value fit where it stands. */
export function fill(template: string, event: DecidedEvent, fit: Fit = (text) => text): string {
  return joined(piecesOf(template, event), VALUE_CHARS_MAX, fit)
}

/**
 * The filled template with a size of at most `sizeMax`. If it is too long, its longest values are cut, so what comes
 * after them stays: a link at the end, say. If its author's own text is too long, its end is cut.
 */
export function fillWithin(
  template: string,
  event: DecidedEvent,
  sizeMax: number,
  { fit = (text) => text, size = (text) => text.length }: { readonly fit?: Fit; readonly size?: Size } = {},
): string {
  const pieces = piecesOf(template, event)
  const [text] = longestWithin(VALUE_CHARS_MAX, sizeMax, size, (charsMax) => joined(pieces, charsMax, fit))
  if (size(text) <= sizeMax) return text
  // Without any long value it is too long: the links and ids go, too, and then the end.
  const bare = pieces.map((piece) => ({ ...piece, isCuttable: piece.isValue }))
  const [short, units] = longestWithin(VALUE_CHARS_MAX, sizeMax, size, (charsMax) => joined(bare, charsMax, fit))
  if (size(short) <= sizeMax || units > 0) return short
  return longestWithin(short.length, sizeMax, size, (charsMax) => cutText(short, charsMax))[0]
}

/** How much room a text takes. */
type Size = (text: string) => number

/** Makes a text with the largest number up to `most` with which it fits, and returns both; with 0 if none does. */
export function longestWithin(
  most: number,
  sizeMax: number,
  size: Size,
  make: (number: number) => string,
): readonly [text: string, number: number] {
  const whole = make(most)
  if (size(whole) <= sizeMax) return [whole, most]
  let [fits, over] = [0, most]
  while (over - fits > 1) {
    const middle = (fits + over) >> 1
    if (size(make(middle)) <= sizeMax) fits = middle
    else over = middle
  }
  return [make(fits), fits]
}

function joined(pieces: readonly Piece[], charsMax: number, fit: Fit): string {
  return pieces
    .map(({ text, isCuttable, isValue }) => {
      if (!isValue) return text
      return fit(isCuttable ? cutText(text, charsMax) : text.toWellFormed())
    })
    .join('')
}
