/** Events out of a file or a text, also as gzip. What is an event in it is said in engine/domain/event/input/. */
import {
  eventsOfFile,
  FileError,
  type EventBody,
  type EventText,
  type FileEvent,
  type FileWarning,
} from '../../../../engine/domain/event/input/event-file.js'
import { writeJson } from '../../../../engine/domain/event/json.js'

export type SampleEvent = EventBody

/** The events of a file. */
export interface ReadText extends Omit<EventText, 'events' | 'warnings'> {
  readonly warnings: readonly FileWarning[]
  readonly events: readonly SampleEvent[]
  /** By place: what the file says of the event beside it. */
  readonly beside: readonly Pick<FileEvent, 'id' | 'beside'>[]
}

type Problem = 'no_events' | 'no_fields' | 'bad_json' | 'too_large' | 'no_text' | 'bad_gzip'

/** Why there are no events. Its text is `new_job.<problem>`. */
export class ReadError extends Error {
  readonly problem: Problem
  /** What is wrong with a JSON; else ''. */
  readonly what: string

  constructor(problem: Problem, what = '') {
    super(problem)
    this.problem = problem
    this.what = what
  }
}

/** What a page holds in memory. */
const BYTES_MAX = 64 * 1024 * 1024
const EVENTS_MAX = 200_000
/** What the service looks at. */
const SAMPLE = 2_000
const SAMPLE_CHARS = 6 * 1024 * 1024
/** @throws ReadError. */
export function eventsIn(text: string): ReadText {
  return eventsOf(new TextEncoder().encode(text), '')
}

function eventsOf(bytes: Uint8Array, name: string): ReadText {
  try {
    const found = eventsOfFile(bytes, EVENTS_MAX, { name })
    const events = found.events.map((event) => event.body())
    if (events.length > 0)
      return {
        ...found,
        events,
        warnings: found.warnings(),
        beside: found.events.map(({ id, beside }) => ({ id, beside })),
      }
    const [fault] = found.faults
    throw fault === undefined || found.format === 'csv'
      ? new ReadError('no_events')
      : new ReadError('bad_json', `line ${fault.line}: ${fault.problem}`)
  } catch (error) {
    if (error instanceof FileError) throw new ReadError(error.problem === 'no_text' ? 'no_text' : 'too_large')
    throw error
  }
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<ArrayBuffer> {
  const reader = stream.getReader()
  const pieces: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.length
    if (size > BYTES_MAX) {
      await reader.cancel()
      throw new ReadError('too_large')
    }
    pieces.push(value)
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole.buffer
}

async function unpacked(file: Blob): Promise<ArrayBuffer> {
  try {
    const stream = file.stream().pipeThrough(new DecompressionStream('gzip'))
    return await bytesOf(stream)
  } catch (error) {
    throw error instanceof ReadError ? error : new ReadError('bad_gzip')
  }
}

/** @throws ReadError. */
export async function readFile(file: Blob & { readonly name?: string }): Promise<ReadText> {
  if (file.size > BYTES_MAX) throw new ReadError('too_large')
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  const isGzip = first === 0x1f && second === 0x8b
  const bytes = new Uint8Array(await (isGzip ? unpacked(file) : file.arrayBuffer()))
  return eventsOf(bytes, file.name ?? '')
}

/** Events from all over the file, in its order: as many as the service takes to look at. */
export function sampleOf(events: readonly SampleEvent[]): SampleEvent[] {
  const step = Math.max(1, events.length / SAMPLE)
  const chosen = Array.from(
    { length: Math.min(SAMPLE, events.length) },
    (_, at) => events[Math.floor(at * step)] as SampleEvent,
  )
  const chars = chosen.reduce((sum, event) => sum + writeJson(event).length, 0)
  const every = Math.ceil(chars / SAMPLE_CHARS)
  return every <= 1 ? chosen : chosen.filter((_, at) => at % every === 0)
}
