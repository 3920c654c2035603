/** Events out of a file or a text, also as gzip. What is an event in it is said in engine/domain/event/input/. */
import { CsvError } from '../../../../engine/domain/event/input/csv.js'
import { eventsOfText, type EventBody, type EventText } from '../../../../engine/domain/event/input/event-text.js'

export type { EventText }
export type SampleEvent = EventBody

type Problem = 'no_events' | 'no_fields' | 'bad_json' | 'too_large' | 'no_text' | 'bad_gzip' | 'same_name'

/** Why there are no events. Its text is `new_job.<problem>`. */
export class ReadError extends Error {
  readonly problem: Problem
  /** The name that two columns have, or what is wrong with a JSON; else ''. */
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
/** A text has none of these; a table or an archive of an office program has. */
const BINARY = /[\0-\x08]/

/** What is wrong with a text that begins as JSON does; null: it is JSON, or means to be something else. */
function notJson(text: string): ReadError | null {
  if (!/^\s*[[{]/.test(text)) return null
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return new ReadError('bad_json', (error as Error).message)
  }
}

/** @throws ReadError. */
export function eventsIn(text: string): EventText {
  try {
    const found = eventsOfText(text, EVENTS_MAX)
    if (found.events.length === 0) throw notJson(text) ?? new ReadError('no_events')
    return found
  } catch (error) {
    throw error instanceof CsvError ? new ReadError('same_name', error.what) : error
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

function textOf(bytes: ArrayBuffer): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!BINARY.test(text.slice(0, 4_096))) return text
  } catch {
    // Said below.
  }
  throw new ReadError('no_text')
}

/** @throws ReadError. */
export async function readFile(file: Blob): Promise<EventText> {
  if (file.size > BYTES_MAX) throw new ReadError('too_large')
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  const isGzip = first === 0x1f && second === 0x8b
  return eventsIn(textOf(await (isGzip ? unpacked(file) : file.arrayBuffer())))
}

/** Events from all over the file, in its order: as many as the service takes to look at. */
export function sampleOf(events: readonly SampleEvent[]): SampleEvent[] {
  const step = Math.max(1, events.length / SAMPLE)
  const chosen = Array.from(
    { length: Math.min(SAMPLE, events.length) },
    (_, at) => events[Math.floor(at * step)] as SampleEvent,
  )
  const chars = chosen.reduce((sum, event) => sum + JSON.stringify(event).length, 0)
  const every = Math.ceil(chars / SAMPLE_CHARS)
  return every <= 1 ? chosen : chosen.filter((_, at) => at % every === 0)
}
