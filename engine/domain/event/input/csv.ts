/**
 * CSV as in RFC 4180, and as people have it: the first record has the names of the fields. Commas, semicolons, tabs or
 * bars separate cells (S40).
 *
 * The command line, the console and field statistics read it here, so a file means the same to all of them.
 *
 * Owns: records, names and values. Leaves out: bytes and lines (text-lines.ts), and what is done about a fault.
 *
 * 1. A name with dots is a path: `rule.id` becomes `{"rule": {"id": ...}}`. Where `rule` is a column itself, the name
 *    stays as it is. A column without a name is left out. Blanks around a name do not count. A name that is there
 *    already gets a number: `rule`, `rule_2`.
 * 2. An empty cell is no field. A record without any field is no event, and no fault.
 * 3. A number that is written as JSON writes it becomes a number, `true` and `false` become booleans. `007` stays text.
 *    Blanks belong to a value, but for those around its quotes.
 * 4. A record with values beyond the names is a fault of that record: what comes after it is read.
 * 5. A quoted cell may have separators, quotes and line breaks in it. Each line break becomes a line feed. A quote that
 *    nobody closes, or that another quote closes in the middle of a later line, is a fault of its own line: the next
 *    lines are read as if it were not there.
 * 6. A first line `sep=;` names the separator.
 * 7. A table of this service (server/routes/lists/event-table.ts) comes back as the events that it was made of: with
 *    their ids and line breaks, without the marks before formulas, and without what the service said of them.
 */
import { putAt, wayOf } from './event-of-paths.js'
import { parseJson } from '../json.js'
import { cutText } from './cut-text.js'
import { withoutGuard } from './csv-cell.js'

const SEPARATORS = [',', ';', '\t', '|'] as const
/** A cell that is longer has a quote that nobody closed. */
const CELL_CHARS_MAX = 8 << 20
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/
const SEPARATOR_LINE = /^\s*"?sep=(.)"?\s*$/i
const EXAMPLE_CHARS = 200

/** Columns of a table of this service, with the field of the event that each is; '' for what the service said. */
const ownColumns: ReadonlyMap<string, string> = new Map([
  ['event_id', ''],
  ['time', '@timestamp'],
  ['title', 'title'],
  ['severity', 'severity'],
  ['decision', ''],
  ['confidence', ''],
  ['consensus', ''],
  ['outlier', ''],
])
/** A table with all of these is one of this service. */
const ownSigns = ['event_id', 'time', 'decision', 'confidence', 'consensus', 'outlier'] as const

export type CsvEvent = Record<string, unknown>

export interface CsvOptions {
  /** Default: the one in the first line. */
  readonly separator?: string | undefined
  /** Each value stays text. */
  readonly isText?: boolean | undefined
}

export interface CsvRecord {
  /** The line that it begins in, from 1 on. */
  readonly line: number
  readonly event: CsvEvent
  /** The id that a table of this service has for it. */
  readonly id: string | null
}

/** A record that is none. */
export interface CsvFault {
  readonly line: number
  readonly problem: string
  readonly example: string
}

interface Column {
  /** Null for a column that is left out. */
  readonly path: readonly string[] | null
  readonly isId: boolean
  /** It has no name: values in it are lost. */
  readonly isNameless: boolean
}

/** The separator that the first line has most of, outside of quotes. */
export function separatorOf(line: string): string {
  const bare = line.replace(/"[^"]*"/g, '')
  const counts = SEPARATORS.map((separator) => bare.split(separator).length)
  return SEPARATORS[counts.indexOf(Math.max(...counts))] as string
}

function cellValue(cell: string): unknown {
  if (cell === 'true' || cell === 'false') return cell === 'true'
  return NUMBER.test(cell) && String(Number(cell)) === cell ? Number(cell) : cell
}

