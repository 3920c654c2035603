/**
 * CSV as in RFC 4180: the first record has the names of the fields. Commas, semicolons, tabs or bars separate cells.
 *
 * The command line, the console and field statistics read it here, so a file means the same to all of them.
 *
 * Owns: records, names and values. Leaves out: where lines come from, and what is done about a fault.
 *
 * 1. A name with dots is a path: `rule.id` becomes `{"rule": {"id": ...}}`. Where `rule` is a column itself, the name
 *    stays as it is. A column without a name is left out. Blanks around a name do not count; two columns of one name
 *    are a fault of the whole text.
 * 2. An empty cell is no field. A record without any field is no event, and no fault.
 * 3. A number that is written as JSON writes it becomes a number, `true` and `false` become booleans. `007` stays text.
 *    Blanks belong to a value.
 * 4. A record with values beyond the names is a fault of that record: what comes after it is read.
 * 5. A quoted cell may have separators, quotes and line breaks in it. Each line break becomes a line feed.
 */

const SEPARATORS = [',', ';', '\t', '|'] as const
/** A cell that is longer has a quote that nobody closed. */
const CELL_CHARS_MAX = 8 << 20
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/

export type CsvEvent = Record<string, unknown>

export interface CsvOptions {
  /** Default: the one in the first line. */
  readonly separator?: string | undefined
  /** Each value stays text. */
  readonly isText?: boolean | undefined
}

export type CsvProblem = 'same_name' | 'too_many_values' | 'open_quote'

/** What is wrong with a record, or with the names: then with all of the text. */
export class CsvError extends Error {
  readonly problem: CsvProblem
  /** The name that two columns have, the number of the record, or that of a line. */
  readonly what: string

  constructor(problem: CsvProblem, what: string, message: string) {
    super(message)
    this.name = 'CsvError'
    this.problem = problem
    this.what = what
  }

  /** Nothing of the text can be read. */
  get isOfAll(): boolean {
    return this.problem === 'same_name'
  }
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

/** Where the value of each column goes; null for a column without a name. @throws CsvError. */
function pathsOf(record: readonly string[]): (readonly string[] | null)[] {
  const names = record.map((name) => name.trim())
  const seen = new Set<string>()
  for (const name of names) {
    if (name !== '' && seen.has(name)) throw new CsvError('same_name', name, `two columns are named ${name}`)
    seen.add(name)
  }
  return names.map((name) => {
    if (name === '') return null
    const path = name.split('.')
    const isPath = !path.includes('') && !path.some((_, at) => at > 0 && seen.has(path.slice(0, at).join('.')))
    return isPath ? path : [name]
  })
}

function put(event: CsvEvent, path: readonly string[], value: unknown): void {
  let at = event
  for (const name of path.slice(0, -1)) {
    // No prototype: a column may be named __proto__.
    at[name] ??= Object.create(null)
    at = at[name] as CsvEvent
  }
  at[path.at(-1) as string] = value
}

/** Takes lines one after the other. */
export class CsvReader {
  readonly #isText: boolean
  #separator: string | undefined
  #paths: (readonly string[] | null)[] | null = null
  #lines = 0
  #records = 0
  /** The cells of a record that has not ended, and the quoted cell that is open at its end. */
  #cells: string[] = []
  #open: string | null = null

  constructor({ separator, isText = false }: CsvOptions = {}) {
    this.#separator = separator
    this.#isText = isText
  }

  /** The event that ends with this line; null where none does. @throws CsvError. */
  take(line: string): CsvEvent | null {
    this.#lines++
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    if (this.#open === null && text === '') return null
    this.#separator ??= separatorOf(text)
    const cells = this.#cellsOf(text, this.#separator)
    if (cells === null) return null
    this.#records++
    if (this.#paths !== null) return this.#eventOf(cells, this.#paths)
    this.#paths = pathsOf(cells)
    return null
  }

  /** The text has ended. @throws CsvError where a quote is open. */
  end(): void {
    if (this.#open === null) return
    this.#open = null
    throw new CsvError('open_quote', 'end', 'a quote is not closed at the end of the input')
  }

  /** The cells of the record that ends with the line; null if a quote is open at its end. */
  #cellsOf(line: string, by: string): string[] | null {
    if (this.#open === null && !line.includes('"')) return line.split(by)
    let at = 0
    if (this.#open === null && line.startsWith('"')) {
      this.#open = ''
      at = 1
    }
    for (;;) {
      if (this.#open === null) at = this.#takeCell(line, at, by)
      else {
        const end = line.indexOf('"', at)
        if (end < 0) return this.#leaveOpen(line.slice(at))
        this.#open += line.slice(at, end)
        if (line[end + 1] === '"') {
          this.#open += '"'
          at = end + 2
          continue
        }
        at = this.#takeCell(line, end + 1, by)
      }
      if (at < 0) {
        const cells = this.#cells
        this.#cells = []
        return cells
      }
      at += by.length
      if (line[at] !== '"') continue
      this.#open = ''
      at++
    }
  }

  /** Ends a cell; what stands between a quote and the separator is kept: some programs write it. */
  #takeCell(line: string, from: number, by: string): number {
    const next = line.indexOf(by, from)
    this.#cells.push((this.#open ?? '') + line.slice(from, next < 0 ? undefined : next))
    this.#open = null
    return next
  }

  #leaveOpen(rest: string): null {
    this.#open += `${rest}\n`
    if ((this.#open as string).length <= CELL_CHARS_MAX) return null
    this.#open = null
    this.#cells = []
    throw new CsvError('open_quote', String(this.#lines), `a quote before line ${this.#lines} is not closed`)
  }

  #eventOf(cells: readonly string[], paths: readonly (readonly string[] | null)[]): CsvEvent | null {
    const event = Object.create(null) as CsvEvent
    let isEmpty = true
    for (let at = 0; at < cells.length; at++) {
      const cell = cells[at] as string
      if (cell === '') continue
      const path = paths[at]
      if (path === undefined) {
        const message = `record ${this.#records} has ${cells.length} fields, the header has ${paths.length}`
        throw new CsvError('too_many_values', String(this.#records), message)
      }
      if (path === null) continue
      put(event, path, this.#isText ? cell : cellValue(cell))
      isEmpty = false
    }
    return isEmpty ? null : event
  }
}
