/**
 * The events of a file or of a text, as people have them: JSON documents, lists of them, a document that holds a list,
 * CSV, lines of CEF, LEEF and syslog, and what this service has exported (S36, S38, S40).
 *
 * The command line, the console and field statistics read files here, in pieces or at once, so a file means the same to
 * all of them.
 *
 * Owns: what a file is, what in it is an event, what was odd. Leaves out: documents (documents.ts), CSV (csv.ts),
 * lines of logs (line-formats.ts), charsets (text-bytes.ts, text-lines.ts), gzip, and where events go.
 *
 * 1. What is broken is told by its line, and the rest is taken. JSON that is no object is an event `{message}`.
 * 2. A line for this service, a hit of a search engine and an exported event stand for the event that they hold.
 *    Numbers keep their digits.
 * 3. It holds no more than a piece, and the document or the line that it cuts off.
 * 4. Browsers run this, too.
 */
import { isJsonObject, parseJson, writeJson } from '../json.js'
import { eventOfPaths } from './event-of-paths.js'
import { CsvReader, type CsvFault, type CsvRecord } from './csv.js'
import { cutText } from './cut-text.js'
import { DocumentScanner, LineCounter, parsed, placed, type FoundDocument } from './documents.js'
import type { FileFindingKind } from './file-findings.js'
import { formatNames, lineFormatOf, lineParsers, type LineFormat } from './line-formats.js'
import { RepeatedKeys, type RepeatedKey } from './repeated-key.js'
import { charsetOf, isUtf8, oddPlaceOf, textOf, UnknownCharset, Utf8Stream } from './text-bytes.js'
import { TextLines } from './text-lines.js'

export type EventBody = Readonly<Record<string, unknown>>

/** What stands in a file. */
export interface FileEvent {
  /** Its number in the file, from 1 on; what is broken has one, too. */
  readonly number: number
  /** The line that it begins in, from 1 on. */
  readonly line: number
  readonly problem: null
  /** What it stands in. */
  readonly kind: 'event' | 'line' | 'hit' | 'export' | 'message' | 'record'
  /** The id and the job that the file gives it beside the event; undefined for none. */
  readonly id: unknown
  readonly jobId: unknown
  /** What else the file says beside the event: `title`, `severity`. */
  readonly beside: EventBody
  /** The JSON document that it stands in; null for one in a document with others, and for CSV. */
  readonly document: DocumentPlace | null
  /** `isLook`: the event is sent as its document, so that a key which the body has lost is not told. */
  body(isLook?: boolean): EventBody
}

/** What could not be read. */
export interface FileFault {
  readonly number: number
  readonly line: number
  readonly problem: string
  readonly example: string
}

export type FileItem = FileEvent | FileFault

export type FileFormat = 'json' | 'ndjson' | 'csv' | LineFormat

interface DocumentPlace {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
}

/** What was odd in a file, as the warnings of a job say it. */
export interface FileWarning {
  readonly type: FileFindingKind
  readonly msg: string
  readonly action: string
  readonly count: number
  readonly example: string
}

export interface FileOptions {
  /** Default: what the content looks like, and else the name. */
  readonly format?: 'auto' | 'ndjson' | 'csv' | undefined
  /** The name of the file. */
  readonly name?: string | undefined
  /** Of CSV; default: the one in the first line. */
  readonly separator?: string | undefined
  /** Each value of CSV stays text. */
  readonly isText?: boolean | undefined
  /** JSON documents are lines for this service: they are not looked into. */
  readonly areLines?: boolean | undefined
}

/** Nothing more of a file can be read. */
export class FileError extends Error {
  readonly problem: 'no_text' | 'too_long'

  constructor(problem: FileError['problem'], message: string) {
    super(message)
    this.name = 'FileError'
    this.problem = problem
  }
}

