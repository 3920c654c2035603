/**
 * Events out of a sample as people have it: a JSON array, a document that holds one, NDJSON, or CSV.
 *
 * 1. What is no event is counted, and does not keep the rest away.
 */
import { limits } from '../../limits.js'
import type { SampleStatistics } from '../../api/live/sample-service.js'

export type SampleEvent = Readonly<Record<string, unknown>>

export interface Sample {
  readonly format: SampleStatistics['format']
  readonly events: readonly SampleEvent[]
  readonly skipped: number
}

/** Names under which documents hold their events. */
const LISTS = ['events', 'alerts', 'records', 'Records', 'value', 'results', 'hits', 'data']
const DELIMITERS = [',', ';', '\t', '|']

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The event in what a line or an item has: that of a line to this service, or of an answer of a search engine. */
function eventOf(value: unknown): SampleEvent | null {
  if (!isObject(value)) return null
  if (isObject(value.raw_body)) return value.raw_body
  return isObject(value._source) ? value._source : value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function listIn(document: unknown): readonly unknown[] | null {
  if (Array.isArray(document)) return document as unknown[]
  if (!isObject(document)) return null
  for (const name of LISTS) {
    const inner = document[name]
    if (Array.isArray(inner)) return inner as unknown[]
    if (name === 'hits' && isObject(inner)) return listIn(inner)
  }
  return null
}

function sampleOf(format: Sample['format'], values: Iterable<unknown>): Sample {
  const events: SampleEvent[] = []
  let skipped = 0
  for (const value of values) {
    const event = eventOf(value)
    if (event === null) skipped++
    else events.push(event)
    if (events.length >= limits.sampleEventsMax) break
  }
  return { format, events, skipped }
}

/** The cells of a text, row by row (RFC 4180). */
function* rowsOf(text: string, delimiter: string): Generator<string[]> {
  let [row, cell, isQuoted] = [[] as string[], '', false]
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] as string
    if (isQuoted) {
      if (sign !== '"') cell += sign
      else if (text[at + 1] === '"') cell += text[++at] as string
      else isQuoted = false
    } else if (sign === '"' && cell === '') isQuoted = true
    else if (sign === delimiter) {
      row.push(cell)
      cell = ''
    } else if (sign === '\n') {
      row.push(cell.endsWith('\r') ? cell.slice(0, -1) : cell)
      yield row
      ;[row, cell] = [[], '']
    } else cell += sign
  }
  if (cell !== '' || row.length > 0) yield [...row, cell]
}

/** A cell as the value that it shows. */
function cellValue(cell: string): unknown {
  const text = cell.trim()
  if (text === '') return undefined
  if (/^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(text)) return Number(text)
  return text === 'true' ? true : text === 'false' ? false : text
}

function* csvEvents(text: string): Generator<unknown> {
  const end = text.indexOf('\n')
  const head = end < 0 ? text : text.slice(0, end)
  const delimiter = DELIMITERS.reduce((best, each) => (head.split(each).length > head.split(best).length ? each : best))
  let names: readonly string[] | null = null
  for (const row of rowsOf(text, delimiter)) {
    if (names === null) {
      names = row.map((name) => name.trim())
      continue
    }
    const cells = row.map(cellValue)
    if (cells.every((cell) => cell === undefined)) continue
    const fields = names.flatMap((name, at) => (name === '' || cells[at] === undefined ? [] : [[name, cells[at]]]))
    yield Object.fromEntries(fields)
  }
}

function* lineEvents(text: string): Generator<unknown> {
  for (const line of text.split('\n')) if (line.trim() !== '') yield parsed(line)
}

/** The events of a sample; a text that begins like JSON is JSON or NDJSON, any other is CSV with a line of names. */
export function sampleEvents(bytes: Uint8Array): Sample {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trim()
  if (!/^[[{]/.test(text)) return sampleOf('csv', text === '' ? [] : csvEvents(text))
  const document = parsed(text)
  if (document === undefined) return sampleOf('ndjson', lineEvents(text))
  const list = listIn(document)
  return list === null ? sampleOf('ndjson', [document]) : sampleOf('json', list)
}
