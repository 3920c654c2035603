/**
 * From lines of the input to lines of the stream of events.
 *
 * 1. Each line that goes out has an event id, so a batch whose answer was lost can be sent again and stores nothing
 *    twice. Where the input has none, the id is that of the run and the number of the line.
 * 2. A line that is no JSON object is not sent, and none can reach into the fields beside it: its braces end where
 *    it ends (one-object.ts).
 */
import { UsageError } from '../failure.js'
import type { Line } from './lines.js'

type Fields = Readonly<Record<string, unknown>>

export interface EnvelopeOptions {
  /** The job of events that are lines by themselves; without it each line says its job. */
  readonly jobId: number | undefined
  /** Where an event has its id, as a path. */
  readonly idField: readonly string[] | undefined
  readonly run: string
}

function objectOf(line: string): Fields | null {
  try {
    const value: unknown = JSON.parse(line)
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : null
  } catch {
    return null
  }
}

function at(event: unknown, path: readonly string[]): unknown {
  // A name with dots is found before a path.
  const whole = Object(event) as Fields
  if (Object.hasOwn(whole, path.join('.'))) return whole[path.join('.')]
  return path.reduce<unknown>(
    (value, name) => (Object.hasOwn(Object(value), name) ? (value as Fields)[name] : undefined),
    event,
  )
}

function idOf(event: Fields, number: number, { idField, run }: EnvelopeOptions): string {
  if (idField === undefined) return `${run}-${number}`
  const id = at(event, idField)
  if ((typeof id === 'string' && id !== '') || typeof id === 'number') return String(id)
  throw new UsageError(`line ${number} has no id at ${idField.join('.')}`)
}

/** The line that is sent for a line of NDJSON; null if it is no JSON object. `line` has no blanks at its ends. */
export function envelopeOf({ text: line, isObject }: Line, number: number, options: EnvelopeOptions): string | null {
  if (!isObject) return null
  const { jobId, idField, run } = options
  if (jobId !== undefined && idField === undefined)
    return `{"job_id":${jobId},"event_id":"${run}-${number}","raw_body":${line}}`
  const event = objectOf(line)
  if (event === null) return null
  if (jobId !== undefined)
    return `{"job_id":${jobId},"event_id":${JSON.stringify(idOf(event, number, options))},"raw_body":${line}}`
  if (typeof event.event_id === 'string') return line
  return JSON.stringify({ ...event, event_id: idOf(Object(event.raw_body) as Fields, number, options) })
}

/** The line that is sent for an event that was no line, as from CSV. */
export function envelopeFor(event: Fields, number: number, options: EnvelopeOptions): string {
  return JSON.stringify({ job_id: options.jobId, event_id: idOf(event, number, options), raw_body: event })
}
