/**
 * CSV as in RFC 4180: the first record has the names of the fields. It may be separated by commas, semicolons or tabs.
 *
 * 1. A name with dots is a path: `rule.id` becomes `{"rule": {"id": ...}}`.
 * 2. An empty cell is no field.
 * 3. A number that is written as JSON writes it becomes a number, `true` and `false` become booleans. `007` stays text.
 */
import { UsageError } from '../failure.js'

const SEPARATORS = [',', ';', '\t'] as const
/** A field that is longer has a quote that nobody closed. */
const FIELD_CHARS_MAX = 8 << 20
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/

export type CsvEvent = Record<string, unknown>

export interface CsvOptions {
  /** Default: the one in the first line. */
  readonly separator?: string | undefined
  /** Each value stays text. */
  readonly isText?: boolean | undefined
}

/** The separator that the first line has most of, outside of quotes. */
export function separatorOf(line: string): string {
  const bare = line.replace(/"[^"]*"/g, '')
  const counts = SEPARATORS.map((separator) => bare.split(separator).length)
  return SEPARATORS[counts.indexOf(Math.max(...counts))]!
}

/** Records of text that arrives in pieces. A quoted field may have line breaks in it. */
export async function* recordsOf(
  lines: AsyncIterable<string>,
  separator: string | undefined,
): AsyncGenerator<string[], void, void> {
  let by = separator
  let open = ''
  let number = 0
  for await (const line of lines) {
    number++
    if (open === '' && line === '') continue
    by ??= separatorOf(line)
    const text = open === '' ? line : `${open}\n${line}`
    const record = fieldsOf(text, by)
    if (record === null) {
      open = text
      if (open.length > FIELD_CHARS_MAX) throw new UsageError(`CSV: a quote before line ${number} is not closed`)
      continue
    }
    open = ''
    yield record
  }
  if (open !== '') throw new UsageError('CSV: a quote is not closed at the end of the input')
}

/** The fields of a record; null if a quote is open at its end. */
function fieldsOf(text: string, by: string): string[] | null {
  if (!text.includes('"')) return text.split(by)
  const fields: string[] = []
  let at = 0
  for (;;) {
    if (text[at] === '"') {
      let value = ''
      let from = at + 1
      for (;;) {
        const end = text.indexOf('"', from)
        if (end < 0) return null
        value += text.slice(from, end)
        if (text[end + 1] !== '"') {
          at = end + 1
          break
        }
        value += '"'
        from = end + 2
      }
      const next = text.indexOf(by, at)
      // What stands between the quote and the separator is kept: some programs write it.
      fields.push(value + text.slice(at, next < 0 ? undefined : next))
      at = next
    } else {
      const next = text.indexOf(by, at)
      fields.push(text.slice(at, next < 0 ? undefined : next))
      at = next
    }
    if (at < 0) return fields
    at += by.length
  }
}

function cellValue(cell: string): unknown {
  if (cell === 'true' || cell === 'false') return cell === 'true'
  return NUMBER.test(cell) && String(Number(cell)) === cell ? Number(cell) : cell
}

/** Where the value of a column goes. @throws UsageError for names that no event can have. */
function pathsOf(names: readonly string[]): string[][] {
  const seen = new Set<string>()
  const paths = names.map((name, at) => {
    const path = name.trim().split('.')
    if (path.includes('')) throw new UsageError(`CSV: column ${at + 1} has no name, or one with an empty part`)
    if (seen.has(path.join('.'))) throw new UsageError(`CSV: two columns are named ${path.join('.')}`)
    seen.add(path.join('.'))
    return path
  })
  for (const path of paths) {
    const inner = path.findIndex((_, at) => at > 0 && seen.has(path.slice(0, at).join('.')))
    if (inner > 0) {
      const outer = path.slice(0, inner).join('.')
      throw new UsageError(`CSV: ${outer} cannot be a column and hold ${path.join('.')}`)
    }
  }
  return paths
}

function put(event: CsvEvent, path: readonly string[], value: unknown): void {
  let at = event
  for (const name of path.slice(0, -1)) {
    // No prototype: a column may be named __proto__.
    at[name] ??= Object.create(null)
    at = at[name] as CsvEvent
  }
  at[path.at(-1)!] = value
}

/** An event for each record below the header. */
export async function* csvEvents(
  lines: AsyncIterable<string>,
  { separator, isText = false }: CsvOptions = {},
): AsyncGenerator<CsvEvent, void, void> {
  let paths: string[][] | undefined
  let number = 0
  for await (const record of recordsOf(lines, separator)) {
    number++
    if (paths === undefined) {
      paths = pathsOf(record)
      continue
    }
    if (record.length > paths.length)
      throw new UsageError(`CSV: record ${number} has ${record.length} fields, the header has ${paths.length}`)
    const event: CsvEvent = Object.create(null)
    for (const [at, cell] of record.entries()) if (cell !== '') put(event, paths[at]!, isText ? cell : cellValue(cell))
    yield event
  }
}
