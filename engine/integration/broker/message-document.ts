/**
 * A message of a broker as documents that become events: one, several, or a list of them (S36, S38).
 *
 * 1. A message is read as every other body is (domain/event/input/documents.ts): a byte order mark, UTF-16, NUL,
 *    several documents, lists. JSON that is no object is taken as `{message}`.
 * 2. What is no JSON is a document of its own that does not fit. The others of the message are taken.
 * 3. A message that is one object goes on as its bytes, and the engine finds what is odd in it. The documents of any
 *    other message are written again, and what is odd in them is told here.
 */
import { contentHash, fittingId, idOfBytes } from '../../domain/event/client-id.js'
import type { Finding } from '../../domain/event/finding.js'
import { documentsIn, type Documents } from '../../domain/event/input/documents.js'
import { utf8Of } from '../../domain/event/input/text-bytes.js'
import { isJsonObject, writeJson } from '../../domain/event/json.js'
import { valuesMaxOf } from '../../domain/event/json-size.js'
import { limits } from '../../limits.js'
import type { SourceDocument } from '../contract.js'
import { misfitOf } from '../document-body.js'

const DOCUMENTS_MAX = 10_000
const VALUES_MAX = valuesMaxOf(limits.eventBytesMax)
const REPLACED = '\ufffd'
/** So that the second document of `a` is not the only one of `a-2`. */
const HASH_CHARS = 10

export interface MessageDocuments {
  readonly documents: readonly SourceDocument[]
  readonly findings: readonly Finding[]
}

/**
 * `place` is unique for the message and never used again; `given` is the id in its header. Bytes that are not UTF-8
 * have their hash; a text that has lost such bytes is no id.
 */
export function documentsOf(place: string, given: string | Uint8Array, body: Uint8Array): MessageDocuments {
  const own =
    typeof given !== 'string' ? idOfBytes(given) : given.includes(REPLACED) || given.trim() === '' ? null : given
  const id = fittingId(own ?? place)
  // Nearly all messages are one object.
  const unfit = misfitOf(body)
  if (unfit === null) return { documents: [{ id, body }], findings: [] }
  const read = readIn(body)
  const all = read === null ? 0 : read.documents.length + read.broken.length
  if (read === null || all === 0) return { documents: [{ id, body, unfit }], findings: [] }
  if (all > DOCUMENTS_MAX || read.values > VALUES_MAX)
    return {
      documents: [{ id, body, unfit: `it has more than ${DOCUMENTS_MAX} events, or ${VALUES_MAX} values` }],
      findings: [],
    }
  const idOf = (number: number): string =>
    all === 1 ? id : fittingId(`${id}-${number}~${contentHash([id, number], HASH_CHARS)}`)
  const odd = read.documents.filter(({ value }) => !isJsonObject(value))
  const documents = [
    ...read.documents.map(({ value, number }) => documentOf(idOf(number), value)),
    ...read.broken.map(({ number, problem, example }) => ({
      id: idOf(number),
      body: Buffer.from(example),
      unfit: all === 1 ? problem : `document ${number} of the message: ${problem}`,
    })),
  ]
  // What is written again has each key once: only here it is known that there were two.
  const findings: Finding[] = read.documents.flatMap(({ repeated }) => repeated ?? [])
  const oddBytes = read.documents.filter(({ isOdd }) => isOdd)
  if (oddBytes.length > 0)
    findings.push({ kind: 'invalid_utf8', field: '', count: oddBytes.length, example: writeJson(oddBytes[0]?.value) })
  if (odd.length > 0)
    findings.push({ kind: 'odd_item', field: '', count: odd.length, example: writeJson(odd[0]?.value) })
  return { documents, findings }
}

function readIn(body: Uint8Array): Documents | null {
  if (body.length > limits.eventBytesMax) return null
  try {
    const { bytes } = utf8Of(body)
    return documentsIn(bytes, { depthMax: limits.bodyDepthMax, documentsMax: DOCUMENTS_MAX, valuesMax: VALUES_MAX })
  } catch {
    // A charset that is not read: UTF-32.
    return null
  }
}

function documentOf(id: string, value: unknown): SourceDocument {
  return { id, body: Buffer.from(writeJson(isJsonObject(value) ? value : { message: value })) }
}
