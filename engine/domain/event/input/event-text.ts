/**
 * Events out of a text as people have it: a JSON array, a document that holds one, JSON objects on lines, or CSV.
 *
 * Owns: which of these a text is, and what in it is an event. Leaves out: CSV (csv.ts), bytes and gzip.
 *
 * 1. What is no event is counted, and does not keep the rest away.
 * 2. Browsers run this, too.
 */
import { isJsonObject } from '../json.js'
import { CsvError, CsvReader } from './csv.js'

export type EventBody = Readonly<Record<string, unknown>>

export interface EventText {
  readonly format: 'json' | 'ndjson' | 'csv'
  readonly events: readonly EventBody[]
  /** Lines or items that are no events. */
  readonly skipped: number
  /** There are more events than were asked for. */
  readonly isCut: boolean
}

/** Names under which documents hold their events. */
const LISTS = ['events', 'alerts', 'records', 'Records', 'value', 'results', 'hits', 'data']

/** The event in what a line or an item has: that of a line to this service, or of an answer of a search engine. */
function eventOf(value: unknown): EventBody | null {
  if (!isJsonObject(value)) return null
  if (isJsonObject(value.raw_body)) return value.raw_body
  return isJsonObject(value._source) ? value._source : value
}

type Parse = (text: string) => unknown

function parsed(text: string, parse: Parse): unknown {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

function listIn(document: unknown): readonly unknown[] | null {
  if (Array.isArray(document)) return document as unknown[]
  if (!isJsonObject(document)) return null
  for (const name of LISTS) {
    const inner = document[name]
    if (Array.isArray(inner)) return inner as unknown[]
    if (name === 'hits' && isJsonObject(inner)) return listIn(inner)
  }
  return null
}

function* csvValues(text: string): Generator<unknown> {
  const reader = new CsvReader()
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof CsvError) || error.isOfAll) throw error
      return undefined
    }
  }
  for (const line of text.split('\n')) {
    const event = attempt(() => reader.take(line))
    if (event !== null) yield event
  }
  if (attempt(() => reader.end() ?? null) === undefined) yield undefined
}

function* lineValues(text: string, parse: Parse): Generator<unknown> {
  for (const line of text.split('\n')) if (line.trim() !== '') yield parsed(line, parse)
}

function taken(format: EventText['format'], values: Iterable<unknown>, max: number): EventText {
  const events: EventBody[] = []
  let skipped = 0
  for (const value of values) {
    const event = eventOf(value)
    if (event === null) skipped++
    else if (events.length === max) return { format, events, skipped, isCut: true }
    else events.push(event)
  }
  return { format, events, skipped, isCut: false }
}

/**
 * The first events of a text, `max` at most. A text that begins like JSON is JSON or lines of it, any other is CSV with
 * a line of names. `parse` reads JSON.
 *
 * @throws CsvError where the names of the columns cannot be used.
 */
export function eventsOfText(given: string, max: number, parse: Parse = JSON.parse): EventText {
  const text = given.replace(/^\uFEFF/, '').trim()
  if (!/^[[{]/.test(text)) return taken('csv', text === '' ? [] : csvValues(text), max)
  const document = parsed(text, parse)
  if (document === undefined) return taken('ndjson', lineValues(text, parse), max)
  const list = listIn(document)
  return list === null ? taken('ndjson', [document], max) : taken('json', list, max)
}
