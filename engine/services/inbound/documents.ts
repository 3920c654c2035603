/**
 * The documents in the body of a webhook: JSON documents (domain/event/input/documents.ts), a form with the field
 * `payload`, or lines of text.
 *
 * 1. What is in the body decides, not the content type: senders often name none, or a wrong one. Its charset counts.
 * 2. A line that is no JSON, in a body that does not begin as JSON, is a document `{message}`; the formats of lines
 *    read that.
 * 3. The text is counted before it is parsed, because each value and each new name cost time.
 * 4. A document that cannot be read is told, and does not keep the others away.
 */
import { limits } from '../../limits.js'
import { Refusal } from '../../errors.js'
import { documentsIn, parsed, type BrokenDocument } from '../../domain/event/input/documents.js'
import { exactTextOf, isUtf8, oddPlaceOf, textOf, UnknownCharset, utf8Of } from '../../domain/event/input/text-bytes.js'
import type { RepeatedKey } from '../../domain/event/input/repeated-key.js'
import { isJsonObject } from '../../domain/event/json.js'
import { hasMoreNames } from '../../domain/event/json-names.js'
import { valuesMaxOf } from '../../domain/event/json-size.js'
import type { DocumentJson } from './formats/format.js'

/** Events of one webhook. */
export const EVENTS_MAX = 10_000

const VALUES_MAX = valuesMaxOf(limits.webhookBytesMax)
const FORM = 'payload='
const [LOOKED_AT, SPACE] = [200, 0x20]

/** A document of a webhook. */
export interface WebhookDocument {
  /** Its place among the documents, from 0 on. */
  readonly place: number
  readonly value: unknown
  /** As it is with a character for each byte that is not UTF-8; null for one that has no such bytes. */
  readonly exact: (() => unknown) | null
  /** A key that was given twice. */
  readonly repeated?: RepeatedKey | null
}

export interface WebhookBody {
  readonly documents: readonly WebhookDocument[]
  readonly broken: readonly BrokenDocument[]
  /** The first place of bytes that are not of the charset; null if there is none. */
  readonly oddPlace: string | null
}

/** @throws Refusal invalid_json if nothing of it can be read, body_too_large. */
export function documentsOf(body: Uint8Array, charset = ''): WebhookBody {
  const whole = inUtf8(body, charset)
  const content = formIn(whole.bytes) ?? whole.bytes
  const text = textOf(content)
  const oddPlace = whole.isOdd || !isUtf8(content) ? oddPlaceOf(text) : null
  const first = /[^\s\0\x1e\ufeff]/.exec(text)?.[0]
  if (first === undefined) return { documents: [], broken: [], oddPlace }
  if (first === '{' || first === '[') return { ...jsonIn(content, text), oddPlace }
  const scalar = parsed(text)
  if ('value' in scalar)
    return {
      documents: [{ place: 0, value: scalar.value, exact: null, repeated: scalar.repeated }],
      broken: [],
      oddPlace,
    }
  return { documents: linesIn(content), broken: [], oddPlace }
}

function inUtf8(body: Uint8Array, charset: string): ReturnType<typeof utf8Of> {
  try {
    return utf8Of(body, charset)
  } catch (error) {
    if (error instanceof UnknownCharset) throw new Refusal('invalid_json', `${error.message}: send UTF-8`)
    throw error
  }
}

function formIn(bytes: Uint8Array): Uint8Array | null {
  const start = textOf(bytes.subarray(0, LOOKED_AT)).trimStart()
  if (!start.startsWith(FORM)) return null
  return Buffer.from(new URLSearchParams(textOf(bytes).trim()).get('payload') ?? '')
}

function jsonIn(bytes: Uint8Array, text: string): Omit<WebhookBody, 'oddPlace'> {
  if (hasMoreNames(text, limits.bodyNamesMax))
    throw new Refusal('body_too_large', `a webhook has at most ${limits.bodyNamesMax} different field names`)
  const bounds = { depthMax: limits.bodyDepthMax, documentsMax: EVENTS_MAX, valuesMax: VALUES_MAX }
  const { documents, broken, values } = documentsIn(bytes, bounds)
  if (values > VALUES_MAX) throw new Refusal('body_too_large', `a webhook has at most ${VALUES_MAX} values`)
  if (documents.length + broken.length > EVENTS_MAX) throw tooMany()
  const [first] = broken
  if (documents.length === 0 && first !== undefined)
    throw new Refusal('invalid_json', `nothing of the body can be read. Line ${first.line}: ${first.problem}`)
  return {
    documents: documents.map(({ value, number, isOdd, exact, repeated }) => ({
      place: number - 1,
      value,
      repeated,
      exact: isOdd ? exact : null,
    })),
    broken,
  }
}

/** Lines of text. One that is a JSON object is that. */
function linesIn(bytes: Uint8Array): WebhookDocument[] {
  const isWhole = isUtf8(bytes)
  const lines = lineTexts(textOf(bytes))
  if (lines.length > EVENTS_MAX) throw tooMany()
  const exact = isWhole ? null : lineTexts(exactTextOf(bytes))
  return lines.map((line, place) => ({
    place,
    ...lineValue(line),
    exact: exact === null ? null : () => lineValue(exact[place] ?? line).value,
  }))
}

function lineTexts(text: string): string[] {
  return text
    .split(/[\n\r\0]/)
    .map(withoutBlanks)
    .filter((line) => line !== '')
}

/** Without blanks of ASCII around it: lines must be the same in each decoding. */
function withoutBlanks(line: string): string {
  let [start, end] = [0, line.length]
  while (start < end && line.charCodeAt(start) <= SPACE) start++
  while (end > start && line.charCodeAt(end - 1) <= SPACE) end--
  return line.slice(start, end)
}

function lineValue(line: string): Pick<WebhookDocument, 'value' | 'repeated'> {
  const read = line.startsWith('{') ? parsed(line) : null
  return read !== null && 'value' in read ? read : { value: { message: line } }
}

/** A value as a document: what is no object is its message. */
export function objectOf(value: unknown): DocumentJson {
  return isJsonObject(value) ? value : { message: value }
}

export function tooMany(): Refusal {
  return new Refusal('body_too_large', `a webhook has at most ${EVENTS_MAX} events: send fewer at once`)
}
