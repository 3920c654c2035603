/**
 * Votes: giving them, sending them, taking them back.
 *
 * Owns: what is shown as voted, and when votes are sent. Leaves out: where they wait (waiting-votes.ts), what a vote
 * changes (the service).
 *
 * 1. A vote is shown at once, and written down in this browser before it is sent. Without a connection it waits, is
 *    shown as waiting, and is sent again: also after the page was closed.
 * 2. Votes are sent one after the other, in the order in which they were given, whichever tab they were given in. Each
 *    has its own time, so the same vote sent twice is one vote, and an older one never beats a newer one.
 * 3. Votes wait for the person who gave them. Somebody else who signs in here does not send them.
 * 4. A refused vote is taken out of the queue, and the refusal is said.
 * 5. A vote that is taken back before it was sent is never sent. Else the service puts what it replaced in its place.
 */
import { computed, effect, signal } from '@preact/signals'
import { isTransient, type FeedbackOutcome, type PickedBy } from '../../client/index.js'
import { count, t } from '../texts.js'
import { api, messageOf, session } from './api.js'
import { serviceNow } from './clock.js'
import { store, stored } from './preferences.js'
import { noteSaid } from './said.js'
import { inTurn, onTold, tellTabs, thisTab } from './tabs.js'
import { done, fail, keepKind, reviveSteps, say, type Step } from './toasts.js'
import { dropVote, keepVotes, lookAgain, waitingVotes, type WaitingVote } from './waiting-votes.js'

export interface Given {
  /** Null: none, or not any more. */
  readonly label: string | null
  readonly state: 'waiting' | 'given'
  readonly outcome: FeedbackOutcome | null
}

const WAITS_MS = [1_000, 2_000, 5_000, 15_000] as const
const SEND_MS = 20_000
/** A vote that is sent so soon did not wait. */
const AT_ONCE_MS = 1_000
/** Where the time of a person's vote that was sent last is kept. */
const LATEST = 'latest-vote '

/** Votes of this person that have not been sent. */
export const waiting = computed(() => waitingVotes.value.filter(({ user }) => user === session.value?.name))
/** What this person voted on since the page was loaded, by `votedKey`. */
export const voted = signal<ReadonlyMap<string, Given>>(new Map())
/** Rises with each vote that the service has taken. */
export const votesTaken = signal(0)
/** The event whose vote was taken back last. */
export const takenBack = signal<{ readonly jobId: number; readonly eventId: string } | null>(null)

export function votedKey(jobId: number, eventId: string): string {
  return `${jobId} ${eventId}`
}

function show({ jobId, eventId }: Pick<WaitingVote, 'jobId' | 'eventId'>, given: Given | undefined): void {
  const all = new Map(voted.value)
  if (given === undefined) all.delete(votedKey(jobId, eventId))
  else all.set(votedKey(jobId, eventId), given)
  voted.value = all
}

/** The event of a vote. */
export interface Subject {
  readonly eventId: string
  readonly title: string
  readonly pickedBy?: PickedBy | undefined
}

/** A vote that was given in this tab, as long as it can be taken back. */
interface Cast extends Pick<WaitingVote, 'id' | 'jobId' | 'eventId' | 'title' | 'label'> {
  /** What was shown of the event before. */
  readonly before?: Given | undefined
  outcome?: FeedbackOutcome
}

/** Votes that were given with one press, and what is said of them when all of them have been sent. */
interface Group {
  readonly step: Step
  readonly casts: readonly Cast[]
  open: number
}

const groups = new Map<string, Group>()
let latestMs = 0
let made = 0

/** The times of votes differ, so that they have an order. */
function timesNow(): Pick<WaitingVote, 'atMs' | 'saidMs'> {
  latestMs = Math.max(latestMs + 1, Date.now())
  return { atMs: latestMs, saidMs: serviceNow() }
}

function nextId(): string {
  return `${thisTab}-${made++}`
}

/** Gives a vote on an event, or with one press on several. */
export function give(jobId: number, label: string, subjects: readonly Subject[]): void {
  const user = session.value?.name ?? ''
  const votes = subjects.map(
    (subject): WaitingVote => ({ ...subject, id: nextId(), user, jobId, ...timesNow(), label }),
  )
  const casts = votes.map((vote): Cast => {
    const { id, eventId, title } = vote
    return { id, jobId, eventId, title, label, before: voted.value.get(votedKey(jobId, eventId)) }
  })
  const step = stepOf(casts)
  const group: Group = { step, casts, open: casts.length }
  for (const vote of votes) {
    groups.set(vote.id, group)
    show(vote, { label, state: 'waiting', outcome: null })
  }
  keepVotes(votes)
  done(step)
  void send()
}

