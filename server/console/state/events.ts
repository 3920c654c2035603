/** Events as pages show them, and what is known of one: the explanation, similar ones, how far a vote reaches. */
import { isTransient, type EventExplanation, type FeedbackReach, type SimilarAnswer } from '../../client/index.js'
import type { QueriedEvent } from '../../client/index.js'
import { api, may, serviceField } from './api.js'

export type { QueriedEvent }

/** Everything about an event that helps to answer. What could not be had is null. */
export interface Known {
  readonly event: QueriedEvent | null
  readonly explanation: EventExplanation | null
  readonly reach: FeedbackReach | null
}

const TITLE_VALUES = 3

/** Characters that turn or hide the text after them: a name such as `exe.png` could be `gnp.exe`. */
const DECEIVING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/** The text with characters that deceive shown by their number. */
export function plainText(text: string): string {
  return text.replace(DECEIVING, (sign) => `⟨U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`)
}

/** A value of an event on one line. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return '—'
  return plainText(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

/** What a title is made from. */
export interface Titled {
  readonly event_id: string
  readonly title?: unknown
  readonly decision_points: Readonly<Record<string, unknown>>
}

/** The title, or the first values at decision points, or the id. */
export function titleOf(event: Titled): string {
  const { title } = event
  if (typeof title === 'string' && title.trim() !== '') return plainText(title)
  const values = Object.values(event.decision_points).filter((value) => value != null)
  return values.length === 0 ? plainText(event.event_id) : values.slice(0, TITLE_VALUES).map(valueText).join(' · ')
}

/** What cannot be had does not keep the rest away; a broken connection does. */
async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (isTransient(error)) throw error
    return null
  }
}

export async function readEvent(jobId: number, eventId: string, signal: AbortSignal): Promise<QueriedEvent | null> {
  const { events } = await api.queryEvents({ body: { job_ids: [jobId], event_ids: [eventId], size: 1 } }, { signal })
  return events[0] ?? null
}

export async function readKnown(jobId: number, eventId: string, signal: AbortSignal): Promise<Known> {
  const place = { job_id: jobId, event_id: eventId }
  const [event, explanation, reach] = await Promise.all([
    readEvent(jobId, eventId, signal),
    may('read:event_export') ? orNull(api.explainEvent(place, { signal })) : null,
    may('write:event_feedback') ? orNull(api.getFeedbackReach(place, { signal })) : null,
  ])
  return { event, explanation, reach }
}

export function readSimilar(jobId: number, eventId: string, signal: AbortSignal): Promise<SimilarAnswer> {
  return api.listSimilarEvents({ job_id: jobId, event_id: eventId, count: 8 }, { signal })
}

/** The filter for events that nobody has voted on. */
export const unvoted = () => ({ field: serviceField('consensus'), operator: 'not exists' })
