/** A note that is being written: it outlives a sign-in at the provider, which loads the page anew. */
import { session } from './api.js'

interface Draft {
  readonly user: string
  readonly jobId: number
  readonly eventIds: readonly string[]
  readonly text: string
}

const STORED = 'note'

function stored(): Draft | null {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? 'null') as Draft | null
  } catch {
    return null
  }
}

/** The note that this person was writing on events of the job; null: none. */
export function draftOf(jobId: number): Pick<Draft, 'eventIds' | 'text'> | null {
  const draft = stored()
  return draft?.jobId === jobId && draft.user === session.peek()?.name ? draft : null
}

/** The text of a note on these events that was not saved. */
export function draftText(jobId: number, eventIds: readonly string[]): string {
  const draft = draftOf(jobId)
  return draft?.eventIds.join() === eventIds.join() ? draft.text : ''
}

export function keepDraft(jobId: number, eventIds: readonly string[], text: string): void {
  try {
    if (text.trim() === '') sessionStorage.removeItem(STORED)
    else sessionStorage.setItem(STORED, JSON.stringify({ user: session.peek()?.name ?? '', jobId, eventIds, text }))
  } catch {
    // It ends with the page.
  }
}
