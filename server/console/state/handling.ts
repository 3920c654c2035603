/**
 * How people share the work: who has which event, who looks at one, notes on it.
 *
 * 1. Who has what is read again while somebody looks, so that colleagues' assignments show.
 * 2. Nothing is asked while the tab is hidden or nobody touches it: `liveState` says so.
 */
import { signal, useSignal, type ReadonlySignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ServiceError, type EventNote } from '../../client/index.js'
import { count, t } from '../texts.js'
import { api, may, session } from './api.js'
import { liveState } from './live.js'
import { confirmation } from './confirmation.js'
import { act, say } from './toasts.js'

const EVERY_MS = 5_000
/** The list of a job may be long: it is asked for less often than what is known of one event. */
const LIST_EVERY_MS = 10_000

/** Who has which event of the job that is shown, as far as it is known, by event id. */
export const assignees = signal<ReadonlyMap<string, string>>(new Map())

/** Who this person is, in assignments. */
export function me(): string {
  return session.value?.name ?? ''
}

async function readAssignees(jobId: number): Promise<void> {
  const { assignments } = await api.listAssignments({ job_id: jobId })
  assignees.value = new Map(assignments.map(({ event_id: id, assignee }) => [id, assignee ?? '']))
}

/** Keeps `assignees` current while the component is shown. */
export function useAssignees(jobId: number): void {
  useEffect(() => {
    if (!may('read:event_query')) return
    // Without them the page works as well: the next look may find them.
    const read = (): void => void readAssignees(jobId).catch(() => {})
    assignees.value = new Map()
    read()
    const timer = setInterval(() => {
      if (liveState.value === 'live') read()
    }, LIST_EVERY_MS)
    return () => clearInterval(timer)
  }, [jobId])
}

function note(id: string, assignee: string | null): void {
  if ((assignees.value.get(id) ?? null) === assignee) return
  const all = new Map(assignees.value)
  if (assignee === null) all.delete(id)
  else all.set(id, assignee)
  assignees.value = all
}

/** Who has events, as the page knew it when the person acted. */
type Known = ReadonlyMap<string, string | null>

/** Gives events to somebody, as far as they have not changed hands since. The answer: who has the others. */
async function give(
  jobId: number,
  known: Known,
  toOf: (id: string) => string | null,
): Promise<ReadonlyMap<string, string | null>> {
  const others = new Map<string, string | null>()
  for (const [id, expected] of known) {
    const place = { job_id: jobId, event_id: id }
    try {
      const { assignee } = await api.assignEvent({ ...place, body: { assignee: toOf(id), expected } })
      note(id, assignee)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'assigned_otherwise') throw error
      const { assignee } = await api.getAssignment(place)
      note(id, assignee)
      others.set(id, assignee)
    }
  }
  return others
}

/** The names of those who have events. */
function namesOf(known: Known): string {
  return [...new Set([...known.values()].flatMap((name) => name ?? []))].join(', ')
}

/** Takes events; what has come to somebody else meanwhile is asked about. */
async function take(jobId: number, known: Known): Promise<void> {
  const step = { others: new Map() as Known }
  const mine = (): string[] => [...known.keys()].filter((id) => !step.others.has(id))
  await act(
    async () => {
      step.others = await give(jobId, known, me)
    },
    () => (mine().length === 0 ? null : count('assign.given', mine().length)),
    async () => {
      const others = await give(jobId, new Map(mine().map((id) => [id, me()])), (id) => known.get(id) ?? null)
      if (others.size > 0) say(count('assign.not_back', others.size, { names: namesOf(others) }))
    },
  )
  if (step.others.size > 0) askFirst(jobId, step.others)
}

/** Nobody loses an event without being asked about. */
function askFirst(jobId: number, known: Known): void {
  const others = [...known].filter(([, name]) => name !== null && name !== me())
  if (others.length === 0) return void take(jobId, known)
  const values = { names: namesOf(new Map(others)) }
  confirmation.value = {
    title: t('assign.ask'),
    text: count('assign.others', others.length, values),
    verb: t('assign.take_over'),
    act: () => take(jobId, known),
  }
}

/** Assigns events to this person; those that are all this person's already go to nobody. Undo restores who had them. */
export async function assignToMe(jobId: number, ids: readonly string[]): Promise<void> {
  if (ids.length === 0 || !may('write:event_feedback')) return
  const known: Known = new Map(ids.map((id) => [id, assignees.value.get(id) ?? null]))
  if (![...known.values()].every((name) => name === me())) return askFirst(jobId, known)
  await act(
    () => give(jobId, known, () => null),
    count('assign.withdrawn', ids.length),
    () => give(jobId, new Map(ids.map((id) => [id, null])), me),
  )
}

/** What others do with an event that is shown. */
export interface Company {
  /** Others who have the event open. */
  readonly lookers: readonly string[]
  readonly notes: readonly EventNote[]
}

/** Says that this person looks at the event, and knows who else does, who has it and what they note. */
export function useCompany(jobId: number, eventId: string): { readonly now: ReadonlySignal<Company>; reload(): void } {
  const now = useSignal<Company>({ lookers: [], notes: [] })
  const version = useSignal(0)
  useEffect(() => {
    const place = { job_id: jobId, event_id: eventId }
    const controller = new AbortController()
    const { signal: ended } = controller
    const look = async (): Promise<void> => {
      const [{ assignee }, { lookers }, { notes }] = await Promise.all([
        may('write:event_feedback') ? api.getAssignment(place, { signal: ended }) : { assignee: null },
        may('write:event_feedback') ? api.lookAtEvent(place, { signal: ended }) : { lookers: [] },
        may('read:event_export') ? api.listNotes(place, { signal: ended }) : { notes: [] },
      ])
      if (ended.aborted) return
      note(eventId, assignee)
      now.value = { lookers: lookers.map(({ name }) => name).filter((name) => name !== me()), notes }
    }
    // An event that is gone has no company, and without a connection the next look may succeed.
    const tryLook = (): void => void look().catch(() => {})
    tryLook()
    const timer = setInterval(() => {
      if (liveState.value === 'live') tryLook()
    }, EVERY_MS)
    return () => {
      controller.abort()
      clearInterval(timer)
    }
  }, [jobId, eventId, version.value])
  return { now, reload: () => version.value++ }
}

/** The text of a note of a person or an agent. */
export function noteText({ note }: EventNote): string {
  return typeof note === 'string' ? note : JSON.stringify(note)
}

/** `bob looks at it, too.` */
export function lookersText(lookers: readonly string[]): string {
  return lookers.length === 0 ? '' : t('company.looks', { names: lookers.join(', ') })
}
