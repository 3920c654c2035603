/**
 * Events in wire form. These answers are the most frequent, so they are written as bytes directly, without a serializer
 * and without an intermediate string.
 *
 * The field names are those of schemas/events.ts; a test parses each answer and validates it against its schema.
 */
import { isoMicros, type EventView, type Refusal, type Stored } from '../../engine/index.js'
import { statusOf } from '../http/error-reply.js'

/** Most bytes of an answer without its strings, and of one UTF-16 unit in a string. */
const FIXED_BYTES = 512
const UNIT_BYTES = 6
/** Most middle parts that are cached. */
const MIDDLES_MAX = 4_096
const [QUOTE, BACKSLASH, SPACE, DELETE, ZERO, COLON, DOT, CODE_Z] = [0x22, 0x5c, 0x20, 0x7f, 0x30, 0x3a, 0x2e, 0x5a]

const head = Buffer.from('{"event_id":')
const job = Buffer.from(',"job_id":')
const time = Buffer.from(',"ingest_timestamp":"')

/** Buffer for answers: each is written and sent within one call. */
const memory = Buffer.allocUnsafeSlow(16 * 1024)
/** Views of the first n bytes of the buffer, by n: answers have few lengths. */
const firstBytes: Uint8Array[] = []

/** Most bytes that an answer to this event needs. */
export function answerRoom({ eventId, result, resultLabel, errorMessage }: EventView): number {
  return FIXED_BYTES + UNIT_BYTES * (eventId.length + result.length + resultLabel.length + (errorMessage?.length ?? 0))
}

/**
 * The part of an answer between ingest time and confidence. There are few different ones, so they are cached as bytes.
 */
class Middles {
  readonly #text: (view: EventView) => string
  /** By result, by label, by `placeOf`. */
  readonly #known = new Map<string, Map<string, Buffer[]>>()
  #size = 0

  constructor(text: (view: EventView) => string) {
    this.#text = text
  }

  of(view: EventView): Buffer {
    if (view.errorMessage !== null) return Buffer.from(this.#text(view))
    let byLabel = this.#known.get(view.result)
    if (byLabel === undefined) this.#known.set(view.result, (byLabel = new Map()))
    let middles = byLabel.get(view.resultLabel)
    if (middles === undefined) byLabel.set(view.resultLabel, (middles = []))
    const place = placeOf(view)
    return middles[place] ?? this.#add(middles, place, view)
  }

  #add(middles: Buffer[], place: number, view: EventView): Buffer {
    const middle = Buffer.from(this.#text(view))
    if (++this.#size > MIDDLES_MAX) {
      this.#known.clear()
      this.#size = 0
    } else middles[place] = middle
    return middle
  }
}

const passages: readonly EventView['autonomy'][] = ['none', 'settled', 'review', 'audit']

/** A number from 0 for autonomy, bucket state, outlier and status. */
function placeOf({ bucketState, outlier, status, autonomy }: EventView): number {
  const state = bucketState === 'new' ? 0 : bucketState === 'pending' ? 1 : bucketState === 'in_knowledge_base' ? 2 : 3
  return passages.indexOf(autonomy) * 16 + state * 4 + (outlier ? 2 : 0) + (status === 'OK' ? 1 : 0)
}

function decisionText({ status, result, resultLabel }: EventView): string {
  return `","status":"${status}","result":${JSON.stringify(result)},"result_label":${JSON.stringify(resultLabel)},`
}

/** Without a safety contract the field is absent. */
function standingText({ bucketState, outlier, autonomy }: EventView): string {
  const passage = autonomy === 'none' ? '' : `"autonomy":"${autonomy}",`
  return `${passage}"bucket_state":"${bucketState}","outlier":${outlier},"confidence_score":`
}

function errorText({ errorMessage }: EventView): string {
  return `"error_message":${JSON.stringify(errorMessage)}`
}

/** The state of a bucket under both its names: exports and filters have the second. */
const eventMiddles = new Middles(
  (view) =>
    `${decisionText(view)}${errorText(view)},"knowledge_base_state":"${view.bucketState}",${standingText(view)}`,
)
const lineMiddles = new Middles((view) => `${decisionText(view)}${standingText(view)}`)
const eventEnd = Buffer.from('}')
/** By what became of the event: most are new, and their lines do not say so. */
const lineEnds = {
  new: Buffer.from(',"error_message":null}\n'),
  replaced: Buffer.from(',"error_message":null,"stored":"replaced"}\n'),
  same: Buffer.from(',"error_message":null,"stored":"same"}\n'),
} as const

const ingestedEnd = Buffer.from('","status":"pending_inference","error_message":null}')
const ingestedEmptyEnd = Buffer.from('","status":"pending_inference","error_message":""}')

/**
 * The answer to a new event. Its status is always pending, even if the event is already decided (CONTRACT.md#events).
 * Valid until the next call.
 */
export function ingestedBytes(view: EventView, emptyErrorMessage: boolean): Uint8Array {
  return whole(view, (out, at) =>
    put(out, putStart(out, at, view, true), emptyErrorMessage ? ingestedEmptyEnd : ingestedEnd),
  )
}

/** The answer to GET. Valid until the next call. */
export function eventBytes(view: EventView): Uint8Array {
  return whole(view, (out, at) =>
    put(out, putDecision(out, putStart(out, at, view, false), eventMiddles, view), eventEnd),
  )
}

/** Writes the result line of an event at `at` and returns where it ends. The caller has left `answerRoom` bytes. */
export function putResultLine(out: Buffer, at: number, view: EventView, stored: Stored): number {
  const end = view.errorMessage === null ? lineEnds[stored] : Buffer.from(`,${errorText(view)}}\n`)
  return put(out, putDecision(out, putStart(out, at, view, true), lineMiddles, view), end)
}

/** The result line of a refused event; `jobId` if it was read before the refusal. */
export function refusedLine(refusal: Refusal, jobId: number | null): Buffer {
  const place = jobId === null ? '' : `,"job_id":${jobId}`
  return Buffer.from(
    `{"status":"ERROR","status_code":${statusOf[refusal.code]}${place},"error":${JSON.stringify(refusal.message)}}\n`,
  )
}

function whole(view: EventView, fill: (out: Buffer, at: number) => number): Uint8Array {
  const room = answerRoom(view)
  if (room > memory.length) {
    const out = Buffer.allocUnsafeSlow(room)
    return out.subarray(0, fill(out, 0))
  }
  const bytes = fill(memory, 0)
  return (firstBytes[bytes] ??= new Uint8Array(memory.buffer, 0, bytes))
}

/** Writes the id, the job if `withJob`, and the ingest time without its closing quote. */
function putStart(out: Buffer, at: number, { eventId, jobId, ingestMicros }: EventView, withJob: boolean): number {
  at = putText(out, put(out, at, head), eventId)
  if (withJob) at = putInteger(out, put(out, at, job), jobId)
  return putTime(out, put(out, at, time), ingestMicros)
}

/** Writes everything from after the ingest time up to the confidence. */
function putDecision(out: Buffer, at: number, middles: Middles, view: EventView): number {
  return putHundredths(out, put(out, at, middles.of(view)), Math.round(view.confidenceScore * 100))
}

/** Copies bytes. Short pieces are copied in a loop, which costs less than a call. */
function put(out: Buffer, at: number, bytes: Uint8Array): number {
  const { length } = bytes
  if (length > 64) out.set(bytes, at)
  else for (let i = 0; i < length; i++) out[at + i] = bytes[i] as number
  return at + length
}

/** Writes a string as JSON. The loop handles ids that need no escapes and are ASCII; others are serialized. */
function putText(out: Buffer, at: number, text: string): number {
  const { length } = text
  out[at] = QUOTE
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < SPACE || unit >= DELETE || unit === QUOTE || unit === BACKSLASH)
      return at + out.write(JSON.stringify(text), at, 'utf8')
    out[at + 1 + i] = unit
  }
  out[at + 1 + length] = QUOTE
  return at + 2 + length
}

