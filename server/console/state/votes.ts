/**
 * Votes on their way to the service.
 *
 * Owns: the queue of votes, what is shown as voted, undo. Leaves out: what a vote changes (the service).
 *
 * 1. A vote is shown at once, and written down in this browser before it is sent. Without a connection it waits, is
 *    shown as waiting, and is sent again: also after the page was closed.
 * 2. Votes are sent one after the other, in the order in which they were given. The same vote sent twice is one vote.
 * 3. Votes wait for the person who gave them. Somebody else who signs in here does not send them.
 * 4. A refused vote is taken out of the queue, and the refusal is said.
 */
import { computed, effect, signal } from '@preact/signals'
import { isTransient, type FeedbackOutcome, type PickedBy } from '../../client/index.js'
import { count, t } from '../texts.js'
import { api, session } from './api.js'
import { store, stored } from './preferences.js'
import { fail, say } from './toasts.js'

export interface Vote {
  readonly user: string
  readonly jobId: number
  readonly eventId: string
  /** Null withdraws. */
  readonly label: string | null
  /** What this person had said of the event before: undo restores it. */
  readonly before: string | null
  readonly scope: 'event' | 'bucket'
  /** What picked the event, where it was asked for. */
  readonly pickedBy?: PickedBy | undefined
  /** True: it takes back another vote, and has no undo of its own. */
  readonly isUndo?: boolean
}

export interface Given {
  readonly label: string | null
  readonly state: 'waiting' | 'given'
  readonly outcome: FeedbackOutcome | null
}

const STORED = 'votes'
const WAITS_MS = [1_000, 2_000, 5_000, 15_000] as const

const queue = signal<readonly Vote[]>(stored<readonly Vote[]>(STORED, []))
/** Votes of this person that have not been sent. */
export const waiting = computed(() => queue.value.filter(({ user }) => user === session.value?.name))
/** What this person voted on since the page was loaded, by `votedKey`. */
export const voted = signal<ReadonlyMap<string, Given>>(new Map())
/** Rises with each vote that the service has taken. */
export const votesTaken = signal(0)

effect(() => store(STORED, queue.value))

export function votedKey(jobId: number, eventId: string): string {
  return `${jobId} ${eventId}`
}

let isSending = false
let failures = 0
let timer: ReturnType<typeof setTimeout> | undefined

function note(vote: Vote, state: Given['state'], outcome: FeedbackOutcome | null): void {
  const all = new Map(voted.value)
  all.set(votedKey(vote.jobId, vote.eventId), { label: vote.label, state, outcome })
  voted.value = all
}

/** Gives a vote. */
export function give(vote: Omit<Vote, 'user'>): void {
  const own: Vote = { ...vote, user: session.value?.name ?? '' }
  queue.value = [...queue.value, own]
  note(own, 'waiting', null)
  void send()
}

function takeBack({ user: _, ...vote }: Vote): void {
  give({ ...vote, label: vote.before, before: vote.label, isUndo: true })
}

function tell(vote: Vote, outcome: FeedbackOutcome): void {
  const n = outcome.applies_to_events
  if (vote.isUndo === true) return say(t('vote.undone'))
  const text = vote.label === null ? t('vote.withdrawn') : count('vote.given', n, { label: vote.label })
  say(text, async () => takeBack(vote))
}

async function sendOne({ jobId, eventId, label, scope, pickedBy }: Vote): Promise<FeedbackOutcome> {
  const place = { job_id: jobId, event_id: eventId, scope }
  if (label === null) return api.withdrawFeedbackByLabel(place, { retries: 0 })
  return api.giveFeedbackByLabel({ ...place, feedback_label: label, picked_by: pickedBy }, { retries: 0 })
}

/** Sends what waits. */
export async function send(): Promise<void> {
  clearTimeout(timer)
  if (isSending) return
  isSending = true
  try {
    for (;;) {
      const [vote] = waiting.value
      if (vote === undefined) return
      try {
        const outcome = await sendOne(vote)
        failures = 0
        queue.value = queue.value.filter((other) => other !== vote)
        note(vote, 'given', outcome)
        votesTaken.value++
        tell(vote, outcome)
      } catch (error) {
        if (session.value == null) return
        if (isTransient(error)) {
          timer = setTimeout(() => void send(), WAITS_MS[Math.min(failures++, WAITS_MS.length - 1)])
          return
        }
        queue.value = queue.value.filter((other) => other !== vote)
        const all = new Map(voted.value)
        all.delete(votedKey(vote.jobId, vote.eventId))
        voted.value = all
        fail(error)
      }
    }
  } finally {
    isSending = false
  }
}

/** Sends what waited when the connection is back, and what an earlier page left. */
export function keepSending(): void {
  addEventListener('online', () => void send())
  effect(() => {
    if (session.value != null && waiting.value.length > 0) void send()
  })
}