function stepOf(casts: readonly Cast[]): Step {
  // What is shown of votes ends with the page.
  const data = casts.map(({ before: _, ...kept }) => kept)
  return { kept: { kind: 'votes', data }, back: async () => takeBack(casts) }
}

/** What is said when votes have been taken back: by the id of the last word that does so. */
interface Back {
  readonly casts: readonly Cast[]
  /** Votes that had changed since, and stayed. */
  kept: number
}

const backs = new Map<string, Back>()

keepKind('votes', stepOf)

function takeBack(casts: readonly Cast[]): void {
  const user = session.value?.name ?? ''
  const votes = casts.toReversed().map((cast): WaitingVote => {
    const { id, jobId, eventId, title, before } = cast
    show(cast, before ?? { label: null, state: 'waiting', outcome: null })
    return { id: nextId(), user, jobId, eventId, title, ...timesNow(), label: null, takesBack: id }
  })
  const [first] = casts
  if (first !== undefined) takenBack.value = { jobId: first.jobId, eventId: first.eventId }
  backs.set(votes.at(-1)?.id ?? '', { casts, kept: 0 })
  keepVotes(votes)
  void send()
}

function tellGiven({ casts, step }: Group): void {
  const outcomes = casts.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]))
  const [first] = casts
  if (first === undefined || outcomes.length === 0) return
  const later = casts.find(({ outcome }) => outcome?.applied === false)
  if (later !== undefined && casts.length === 1)
    return say(t('vote.later', { title: later.title, label: later.outcome?.vote?.label ?? t('vote.nothing') }))
  const label = first.label ?? ''
  const reach = new Map(outcomes.map((one, at) => [one.bucket_id ?? String(at), one.applies_to_events]))
  const n = [...reach.values()].reduce((sum, events) => sum + events, 0)
  if (casts.length === 1) return say(count('vote.given', n, { label, title: first.title }), step)
  const text = count('vote.given_on', casts.length, { label })
  say(n > casts.length ? `${text} ${count('vote.reach', n)}` : text, step)
}

function tellBack({ casts, kept }: Back, stands: string | null): void {
  const [first] = casts
  if (first === undefined) return
  const { title, label } = first
  if (casts.length > 1) {
    const text = count('vote.undone_on', casts.length - kept)
    return say(kept === 0 ? text : `${text} ${count('vote.undone_kept', kept)}`)
  }
  if (kept > 0) return say(t('vote.undone_not', { title }))
  say(t(stands === null ? 'vote.undone' : 'vote.undone_to', { title, label: label ?? '', earlier: stands ?? '' }))
}

/** A vote has been sent, here or by another tab. */
function sent(vote: WaitingVote, outcome: FeedbackOutcome): void {
  const given: Given = { label: outcome.vote?.label ?? null, state: 'given', outcome }
  // Another vote of the same event waits: that one is shown.
  const isLatest = !waiting.value.some((one) => one.jobId === vote.jobId && one.eventId === vote.eventId)
  if (isLatest) show(vote, given)
  noteSaid(vote.jobId, outcome.bucket_id, vote.eventId, { analyst: vote.user, consensus: outcome.consensus })
  votesTaken.value++
  const group = groups.get(vote.id)
  if (group !== undefined) {
    groups.delete(vote.id)
    const isTakenBack = waiting.value.some(({ takesBack }) => takesBack === vote.id)
    const cast = group.casts.find(({ id }) => id === vote.id)
    if (cast !== undefined) cast.outcome = outcome
    if (--group.open === 0 && !isTakenBack) tellGiven(group)
  }
  if (vote.takesBack === undefined) return
  const back = [...backs.values()].find(({ casts }) => casts.some(({ id }) => id === vote.takesBack))
  if (back !== undefined && !outcome.applied) back.kept++
  closeBack(vote, outcome.vote?.label ?? null)
}

/** Says that votes were taken back, with the last of them; `stands`: what this person says of its event now. */
function closeBack(vote: WaitingVote, stands: string | null): void {
  const back = backs.get(vote.id)
  if (back === undefined) return
  backs.delete(vote.id)
  tellBack(back, stands)
}