function putInteger(out: Buffer, at: number, value: number): number {
  let digits = 1
  for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits++
  return putDigits(out, at, value, digits)
}

/** Writes a number given in hundredths, without trailing zeros. */
function putHundredths(out: Buffer, at: number, hundredths: number): number {
  const whole = Math.floor(hundredths / 100)
  const rest = hundredths - whole * 100
  const end = putInteger(out, at, whole)
  if (rest === 0) return end
  out[end] = DOT
  return rest % 10 === 0 ? putDigits(out, end + 1, rest / 10, 1) : putDigits(out, end + 1, rest, 2)
}

/** Writes the last `digits` digits of a whole number. */
function putDigits(out: Buffer, at: number, value: number, digits: number): number {
  const end = at + digits
  let rest = value
  for (let i = end - 1; i >= at; i--) {
    const next = Math.floor(rest / 10)
    out[i] = ZERO + rest - next * 10
    rest = next
  }
  return end
}

const [MICROS, DAY_SECONDS] = [1_000_000, 86_400]
/** The latest day written: as days since 1970, and as text with the T. */
let lastDay = -1
let lastDate = Buffer.alloc(0)

/** Writes a time as `isoMicros` does. */
function putTime(out: Buffer, at: number, micros: number): number {
  const second = Math.floor(micros / MICROS)
  const day = Math.floor(second / DAY_SECONDS)
  if (day !== lastDay) {
    lastDay = day
    lastDate = Buffer.from(`${isoMicros(micros).split('T', 1)[0]}T`)
  }
  const ofDay = second - day * DAY_SECONDS
  let end = put(out, at, lastDate)
  end = putDigits(out, end, (ofDay / 3600) | 0, 2)
  out[end++] = COLON
  end = putDigits(out, end, ((ofDay / 60) | 0) % 60, 2)
  out[end++] = COLON
  end = putDigits(out, end, ofDay % 60, 2)
  out[end++] = DOT
  end = putDigits(out, end, micros - second * MICROS, 6)
  out[end++] = CODE_Z
  return end
}
