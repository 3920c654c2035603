/** Events out of a file or a text: JSON, NDJSON or CSV, also as gzip. */

/** Why there are no events. Its text is `new_job.<problem>`. */
export class ReadError extends Error {
  readonly problem: 'no_events' | 'too_large'

  constructor(problem: 'no_events' | 'too_large') {
    super(problem)
    this.problem = problem
  }
}

export type SampleEvent = Readonly<Record<string, unknown>>

/** What a page holds in memory. */
const BYTES_MAX = 64 * 1024 * 1024
const EVENTS_MAX = 200_000
const LISTS = ['events', 'alerts', 'records', 'Records', 'value', 'results', 'hits', 'data']
const DELIMITERS = [',', ';', '\t', '|']

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function eventOf(value: unknown): SampleEvent[] {
  if (!isObject(value)) return []
  const { raw_body: sent, _source: found } = value
  return [isObject(sent) ? sent : isObject(found) ? found : value]
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
    if (isObject(inner) && name === 'hits') return listIn(inner)
  }
  return null
}

/** The cells of a text, row by row (RFC 4180). */
function rowsOf(text: string, delimiter: string): string[][] {
  const rows: string[][] = []
  let [row, cell, isQuoted] = [[] as string[], '', false]
  const endRow = (): void => {
    rows.push([...row, cell.endsWith('\r') ? cell.slice(0, -1) : cell])
    row = []
    cell = ''
  }
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
    } else if (sign === '\n') endRow()
    else cell += sign
  }
  if (cell !== '' || row.length > 0) endRow()
  return rows
}

function cellValue(cell: string): unknown {
  const text = cell.trim()
  if (/^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(text)) return Number(text)
  return text === 'true' ? true : text === 'false' ? false : text
}

function csvEvents(text: string): SampleEvent[] {
  const [head = ''] = text.split('\n', 1)
  const widest = (best: string, each: string): string =>
    head.split(each).length > head.split(best).length ? each : best
  const [names = [], ...rows] = rowsOf(text, DELIMITERS.reduce(widest))
  return rows
    .filter((row) => row.some((cell) => cell.trim() !== ''))
    .map((row) => {
      const fields = names.flatMap((name, at) => {
        const cell = row[at] ?? ''
        return name.trim() === '' || cell.trim() === '' ? [] : [[name.trim(), cellValue(cell)] as const]
      })
      return Object.fromEntries(fields)
    })
}

/** @throws ReadError. */
export function eventsIn(given: string): SampleEvent[] {
  const text = given.replace(/^\uFEFF/, '').trim()
  const document = /^[[{]/.test(text) ? parsed(text) : null
  const values =
    document === null
      ? csvEvents(text)
      : document === undefined
        ? text.split('\n').map(parsed)
        : (listIn(document) ?? [document])
  const events = values.flatMap(eventOf).slice(0, EVENTS_MAX)
  if (events.length === 0) throw new ReadError('no_events')
  return events
}

/** @throws ReadError. */
export async function readFile(file: Blob): Promise<SampleEvent[]> {
  if (file.size > BYTES_MAX) throw new ReadError('too_large')
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  const isGzip = first === 0x1f && second === 0x8b
  const plain = isGzip ? new Response(file.stream().pipeThrough(new DecompressionStream('gzip'))) : file
  return eventsIn(await plain.text())
}
