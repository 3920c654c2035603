/**
 * Historic events with their labels, which a client sends to begin with (C2.2).
 *
 * Owns: checking the whole document before any of it is stored. Leaves out: storing (event-intake.ts).
 */
import { cutText } from '../domain/event/input/cut-text.js'
import { oddPlaceOf } from '../domain/event/input/text-bytes.js'
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'
import { mustNameJob, readEnvelope, type Envelope } from '../domain/event/envelope.js'
import { writeJson } from '../domain/event/json.js'
import { hasMoreNames } from '../domain/event/json-names.js'
import { hasMoreValues, valuesMaxOf } from '../domain/event/json-size.js'
import type { Label } from '../domain/job/job.js'
import { resolveLabel } from '../domain/job/labels.js'
import type { FeedbackInput } from '../api/decision-service.js'
import { pack } from '../store/pack.js'
import { parseJson, type OnRepeated } from '../domain/event/json.js'

export interface HistoricEvent {
  readonly envelope: Envelope
  readonly feedback: FeedbackInput | null
}

/** The analyst of a vote that names nobody. */
const NOBODY = 'historic'

/**
 * Parses `{count, events: [...]}` for a job. `repeated` as parseJson.
 * @throws Refusal invalid_json, invalid_body, body_too_large, unknown_label, number_too_large.
 */
export function parseHistoric(
  text: string,
  sectionNames: readonly string[],
  { id, labels }: { readonly id: number; readonly labels: readonly Label[] },
  repeated?: OnRepeated,
): HistoricEvent[] {
  const valuesMax = valuesMaxOf(limits.bodyBytesMax)
  if (hasMoreValues(text, valuesMax)) throw tooLarge(`a request has at most ${valuesMax} values`)
  if (hasMoreNames(text, limits.itemsNamesMax))
    throw tooLarge(`a request has at most ${limits.itemsNamesMax} different field names`)
  let document: unknown
  try {
    document = parseJson(text, repeated)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal('invalid_json', 'the body is not JSON')
  }
  const events =
    typeof document === 'object' && document !== null ? (document as { events?: unknown }).events : undefined
  if (!Array.isArray(events)) throw invalid(['body', 'events'], 'Input should be an array', 'array_type')
  if (events.length > limits.historicEventsMax) {
    throw tooLarge(`a request has at most ${limits.historicEventsMax} historic events`)
  }
  return events.map((event: unknown, place) => {
    try {
      const envelope = readEnvelope(event, sectionNames)
      mustNameJob(event as Record<string, unknown>, id)
      return { envelope, feedback: readLabel(event, labels) }
    } catch (error) {
      throw atPlace(error, place)
    }
  })
}

/**
 * Checks each event against the bounds of a single one. @throws Refusal as `encode`, or body_too_large, with its place.
 */
export function mustFit(events: readonly HistoricEvent[], encode: (body: Record<string, unknown>) => Uint8Array): void {
  for (const [place, { envelope }] of events.entries()) {
    const { rawBody, extras, eventId } = envelope
    try {
      if (eventId !== null && Buffer.byteLength(eventId) > limits.eventIdBytesMax)
        throw new Refusal('event_id_too_long', `an event id has at most ${limits.eventIdBytesMax} bytes`)
      const bytes = encode(rawBody).length + (extras === null ? 0 : pack(extras).length)
      if (bytes > limits.eventBytesMax)
        throw new Refusal('body_too_large', `an event has at most ${limits.eventBytesMax} bytes`)
    } catch (error) {
      throw atPlace(error, place)
    }
  }
}

/** Stands for bytes that are not UTF-8. */
const REPLACED = '\ufffd'

/** Where a text that is not UTF-8 is odd first, and in how many of its events. */
export interface OddText {
  readonly place: string
  readonly events: number
}

export function oddOf(text: string, events: readonly HistoricEvent[]): OddText {
  const odd = events.filter(({ envelope: { rawBody } }) => writeJson(rawBody).includes(REPLACED)).length
  return { place: oddPlaceOf(text), events: Math.max(1, odd) }
}

/** What clients send for no choice (C3.5). One of them must not cause the whole document to be refused. */
const noChoices: ReadonlySet<unknown> = new Set(['', '<empty>'])

/** The vote, under the field names of feedback, or null where there is none. */
function readLabel(event: unknown, labels: readonly Label[]): FeedbackInput | null {
  const label = (event as { label?: unknown }).label
  if (label === undefined || label === null) return null
  if (typeof label !== 'object') throw invalid(['body', 'label'], 'Input should be an object', 'object_type')
  const {
    cortex_user,
    username,
    feedback: newer,
    label: older,
    closing_notes: closingNotes,
  } = label as Record<string, unknown>
  const given = cortex_user ?? username
  const analyst = typeof given === 'string' ? given.trim() : ''
  const feedback = newer ?? older
  if (feedback === undefined || feedback === null || noChoices.has(feedback)) return null
  if (typeof feedback !== 'string')
    throw invalid(['body', 'label', 'feedback'], 'Input should be a string', 'string_type')
  if (resolveLabel(labels, feedback) === null) {
    throw new Refusal('unknown_label', `unknown label; the labels are ${labels.map(({ name }) => name).join(', ')}`)
  }
  return {
    analyst: analyst === '' ? NOBODY : cutText(analyst, limits.nameCharsMax, ''),
    label: feedback,
    ...(typeof closingNotes === 'string' ? { closingNotes: cutText(closingNotes, limits.textCharsMax) } : {}),
  }
}

function invalid(loc: readonly string[], msg: string, type: string): Refusal {
  return new Refusal('invalid_body', `${loc.join('.')}: ${msg}`, { issues: [{ loc, msg, type }] })
}

function tooLarge(message: string): Refusal {
  return new Refusal('body_too_large', message)
}

/** The same refusal, with the place of the event in its path. */
function atPlace(error: unknown, place: number): unknown {
  if (!(error instanceof Refusal) || error.code === 'unknown_label') return error
  const found = error.context.issues ?? [{ loc: ['raw_body'], msg: error.message, type: error.code }]
  const issues = found.map((issue) => ({
    ...issue,
    loc: ['body', 'events', place, ...issue.loc.filter((part) => part !== 'body' && part !== 'events')],
  }))
  return new Refusal(error.code, `events.${place}: ${issues[0]?.msg ?? error.message}`, { ...error.context, issues })
}
