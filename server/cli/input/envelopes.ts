/**
 * From lines of the input to lines of the stream of events, as bytes. A line is parsed only where its id is in it.
 *
 * 1. Each line that goes out has an event id, so a batch whose answer was lost can be sent again and stores nothing
 *    twice. Where the input has none, the id is that of the run and the number of the line.
 * 2. A line that is no JSON object is not sent, and none can reach into the fields beside it: its braces end where
 *    it ends (one-object.ts).
 */
import { idAt } from '../../../engine/domain/event/input/answers.js'
import { isJsonObject, parseJson, writeJson } from '../../../engine/domain/event/json.js'
import { UsageError } from '../failure.js'
import type { Block } from './lines.js'
import { afterBlanks, eventIdIn, isOneObject } from './one-object.js'

type Fields = Readonly<Record<string, unknown>>

export interface EnvelopeOptions {
  /** The job of events that are lines by themselves; without it each line says its job. */
  readonly jobId: number | undefined
  /** Where an event has its id, as a path. */
  readonly idField: string | undefined
  readonly run: string
}

/** A line as it is sent: bytes of the input between two texts. */
export interface Envelope {
  /** Characters of ASCII alone. */
  readonly before: string
  readonly start: number
  readonly end: number
  readonly after: string
}

const CLOSE_BRACE = 0x7d

function objectOf(line: string): Fields | null {
  try {
    const value = parseJson(line)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

/** @throws UsageError. */
export function idOf(event: Fields, number: number, { idField, run }: EnvelopeOptions): string {
  if (idField === undefined) return `${run}-${number}`
  const id = idAt(event, idField)
  if (id === null) throw new UsageError(`line ${number} has no id at ${idField}`)
  return id
}

/** As JSON, of ASCII alone. */
function asciiJson(text: string): string {
  return JSON.stringify(text).replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** How a line of the input is sent; null if it is no JSON object. It stands from `start` to `end`, without blanks. */
export function envelopeOf(
  block: Block,
  [start, end]: readonly [number, number],
  number: number,
  options: EnvelopeOptions,
): Envelope | string | null {
  if (!isOneObject(block, start, end)) return null
  const { jobId, idField, run } = options
  if (jobId !== undefined && idField === undefined)
    return { before: `{"job_id":${jobId},"event_id":"${run}-${number}","raw_body":`, start, end, after: '}' }
  if (jobId === undefined) {
    const own = eventIdIn(block, start, end)
    if (own === 'text') return { before: '', start, end, after: '' }
    if (own === 'none' && idField === undefined) {
      const isEmpty = block[afterBlanks(block, start + 1, end)] === CLOSE_BRACE
      return { before: `{"event_id":"${run}-${number}"${isEmpty ? '' : ','}`, start: start + 1, end, after: '' }
    }
  }
  const event = objectOf(block.toString('utf8', start, end))
  if (event === null) return null
  if (jobId !== undefined) {
    const id = asciiJson(idOf(event, number, options))
    return { before: `{"job_id":${jobId},"event_id":${id},"raw_body":`, start, end, after: '}' }
  }
  if (typeof event.event_id === 'string') return { before: '', start, end, after: '' }
  return writeJson({ ...event, event_id: idOf(Object(event.raw_body) as Fields, number, options) })
}

/** The line that is sent for an event that was no line, as from CSV. */
export function envelopeFor(event: Fields, number: number, options: EnvelopeOptions): string {
  return writeJson({ job_id: options.jobId, event_id: idOf(event, number, options), raw_body: event })
}
