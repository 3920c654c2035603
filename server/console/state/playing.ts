/**
 * Events of a file on their way into a job.
 *
 * Owns: sending them, how far that is. Leaves out: where they come from (pages/new-job/).
 *
 * 1. Sending goes on when the page is left for another one of the console. Before the tab is closed the browser asks.
 * 2. An event has the same id when it is sent again, so going on after a failure stores nothing twice.
 */
import { computed, signal } from '@preact/signals'
import { api, messageOf } from './api.js'
import { loadJobs } from './jobs.js'
import { fail } from './toasts.js'

type Body = Readonly<Record<string, unknown>>

export interface Playing {
  readonly jobId: number
  readonly total: number
  readonly taken: number
  readonly refused: number
  /** The first different reasons of refusals. */
  readonly reasons: readonly string[]
  /** Why it has stopped; null while it goes on, and at its end. */
  readonly problem: string | null
  readonly isOver: boolean
  /** Sends the rest. */
  readonly goOn: () => void
}

const BATCH = 250
const REASONS_MAX = 3
/** Requests are tried again so often: a service that starts again is back by then. */
const RETRIES = 8

export const playing = signal<ReadonlyMap<number, Playing>>(new Map())

/** What is not over. */
export const unfinished = computed(() => [...playing.value.values()].find(({ isOver }) => !isOver) ?? null)

function ask(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

function set(state: Playing): void {
  playing.value = new Map(playing.value).set(state.jobId, state)
  if (unfinished.value === null) removeEventListener('beforeunload', ask)
  else addEventListener('beforeunload', ask)
}

/** Sends events to a job, one part after the other. Never rejects. */
export async function play(jobId: number, events: readonly Body[], from?: Playing): Promise<void> {
  let state: Playing = {
    ...(from ?? { jobId, total: events.length, taken: 0, refused: 0, reasons: [], isOver: false }),
    problem: null,
    goOn: () => void play(jobId, events, state),
  }
  set(state)
  const begun = state.taken + state.refused
  function* lines() {
    for (let at = begun; at < events.length; at++)
      yield { job_id: jobId, event_id: `event-${at + 1}`, raw_body: { ...events[at] } }
  }
  try {
    for await (const result of api.events.bulk(lines(), { batchLines: BATCH, retries: RETRIES })) {
      const isBad = 'error' in result
      const isNew = isBad && state.reasons.length < REASONS_MAX && !state.reasons.includes(result.error)
      state = {
        ...state,
        taken: state.taken + (isBad ? 0 : 1),
        refused: state.refused + (isBad ? 1 : 0),
        reasons: isNew ? [...state.reasons, result.error] : state.reasons,
      }
      if ((state.taken + state.refused) % BATCH === 0) set(state)
    }
    set({ ...state, isOver: true, goOn: () => {} })
  } catch (error) {
    set({ ...state, problem: messageOf(error) })
  }
  loadJobs().catch(fail)
}