/** A list or an object of a table of this service. */
function ownValue(cell: string): unknown {
  if (!/^[[{]/.test(cell)) return cellValue(cell)
  try {
    return parseJson(cell)
  } catch {
    return cell
  }
}

/** A record that has not ended. */
interface OpenRecord {
  readonly line: number
  readonly lines: string[]
  readonly cells: string[]
  /** The quoted cell that is open at its end. */
  cell: string
  /** Which of the lines the quote is in. */
  quoteIn: number
}

/** Ends a quoted cell behind its quote, and gives the place of the next separator; -1 for the end of the record. */
function endQuoted(line: string, from: number, by: string, record: OpenRecord): number | 'broken' {
  const next = line.indexOf(by, from)
  const rest = line.slice(from, next < 0 ? undefined : next)
  const isBlank = rest.trim() === ''
  // What stands between a quote and the separator is kept: some programs write it. But not in a later line.
  if (!isBlank && record.quoteIn < record.lines.length - 1) return 'broken'
  record.cells.push(isBlank ? record.cell : record.cell + rest)
  return next
}

/** Takes lines one after the other. */
export class CsvReader {
  readonly #isText: boolean
  #separator: string | undefined
  #columns: readonly Column[] | null = null
  #isOwn = false
  #line = 0
  #open: OpenRecord | null = null
  /** Names that were given to a second column of one name. */
  readonly renamed: string[] = []
  /** Values in columns without a name, and the first of them. */
  nameless: { readonly count: number; readonly example: string } | null = null

  constructor({ separator, isText = false }: CsvOptions = {}) {
    this.#separator = separator
    this.#isText = isText
  }

  /** The names of a table of this service. */
  get isOwn(): boolean {
    return this.#isOwn
  }

  /** What ends with this line. It has no line feed; a carriage return at its end belongs to that. */
  take(line: string): readonly (CsvRecord | CsvFault)[] {
    this.#line++
    return this.#takeAll([line], false)
  }

  /** The text has ended. */
  end(): readonly (CsvRecord | CsvFault)[] {
    return this.#open === null ? [] : this.#takeAll([], true)
  }

  /** Takes lines, the last of which is the current one, and lines again that a broken quote had swallowed. */
  #takeAll(given: readonly string[], isEnd: boolean): (CsvRecord | CsvFault)[] {
    const found: (CsvRecord | CsvFault)[] = []
    let lines = given
    for (let at = 0; ; at++) {
      const line = lines[at]
      const broken: OpenRecord | null =
        line === undefined
          ? isEnd
            ? this.#open
            : null
          : this.#takeLine(line, this.#line - lines.length + at + 1, found)
      if (line === undefined && broken === null) return found
      if (broken === null) continue
      this.#open = null
      const quoteLine = broken.line + broken.quoteIn
      const example = cutText(broken.lines[0] as string, EXAMPLE_CHARS)
      found.push({ line: broken.line, problem: `a quote that opens in line ${quoteLine} is not closed`, example })
      lines = [...broken.lines.slice(broken.quoteIn + 1), ...lines.slice(at + 1)]
      at = -1
    }
  }

  /** Takes a line; gives the open record if its quote is broken. */
  #takeLine(given: string, number: number, found: (CsvRecord | CsvFault)[]): OpenRecord | null {
    const open = this.#open
    const line = given.endsWith('\r') ? given.slice(0, -1) : given
    if (open === null && line === '') return null
    if (this.#columns === null && open === null) {
      const named = SEPARATOR_LINE.exec(line)?.[1]
      if (named !== undefined) {
        this.#separator ??= named
        return null
      }
      this.#separator ??= separatorOf(line)
    }
    const record = open ?? { line: number, lines: [], cells: [], cell: '', quoteIn: 0 }
    record.lines.push(given)
    const end = this.#cellsOf(line, record, open !== null)
    if (end === 'broken') return record
    if (end === 'open') {
      this.#open = record
      return record.cell.length > CELL_CHARS_MAX ? record : null
    }
    this.#open = null
    if (this.#columns === null) this.#columns = this.#columnsOf(record.cells)
    else {
      const event = this.#eventOf(record, this.#columns)
      if (event !== null) found.push(event)
    }
    return null
  }

  /** Adds the cells of a line to a record. */
  #cellsOf(line: string, record: OpenRecord, isOpen: boolean): 'ended' | 'open' | 'broken' {
    const by = this.#separator as string
    const { cells } = record
    if (!isOpen && !line.includes('"')) {
      cells.push(...line.split(by))
      return 'ended'
    }
    let at = 0
    let quoted = isOpen
    for (;;) {
      if (!quoted) {
        const start = this.#afterBlanks(line, at)
        if (line[start] === '"') {
          quoted = true
          record.cell = ''
          record.quoteIn = record.lines.length - 1
          at = start + 1
        } else {
          const next = line.indexOf(by, at)
          cells.push(line.slice(at, next < 0 ? undefined : next))
          if (next < 0) return 'ended'
          at = next + by.length
          continue
        }
      }
      const end = line.indexOf('"', at)
      if (end < 0) {
        const isExact = this.#isOwn && record.lines.at(-1) !== line
        record.cell += `${line.slice(at)}${isExact ? '\r\n' : '\n'}`
        return 'open'
      }
      record.cell += line.slice(at, end)
      if (line[end + 1] === '"') {
        record.cell += '"'
        at = end + 2
        continue
      }
      const next = endQuoted(line, end + 1, by, record)
      if (next === 'broken') return 'broken'
      quoted = false
      if (next < 0) return 'ended'
      at = next + by.length
    }
  }

  #afterBlanks(line: string, from: number): number {
    let at = from
    while (line[at] === ' ' || (line[at] === '\t' && this.#separator !== '\t')) at++
    return at
  }

  #columnsOf(record: readonly string[]): Column[] {
    const given = record.map((name) => name.replace(/^\uFEFF/, '').trim())
    this.#isOwn = ownSigns.every((name) => given.includes(name))
    const seen = new Set<string>(this.#isOwn ? ['@timestamp'] : [])
    const names = given.map((name, at) => {
      const own = this.#isOwn && given.indexOf(name) === at ? ownColumns.get(name) : undefined
      if (own !== undefined) return { name: own, isId: name === 'event_id' }
      return { name: this.#isOwn ? name : this.#freeName(name, given, seen), isId: false }
    })
    const all = new Set(names.map(({ name }) => name))
    return names.map(({ name, isId }, at) => ({
      path: name === '' ? null : wayOf(name, all),
      isId,
      isNameless: given[at] === '',
    }))
  }

  #freeName(name: string, given: readonly string[], seen: Set<string>): string {
    let free = name
    for (let n = 2; name !== '' && (seen.has(free) || (n > 2 && given.includes(free))); n++) free = `${name}_${n}`
    if (free !== name) this.renamed.push(free)
    seen.add(free)
    return free
  }

  #eventOf({ line, lines, cells }: OpenRecord, columns: readonly Column[]): CsvRecord | CsvFault | null {
    const event = Object.create(null) as CsvEvent
    let isEmpty = true
    let id: string | null = null
    // Separators behind the last value are no values.
    if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell !== '')) {
      const problem = `it has ${cells.length} values, and the first line has ${columns.length} names`
      return { line, problem, example: cutText(lines.join('\n'), EXAMPLE_CHARS) }
    }
    for (let at = 0; at < cells.length; at++) {
      const cell = cells[at] as string
      const column = columns[at]
      if (cell === '' || column === undefined) continue
      const text = this.#isOwn ? withoutGuard(cell) : cell
      if (column.isId) id = text
      if (column.isNameless)
        this.nameless = { count: (this.nameless?.count ?? 0) + 1, example: this.nameless?.example ?? cell }
      if (column.path === null) continue
      putAt(event, column.path, this.#isText ? text : this.#isOwn ? ownValue(text) : cellValue(text))
      isEmpty = false
    }
    return isEmpty && id === null ? null : { line, event, id }
  }
}