/** A document or a line that is longer is no event. */
const LENGTH_MAX = 64 << 20
const DEPTH_MAX = 256
/** Above so many bytes a document that is cut off is looked at again when twice as many are there. */
const PATIENCE_BYTES = 1 << 20
/** So much is looked at to tell what a file is. */
const LOOK_BYTES = 4_096
const EXAMPLE_CHARS = 200
/** A text has none of these; a workbook or an archive has. */
const BINARY = /[\0-\x08\x0e-\x1a]/
/** Names under which a document holds its events. */
const LISTS = ['events', 'alerts', 'records', 'Records', 'value', 'results', 'hits', 'data']
const NOT_TEXT = 'it is no text. Save a table as CSV, and unpack an archive that is no gzip'

export class EventFile {
  readonly #options: FileOptions
  #utf8: Utf8Stream | null = null
  #begun = false
  #start: Uint8Array = new Uint8Array(0)
  #reader: JsonItems | CsvItems | LineItems | null = null

  constructor(options: FileOptions = {}) {
    this.#options = options
  }

  /** What the file is; null while too little of it is known. */
  get format(): FileFormat | null {
    return this.#reader?.format ?? null
  }

  /** What ends in this piece. After the last one nothing more comes. @throws FileError. */
  push(piece: Uint8Array, isLast: boolean): FileItem[] {
    let bytes = joined(this.#start, piece)
    if (!this.#begun) {
      if (bytes.length < 4 && !isLast) {
        this.#start = bytes
        return []
      }
      this.#begun = true
      bytes = this.#withoutMark(bytes, isLast)
      this.#start = new Uint8Array(0)
    } else if (this.#utf8 !== null) bytes = joined(this.#start, this.#utf8.push(piece, isLast))
    if (this.#reader === null) {
      const kind = this.#kindOf(bytes, isLast)
      if (kind === null) {
        this.#start = bytes
        return []
      }
      this.#start = new Uint8Array(0)
      this.#reader =
        kind === 'csv'
          ? new CsvItems(this.#options)
          : kind === 'json'
            ? new JsonItems(this.#options)
            : new LineItems(kind)
    }
    return this.#reader.push(bytes, isLast)
  }

  /** What was odd so far. */
  warnings(): FileWarning[] {
    return this.#reader?.warnings() ?? []
  }

  #withoutMark(bytes: Uint8Array, isLast: boolean): Uint8Array {
    const { charset, start } = charsetOf(bytes)
    if (charset === '') return bytes.subarray(start)
    try {
      this.#utf8 = new Utf8Stream(charset)
    } catch (error) {
      if (error instanceof UnknownCharset) throw new FileError('no_text', NOT_TEXT)
      throw error
    }
    return this.#utf8.push(bytes.subarray(start), isLast)
  }

  /** Null: more must be seen. */
  #kindOf(bytes: Uint8Array, isLast: boolean): 'json' | 'csv' | LineFormat | null {
    const { format = 'auto', name = '', separator } = this.#options
    const text = textOf(bytes.subarray(0, LOOK_BYTES))
    const begins = beginsAsJson(text)
    if (!begins && !isLast && bytes.length < LOOK_BYTES && !TWO_LINES.test(text)) return null
    const isJson =
      format === 'ndjson' ||
      (format === 'auto' && (begins || /\.(json|ndjson|jsonl)(\.gz)?$/i.test(name) || hasJsonBelow(text)))
    if (isJson && (format === 'ndjson' || begins || separator === undefined)) return 'json'
    if (BINARY.test(text)) throw new FileError('no_text', NOT_TEXT)
    if (format !== 'auto' || separator !== undefined) return 'csv'
    return lineFormatOf(text, isLast && bytes.length <= LOOK_BYTES) ?? 'csv'
  }
}

const TWO_LINES = /[^\r\n][\r\n]+[^\r\n]+[\r\n]/
/** What stands before a document. */
const BEFORE = /^[\s\0\x1e,\ufeff]*/

/** True for the beginning of a JSON document with events. */
function beginsAsJson(given: string): boolean {
  const text = given.replace(BEFORE, '')
  return (
    /^[[{]\s*$/.test(text) ||
    /^\{\s*["}]/.test(text) ||
    /^\[\s*(?:[[{"\]\d]|-\d|(?:true|false|null)\s*[,\]])/.test(text)
  )
}

/** A line that is none stands before documents. */
function hasJsonBelow(text: string): boolean {
  const [, second = ''] = text.replace(BEFORE, '').split(/[\r\n]+/)
  return /^\s*\{\s*"/.test(second)
}

/** What was odd: how often, and what was first. */
class Oddity {
  count = 0
  example = ''

  add(example: string): void {
    this.count++
    if (this.count === 1) this.example = cutText(example, EXAMPLE_CHARS)
  }

  warning(type: FileFindingKind, message: (count: string) => string, action: string): FileWarning[] {
    if (this.count === 0) return []
    const { count, example } = this
    return [{ type, msg: message(counted(count, 'event')), action, count, example }]
  }
}

function counted(count: number, word: string): string {
  return count === 1 ? `1 ${word}` : `${count} ${word}s`
}

const plainEvent = {
  kind: 'event',
  problem: null,
  id: undefined,
  jobId: undefined,
  beside: {},
  document: null,
} as const

interface HeldList {
  readonly line: number
  readonly event: FileEvent
  readonly items: readonly unknown[]
}

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are'
}

class JsonItems {
  readonly #scanner = new DocumentScanner(DEPTH_MAX)
  readonly #lines = new LineCounter()
  readonly #odd = new Oddity()
  readonly #oddItems = new Oddity()
  readonly #repeated = new Oddity()
  readonly #pointsOnly = new Oddity()
  #rest: Uint8Array = new Uint8Array(0)
  /** Bytes that must be there before a document that is cut off is looked at again. */
  #wanted = 0
  #number = 0
  #broken = 0
  #firstBroken = ''
  /** The first document holds a list, which counts if no other document comes. */
  #first: HeldList | null = null
  #isList = false
  readonly #signs: readonly string[]
  readonly #areLines: boolean

  constructor({ areLines = false }: FileOptions) {
    this.#areLines = areLines
    this.#signs = areLines ? ['"decision_points"'] : ['"raw_body"', '"_source"', '"decision_points"']
  }

  get format(): 'json' | 'ndjson' {
    return this.#isList ? 'json' : 'ndjson'
  }

  push(piece: Uint8Array, isLast: boolean): FileItem[] {
    const bytes = joined(this.#rest, piece)
    if (bytes.length < this.#wanted && !isLast) {
      this.#rest = bytes
      return []
    }
    const found: FileItem[] = []
    const isWhole = isUtf8Piece(bytes, isLast)
    const scanner = this.#scanner
    for (;;) {
      const document = scanner.next(bytes, isLast)
      if (document === null || document === 'more') break
      if (this.#number === 0 && scanner.isInList) this.#isList = true
      this.#take(bytes, document, isWhole, found)
    }
    // Lines are counted before the bytes go.
    this.#lines.at(bytes, scanner.at)
    this.#lines.moved(scanner.at)
    this.#rest = bytes.slice(scanner.at)
    scanner.moved(scanner.at)
    // What was found goes first.
    if (this.#rest.length > LENGTH_MAX && found.length === 0)
      throw new FileError(
        'too_long',
        `a document from line ${this.#lines.at(this.#rest, 0)} on is longer than any event may be`,
      )
    this.#wanted = this.#rest.length > PATIENCE_BYTES ? 2 * this.#rest.length : 0
    if (isLast && this.#first !== null) this.#endFirst(found)
    return found
  }

  #take(bytes: Uint8Array, place: FoundDocument, isWhole: boolean, found: FileItem[]): void {
    const { start, end } = place
    const line = this.#lines.at(bytes, start)
    const before = this.#first
    if (before !== null) {
      this.#first = null
      found.push(before.event)
    }
    const text = textOf(bytes.subarray(start, end))
    const isOdd = !isWhole && !isUtf8(bytes.subarray(start, end))
    if (isOdd) this.#odd.add(oddPlaceOf(text))
    const number = ++this.#number
    // Only what may hold an event, or is none, is parsed now.
    const isPlain =
      place.problem === null && text.startsWith('{') && !this.#signs.some((sign) => text.includes(sign)) && number > 1
    const read =
      place.problem !== null ? { problem: placed(place.problem, bytes, place) } : isPlain ? null : parsed(text)
    if (read !== null && 'problem' in read) {
      this.#broken++
      if (this.#broken === 1) this.#firstBroken = `line ${line}: ${text}`
      found.push({ number, line, problem: read.problem, example: cutText(text, EXAMPLE_CHARS) })
      return
    }
    // What was counted here is not counted again where it is sent to.
    const document = isOdd && !this.#areLines ? mended(text) : { bytes, start, end }
    const event =
      read === null
        ? { ...plainEvent, number, line, document, body: this.#bodyIn(text) }
        : this.#withRepeated(this.#eventOf(read.value, number, line, document), read.repeated)
    const items = number === 1 && read !== null && !this.#isList ? listIn(read.value) : null
    if (items === null) found.push(event)
    else this.#first = { line, event, items }
  }

  // A body has each key once. So whoever takes the body and not the document loses what a repeated key had before, and
  // is told.

  #bodyIn(text: string): FileEvent['body'] {
    let isTold = false
    return (isLook = false) => {
      const keys = new RepeatedKeys()
      const body = parseJson(text, keys.note) as EventBody
      if (isLook || isTold) return body
      if (keys.finding !== null) this.#tellRepeated(keys.finding)
      isTold = true
      return body
    }
  }

  #withRepeated(event: FileEvent, repeated: RepeatedKey | null): FileEvent {
    if (repeated === null) return event
    let isTold = false
    const body = (isLook = false): EventBody => {
      if (!isTold && !isLook) {
        this.#tellRepeated(repeated)
        isTold = true
      }
      return event.body()
    }
    return { ...event, body }
  }

  #tellRepeated({ field, example }: RepeatedKey): void {
    this.#repeated.add(`${field}: ${example}`)
  }

  #endFirst(found: FileItem[]): void {
    const { line, event, items } = this.#first as HeldList
    this.#first = null
    this.#isList = true
    for (const [at, item] of items.entries()) {
      const one = this.#eventOf(item, at + 1, line, null)
      // A key of the document is told once, with its first event.
      const body = (isLook?: boolean): EventBody => {
        event.body(isLook)
        return one.body()
      }
      found.push(at === 0 ? { ...one, body } : one)
    }
  }

  /** The event in what a document or an item is. */
  #eventOf(value: unknown, number: number, line: number, document: DocumentPlace | null): FileEvent {
    const event = { ...plainEvent, number, line, document }
    if (!isJsonObject(value)) {
      this.#oddItems.add(writeJson(value))
      return { ...event, kind: 'message', body: () => ({ message: value }) }
    }
    const {
      event_id: id,
      job_id: jobId,
      title,
      severity,
      raw_body: body,
      _source: source,
      decision_points: points,
    } = value
    if (isJsonObject(source)) return { ...event, kind: 'hit', body: () => source }
    if (isJsonObject(points) && typeof value.ingest_timestamp === 'string') {
      if (isJsonObject(body)) return { ...event, kind: 'export', id, jobId, body: () => body }
      this.#pointsOnly.add(String(id))
      const own = { '@timestamp': value['@timestamp'], title: title ?? undefined, severity: severity ?? undefined }
      return { ...event, kind: 'export', id, jobId, body: () => eventOfPaths({ ...own, ...points }) }
    }
    if (!isJsonObject(body)) return { ...event, body: () => value }
    const beside = { ...(typeof title === 'string' ? { title } : {}), ...(severity === undefined ? {} : { severity }) }
    return { ...event, kind: 'line', id, jobId, beside, body: () => body }
  }

  warnings(): FileWarning[] {
    return [
      ...this.#odd.warning(
        'invalid_utf8',
        (count) => `${count} had bytes that are not UTF-8. They are stored as U+FFFD.`,
        'Write the file in UTF-8.',
      ),
      ...brokenWarning(this.#broken, 'document', this.#firstBroken),
      ...this.#oddItems.warning(
        'odd_item',
        (count) => `${count} came as something that is no JSON object. Each is stored as \`{"message": ...}\`.`,
        'Write an object for each event.',
      ),
      ...this.#repeated.warning(
        'repeated_key',
        (count) => `${count} had a key twice in one object. The last value counts, the others are lost.`,
        'Write each key once.',
      ),
      ...exportWarning(this.#pointsOnly),
    ]
  }
}

/** A document with U+FFFD for bytes that are not UTF-8. */
function mended(text: string): DocumentPlace {
  const bytes = new TextEncoder().encode(text)
  return { bytes, start: 0, end: bytes.length }
}

function brokenWarning(count: number, word: string, example: string): FileWarning[] {
  if (count === 0) return []
  return [
    {
      type: 'broken_part',
      msg: `${counted(count, word)} could not be read, and ${isOrAre(count)} left out.`,
      action: 'Mend them, and send them again.',
      count,
      example: cutText(example, EXAMPLE_CHARS),
    },
  ]
}

function exportWarning(oddity: Oddity): FileWarning[] {
  return oddity.warning(
    'partial_export',
    (count) => `${count} came from an export with decision points only. Other fields of the events are not in it.`,
    'For whole events, export NDJSON with `raw_body=true`.',
  )
}

class CsvItems {
  readonly format = 'csv'
  readonly #lines = new TextLines()
  readonly #csv: CsvReader
  readonly #pointsOnly = new Oddity()
  #number = 0
  #broken = 0
  #firstBroken = ''

  constructor({ separator, isText }: FileOptions) {
    this.#csv = new CsvReader({ separator, isText })
  }

  push(piece: Uint8Array, isLast: boolean): FileItem[] {
    const found: FileItem[] = []
    for (const line of this.#lines.push(piece, isLast))
      for (const one of this.#csv.take(line)) found.push(this.#itemOf(one))
    if (isLast) for (const one of this.#csv.end()) found.push(this.#itemOf(one))
    if (this.#lines.waiting > LENGTH_MAX) throw new FileError('too_long', 'a line is longer than any event may be')
    return found
  }

  #itemOf(one: CsvRecord | CsvFault): FileItem {
    const number = ++this.#number
    if ('problem' in one) {
      this.#broken++
      if (this.#broken === 1) this.#firstBroken = `line ${one.line}: ${one.example}`
      return { number, ...one }
    }
    const { line, event, id } = one
    if (this.#csv.isOwn) this.#pointsOnly.add(id ?? '')
    return { ...plainEvent, kind: 'record', number, line, id: id ?? undefined, body: () => event }
  }

  warnings(): FileWarning[] {
    const { renamed, nameless } = this.#csv
    const found = charsetWarning(this.#lines)
    found.push(...brokenWarning(this.#broken, 'record', this.#firstBroken))
    if (renamed.length > 0)
      found.push({
        type: 'same_name',
        msg: `${counted(renamed.length, 'column')} had the name of another one. Each is taken under a name of its own.`,
        action: 'Give each column a name of its own.',
        count: renamed.length,
        example: renamed[0] as string,
      })
    if (nameless !== null)
      found.push({
        type: 'no_name',
        msg: `${counted(nameless.count, 'value')} in a column without a name ${isOrAre(nameless.count)} left out.`,
        action: 'Give the column a name.',
        ...nameless,
      })
    return [...found, ...exportWarning(this.#pointsOnly)]
  }
}

function charsetWarning({ odd, isWindows1252 }: TextLines): FileWarning[] {
  if (odd === null) return []
  return [
    {
      type: isWindows1252 ? 'charset' : 'invalid_utf8',
      msg: isWindows1252
        ? `${counted(odd.count, 'line')} had characters that are not UTF-8. They are read as Windows-1252.`
        : `${counted(odd.count, 'line')} had bytes that are not UTF-8. They are stored as U+FFFD.`,
      action: 'If a character looks wrong, save the file in UTF-8.',
      count: odd.count,
      example: cutText(odd.example, EXAMPLE_CHARS),
    },
  ]
}

/** Lines in a format of logs. One that is in another format is an event `{message}`. */
class LineItems {
  readonly format: LineFormat
  readonly #lines = new TextLines()
  readonly #read = new Oddity()
  readonly #others = new Oddity()
  #line = 0
  #number = 0

  constructor(format: LineFormat) {
    this.format = format
  }

  push(piece: Uint8Array, isLast: boolean): FileItem[] {
    const found: FileItem[] = []
    for (const given of this.#lines.push(piece, isLast)) {
      this.#line++
      const line = given.endsWith('\r') ? given.slice(0, -1) : given
      if (line.trim() !== '') found.push(this.#itemOf(line))
    }
    if (this.#lines.waiting > LENGTH_MAX) throw new FileError('too_long', 'a line is longer than any event may be')
    return found
  }

  #itemOf(line: string): FileEvent {
    const read = lineParsers[this.format](line)
    const event = { ...plainEvent, number: ++this.#number, line: this.#line }
    if (read === null) {
      this.#others.add(line)
      return { ...event, kind: 'message', body: () => ({ message: line }) }
    }
    this.#read.add(line)
    return { ...event, kind: 'record', beside: read.beside, body: () => read.document }
  }

  warnings(): FileWarning[] {
    const name = formatNames[this.format]
    return [
      ...charsetWarning(this.#lines),
      ...this.#read.warning(
        'line_format',
        (count) => `${count} came as lines of ${name}, and got the fields of that format.`,
        'If the file is a table, say so with `--format csv`, or give it a line of names.',
      ),
      ...this.#others.warning(
        'odd_item',
        (count) => `${count} came as lines that are not in ${name}. Each is stored as \`{"message": ...}\`.`,
        'Send other lines in a file of their own.',
      ),
    ]
  }
}

/** The list that a document holds, or null. */
function listIn(document: unknown): readonly unknown[] | null {
  if (!isJsonObject(document)) return null
  for (const name of LISTS) {
    const inner = document[name]
    if (Array.isArray(inner)) return inner as unknown[]
    if (name === 'hits' && isJsonObject(inner)) return listIn(inner)
  }
  return null
}

/** True for UTF-8 that may be cut off at the end. */
function isUtf8Piece(bytes: Uint8Array, isLast: boolean): boolean {
  if (isLast) return isUtf8(bytes)
  let end = bytes.length
  while (end > 0 && bytes.length - end < 4 && (bytes[end - 1] as number) >= 0x80) end--
  return isUtf8(bytes.subarray(0, end))
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second
  if (second.length === 0) return first
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

export interface EventText {
  readonly format: FileFormat
  readonly events: readonly FileEvent[]
  readonly faults: readonly FileFault[]
  /** What was odd, also in the bodies that were taken from the events by now. */
  warnings(): readonly FileWarning[]
  /** There are more events than were asked for. */
  readonly isCut: boolean
}

const PIECE_BYTES = 1 << 20

/** The first events of a whole file, `max` at most. @throws FileError. */
export function eventsOfFile(bytes: Uint8Array, max: number, options: FileOptions = {}): EventText {
  const file = new EventFile(options)
  const events: FileEvent[] = []
  const faults: FileFault[] = []
  let isCut = false
  for (let at = 0; at === 0 || at < bytes.length; at += PIECE_BYTES) {
    for (const item of file.push(bytes.subarray(at, at + PIECE_BYTES), at + PIECE_BYTES >= bytes.length)) {
      if (item.problem !== null) faults.push(item)
      else if (events.length < max) events.push(item)
      else isCut = true
    }
    if (isCut) break
  }
  return { format: file.format ?? 'csv', events, faults, warnings: () => file.warnings(), isCut }
}
