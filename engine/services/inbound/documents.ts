/**
 * The documents in the body of a webhook: one JSON document, several one after another or in an array, a form with the
 * field `payload`, or lines of text.
 *
 * 1. What is in the body decides, not the content type: senders often name none, or a wrong one.
 * 2. A line that is no JSON is a document `{message}`; the formats of lines read that.
 * 3. The text is counted before it is parsed, because each value and each new name cost time.
 */
import { limits } from '../../limits.js'
import { Refusal } from '../../errors.js'
import { hasMoreNames } from '../../domain/event/json-names.js'
import { jsonSize, valuesMaxOf } from '../../domain/event/json-size.js'
import type { Json } from './formats/format.js'
import { isObject } from './formats/format.js'

/** Events of one webhook. */
export const EVENTS_MAX = 10_000

const VALUES_MAX = valuesMaxOf(limits.webhookBytesMax)

/** @throws Refusal invalid_json, body_too_large, invalid_body. */
export function documentsIn(body: Uint8Array): readonly Json[] {
  const text = decoded(body).trim()
  if (text === '') return []
  const content = text.startsWith('payload=') ? (new URLSearchParams(text).get('payload') ?? '').trim() : text
  const values = /^[[{]/.test(content) ? jsonValues(content) : lines(content)
  const documents = values.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [value]))
  if (documents.length > EVENTS_MAX)
    throw new Refusal('body_too_large', `a webhook has at most ${EVENTS_MAX} events: send fewer at once`)
  return documents.map((document, n) => objectOf(document, n))
}

function decoded(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new Refusal('invalid_json', 'the body is not UTF-8')
  }
}

/** An element of a list as a document. */
export function objectOf(value: unknown, n: number): Json {
  if (isObject(value)) return value
  if (typeof value === 'string') return { message: value }
  const [loc, msg] = [['body', n], 'must be an object']
  throw new Refusal('invalid_body', `the document ${n} is no object`, { issues: [{ loc, msg, type: 'object_type' }] })
}

function jsonValues(text: string): unknown[] {
  const { values, depth } = jsonSize(text, VALUES_MAX)
  if (values > VALUES_MAX) throw new Refusal('body_too_large', `a webhook has at most ${VALUES_MAX} values`)
  if (hasMoreNames(text, limits.bodyNamesMax))
    throw new Refusal('body_too_large', `a webhook has at most ${limits.bodyNamesMax} different field names`)
  if (depth > limits.bodyDepthMax) throw new Refusal('event_too_deep', `at most ${limits.bodyDepthMax} levels are read`)
  try {
    return [JSON.parse(text)]
  } catch {
    return nonBlank(text).map(parsedLine)
  }
}

function parsedLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new Refusal('invalid_json', 'the body is neither JSON nor lines of JSON')
  }
}

function lines(text: string): unknown[] {
  return nonBlank(text).map((line) => ({ message: line }))
}

function nonBlank(text: string): string[] {
  const found = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (found.length > EVENTS_MAX)
    throw new Refusal('body_too_large', `a webhook has at most ${EVENTS_MAX} events: send fewer at once`)
  return found
}
