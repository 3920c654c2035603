/**
 * Sends events of a file to a job, and trains it by the answers that they bring along.
 *
 * Leaves out: how far that is (state/jobs.ts).
 *
 * 1. Sending goes on when the page is left for another one of the console.
 * 2. The job is told at the end what the file had that was guessed or left out.
 * 3. An event has the same id when it is sent again, so going on after a failure stores nothing twice. All parts are an
 *    upload, so of two events with one id both are stored.
 */
import { answerAt, idAt } from '../../../../engine/domain/event/input/answers.js'
import type { FileEvent, FileWarning } from '../../../../engine/domain/event/input/event-file.js'
import { writeJson } from '../../../../engine/domain/event/json.js'
import { api, may, messageOf } from '../../state/api.js'
import { loadJobs, setPlaying, type Playing } from '../../state/jobs.js'
import { fail } from '../../state/toasts.js'

type Body = Readonly<Record<string, unknown>>

/** What a file says of an event beside it: an id, and what else is sent with it. */
export type Beside = Pick<FileEvent, 'id' | 'beside'>

/** The answers that the events have: in which field, and the label of each. */
export interface Votes {
  readonly field: string
  readonly labels: ReadonlyMap<string, string>
}

export interface How {
  /** Where an event has its id; null: ids are made. */
  readonly idField: string | null
  /** By place: what the file says of the event. */
  readonly beside: readonly Beside[]
  readonly votes: Votes | null
  /** Those of the file. */
  readonly warnings: readonly FileWarning[]
}

const BATCH = 250
const REASONS_MAX = 3
/** Requests are tried again so often: a service that starts again is back by then. */
const RETRIES = 8
const TRAINING_EVERY_MS = 500

/** What came of the next events. */
interface Came {
  readonly taken: number
  readonly same: number
  readonly errors: readonly string[]
  readonly answers: number
}

/** Sends them as they are. */
async function* plainly(jobId: number, events: readonly Kept[], upload: string): AsyncGenerator<Came> {
  function* lines() {
    for (const { id, body, beside } of events)
      yield writeJson({ job_id: jobId, event_id: id, ...beside, raw_body: body })
  }
  for await (const result of api.events.bulk(lines(), { batchLines: BATCH, retries: RETRIES, upload })) {
    const isRefused = 'status_code' in result
    const isNew = !isRefused && result.stored === undefined
    const errors = isRefused ? [result.error] : []
    yield { taken: isNew ? 1 : 0, same: isNew || isRefused ? 0 : 1, errors, answers: 0 }
  }
}

/** Sends them with their answers. */
async function* withVotes(jobId: number, events: readonly Kept[], upload: string, votes: Votes): AsyncGenerator<Came> {
  const old = events.map(({ id, body }) => {
    const feedback = votes.labels.get(answerAt(body, votes.field) ?? '')
    return { id, body, label: feedback === undefined ? undefined : { feedback } }
  })
  function* texts() {
    for (const { id, body, label } of old)
      yield writeJson({ job_id: jobId, event_id: id, raw_body: body, ...(label === undefined ? {} : { label }) })
  }
  let from = 0
  for await (const { through, stored, refused } of api.events.history(jobId, texts(), { retries: RETRIES, upload })) {
    const places = new Set(refused.map(({ place }) => place))
    const answers = old.slice(from, through).filter(({ label }, at) => label !== undefined && !places.has(from + at))
    yield { taken: stored, same: 0, errors: refused.map(({ error }) => error), answers: answers.length }
    from = through
  }
}

interface Kept {
  readonly id: unknown
  readonly body: Body
  readonly beside: Body | undefined
}

/** Sends events to a job, one part after the other, and trains it if they bring answers. Never rejects. */
export async function play(jobId: number, events: readonly Body[], how: How, from?: Playing): Promise<void> {
  const none = { taken: 0, same: 0, refused: 0, reasons: [], isOver: false, answers: 0, training: 'none' } as const
  let state: Playing = {
    ...(from ?? { jobId, total: events.length, ...none }),
    problem: null,
    goOn: () => void play(jobId, events, how, state),
  }
  setPlaying(state)
  const answered = (): number => state.taken + state.same + state.refused
  const begun = answered()
  const rest = events.slice(begun).map((body, at) => ({
    id:
      (how.idField === null ? null : idAt(body, how.idField)) ??
      how.beside[begun + at]?.id ??
      `event-${begun + at + 1}`,
    body,
    beside: how.beside[begun + at]?.beside,
  }))
  const upload = `new-job-${jobId}`
  const parts = how.votes === null ? plainly(jobId, rest, upload) : withVotes(jobId, rest, upload, how.votes)
  try {
    for await (const { taken, same, errors, answers } of parts) {
      const reasons = [...new Set([...state.reasons, ...errors])].slice(0, REASONS_MAX)
      state = {
        ...state,
        taken: state.taken + taken,
        same: state.same + same,
        refused: state.refused + errors.length,
        answers: state.answers + answers,
        reasons,
      }
      if (how.votes !== null || answered() % BATCH === 0) setPlaying(state)
    }
    if (how.warnings.length > 0 && state.taken > 0) {
      const warnings = how.warnings.map(({ type, count, example }) => ({ type, count, example }))
      await api.postFileWarnings({ job_id: jobId, body: { warnings } })
    }
    state = { ...state, isOver: true, goOn: () => {} }
    setPlaying(state)
    if (state.answers > 0) await train(state)
  } catch (error) {
    setPlaying({ ...state, problem: messageOf(error) })
  }
  loadJobs().catch(fail)
}

/** Trains the first model by the answers, and tells when it is there. Never rejects. */
async function train(state: Playing): Promise<void> {
  if (!may('execute:job_operations')) return
  const { jobId } = state
  setPlaying({ ...state, training: 'running' })
  try {
    await api.trainManagedJob({ job_id: jobId })
    for (;;) {
      const { retrain_state: now, retrain_msg: why } = await api.getManagedJob({ job_id: jobId })
      if (now === 'RETRAIN_FINISHED') return setPlaying({ ...state, training: 'done' })
      if (now !== 'queued' && now !== 'training') return setPlaying({ ...state, training: { problem: why } })
      await new Promise((resolve) => setTimeout(resolve, TRAINING_EVERY_MS))
    }
  } catch (error) {
    setPlaying({ ...state, training: { problem: messageOf(error) } })
  }
}
