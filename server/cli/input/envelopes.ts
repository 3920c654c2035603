/**
 * From events of the input to lines of the stream of events, as bytes. An event is parsed only where its id is in it.
 *
 * 1. Each line that goes out has an event id, so a batch whose answer was lost can be sent again and stores nothing
 *    twice. Where the input has none, the id is that of the run and the number of the event.
 * 2. What the reader gives as a document is one object: it cannot reach into the fields beside it.
 */
import { idAt } from '../../../engine/domain/event/input/answers.js'
import type { FileEvent } from '../../../engine/domain/event/input/event-file.js'
import { textOf } from '../../../engine/domain/event/input/text-bytes.js'
import { parseJson, WrittenNumber, writeJson } from '../../../engine/domain/event/json.js'
import { afterBlanks, eventIdIn } from './id-in-line.js'

type Fields = Readonly<Record<string, unknown>>

export interface EnvelopeOptions {
  /** The job of events that are lines by themselves; without it each line says its job. */
  readonly jobId: number | undefined
  /** Where an event has its id, as a path. */
  readonly idField: string | undefined
  /** Nobody has named the field: an event without an id there gets one. */
  readonly isFound?: boolean | undefined
  readonly run: string
}

/** A line as it is sent: bytes of the input between two texts. */
export interface WrappedLine {
  readonly bytes: Uint8Array
  /** Characters of ASCII alone. */
  readonly before: string
  readonly start: number
  readonly end: number
  readonly after: string
}

/** Why an event is not sent. */
export class RefusedLine extends Error {
  override readonly name = 'RefusedLine'
}

const CLOSE_BRACE = 0x7d

/** The text of what may be an id, or null. */
function idText(value: unknown): string | null {
  if (typeof value === 'number' || value instanceof WrittenNumber) return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value : null
}

/** @throws RefusedLine. */
export function idOf(event: Fields, number: number, { idField, isFound = false, run }: EnvelopeOptions): string {
  const id = idField === undefined ? null : idAt(event, idField)
  if (id === null && (idField === undefined || isFound)) return `${run}-${number}`
  if (id === null) throw new RefusedLine(`it has no id at ${idField}`)
  return id
}

/** How an event of the input is sent. @throws RefusedLine. */
export function envelopeOf(event: FileEvent, options: EnvelopeOptions): WrappedLine | string {
  const { jobId, idField, run } = options
  const { document, kind, number } = event
  if (jobId !== undefined && idField === undefined && kind === 'event' && document !== null) {
    const before = `{"job_id":${jobId},"event_id":"${run}-${number}","raw_body":`
    return { ...document, before, after: '}' }
  }
  if (jobId === undefined && document !== null && kind !== 'export') return ownLine(event, document, options)
  const job = jobId ?? event.jobId
  if (job === undefined) throw new RefusedLine('it has no job_id; name the job with --job')
  const id = ownId(event) ?? idOf(event.body(), number, options)
  return writeJson({ job_id: job, event_id: id, ...event.beside, raw_body: event.body() })
}

/** A line that says its job itself. */
function ownLine(
  event: FileEvent,
  document: NonNullable<FileEvent['document']>,
  options: EnvelopeOptions,
): WrappedLine | string {
  const { bytes, start, end } = document
  const { idField, run } = options
  const own = event.kind === 'message' ? 'none' : eventIdIn(bytes, start, end)
  if (event.kind === 'message') throw new RefusedLine('it is no JSON object')
  if (own === 'text') return { ...document, before: '', after: '' }
  if (own === 'none' && idField === undefined) {
    const isEmpty = bytes[afterBlanks(bytes, start + 1, end)] === CLOSE_BRACE
    const before = `{"event_id":"${run}-${event.number}"${isEmpty ? '' : ','}`
    return { bytes, before, start: start + 1, end, after: '' }
  }
  const line = parseJson(textOf(bytes.subarray(start, end))) as Fields
  if (idText(line.event_id) !== null) return { ...document, before: '', after: '' }
  return writeJson({ ...line, event_id: idOf(Object(line.raw_body) as Fields, event.number, options) })
}

/** The id that the file gives an event; undefined for none. */
export function ownId({ id }: FileEvent): unknown {
  return idText(id) === null ? undefined : id
}