/** A vote was taken back before it was sent: the service has never heard of it. */
function droppedUnsent(vote: WaitingVote, back: WaitingVote): void {
  dropVote(vote.id)
  dropVote(back.id)
  const group = groups.get(vote.id)
  groups.delete(vote.id)
  if (group !== undefined) group.open--
  const before = group?.casts.find(({ id }) => id === vote.id)?.before
  show(vote, before)
  closeBack(back, before?.label ?? null)
}

function refused(vote: WaitingVote, error: unknown): void {
  dropVote(vote.id)
  const group = groups.get(vote.id)
  groups.delete(vote.id)
  show(vote, group?.casts.find(({ id }) => id === vote.id)?.before)
  if (group !== undefined && --group.open === 0) tellGiven(group)
  backs.delete(vote.id)
  fail(new Error(t('vote.refused', { title: vote.title, why: messageOf(error) })))
}

/** The time of a vote that had to wait; undefined: it is sent as it is given, and the service knows the time better. */
function timeOf({ saidMs, user, wasSent }: WaitingVote): string | undefined {
  if (wasSent !== true && serviceNow() - saidMs < AT_ONCE_MS) return undefined
  // In the order in which they were given, however well this browser knows the service's time.
  return new Date(Math.max(saidMs, stored(LATEST + user, 0) + 1)).toISOString()
}

async function sendOne(vote: WaitingVote): Promise<FeedbackOutcome> {
  const { id, jobId, eventId, label, pickedBy, takesBack } = vote
  const place = { job_id: jobId, event_id: eventId }
  const how = { retries: 0, signal: AbortSignal.timeout(SEND_MS) }
  if (takesBack !== undefined) return api.undoFeedback({ ...place, body: { vote_id: takesBack } }, how)
  const given = { feedback_label: label ?? '', picked_by: pickedBy, vote_id: id, voted_at: timeOf(vote) }
  const outcome = await api.giveFeedbackByLabel({ ...place, ...given }, how)
  if (outcome.applied && outcome.vote !== null) store(LATEST + vote.user, Date.parse(outcome.vote.voted_at))
  return outcome
}

/** Sends the first vote that waits. False where there is none, or where it has to wait. */
async function sendFirst(): Promise<boolean> {
  lookAgain()
  const [vote] = waiting.value
  if (vote === undefined) return false
  const back = waiting.value.find(({ takesBack }) => takesBack === vote.id)
  if (back !== undefined) {
    // One that may have arrived is not sent again, but taken back.
    if (vote.wasSent === true) dropVote(vote.id)
    else droppedUnsent(vote, back)
    return true
  }
  if (vote.wasSent !== true) keepVotes([{ ...vote, wasSent: true }])
  try {
    const outcome = await sendOne(vote)
    failures = 0
    dropVote(vote.id)
    sent(vote, outcome)
    tellTabs('vote', { vote, outcome })
    return true
  } catch (error) {
    if (session.value == null) return false
    if (isTransient(error)) {
      timer = setTimeout(() => void send(), WAITS_MS[Math.min(failures++, WAITS_MS.length - 1)])
      return false
    }
    refused(vote, error)
    return true
  }
}

let isSending = false
let failures = 0
let timer: ReturnType<typeof setTimeout> | undefined
const left = new AbortController()

/** Sends what waits, in one tab at a time. */
export async function send(): Promise<void> {
  clearTimeout(timer)
  if (isSending || session.value == null || waiting.value.length === 0) return
  isSending = true
  try {
    await inTurn('votes', left.signal, async () => {
      while (await sendFirst());
    })
  } catch (error) {
    if (!left.signal.aborted) fail(error)
  } finally {
    isSending = false
  }
}

/** Sends what waited when the connection is back, and what an earlier page left. */
export function keepSending(): void {
  addEventListener('online', () => void send())
  onTold('vote', ({ vote, outcome }: { vote: WaitingVote; outcome: FeedbackOutcome }) => {
    lookAgain()
    sent(vote, outcome)
  })
  effect(() => {
    if (session.value != null && waiting.value.length > 0) void send()
  })
  let person = ''
  effect(() => {
    const name = session.value?.name ?? person
    if (name === person) return
    person = name
    reviveSteps()
    for (const vote of waiting.peek()) show(vote, { label: vote.label, state: 'waiting', outcome: null })
  })
}
