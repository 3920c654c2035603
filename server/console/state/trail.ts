/**
 * The list that an event was opened from: the page of the event goes on along it, and the list is as it was when
 * somebody comes back.
 */
import { signal } from '@preact/signals'

export interface Trail {
  readonly jobId: number
  /** What the list shows. */
  readonly key: string
  readonly ids: readonly string[]
  /** The event that is shown. */
  readonly at: string
  /** What the page of the list keeps. */
  readonly kept: unknown
}

export const trail = signal<Trail | null>(null)

/** The event before or after this one in the list; null: there is none. */
export function besideOf(jobId: number, eventId: string, by: 1 | -1): string | null {
  const { value } = trail
  const at = value === null || value.jobId !== jobId ? -1 : value.ids.indexOf(eventId)
  return at < 0 ? null : (value?.ids[at + by] ?? null)
}

/** True if the event was opened from a list. */
export function isOnTrail(jobId: number, eventId: string): boolean {
  const { value } = trail
  return value?.jobId === jobId && value.ids.includes(eventId)
}

/** Another event of the list is shown. */
export function moveTo(eventId: string): void {
  if (trail.value !== null) trail.value = { ...trail.value, at: eventId }
}
