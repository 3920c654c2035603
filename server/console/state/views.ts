/** Named views of events: own ones and those that others share. A view is an address with a name. */
import { signal } from '@preact/signals'
import type { SavedView } from '../../client/index.js'
import { t } from '../texts.js'
import { api, may } from './api.js'
import { attempt, say } from './toasts.js'

/** A view of the events of one job. */
export interface NamedView {
  readonly id: string
  readonly name: string
  readonly isShared: boolean
  readonly isOwn: boolean
  readonly owner: string
  readonly jobId: number
  /** What follows the `?` of the address. */
  readonly address: string
}

const PAGE = 'events'

/** All views that this person may see. */
export const views = signal<readonly NamedView[]>([])

function viewOf({ view_id: id, name, shared, own, owner, query }: SavedView): NamedView[] {
  const { page, job_id: jobId, address } = query
  if (page !== PAGE || typeof jobId !== 'number' || typeof address !== 'string') return []
  return [{ id, name, isShared: shared, isOwn: own, owner, jobId, address }]
}

export async function loadViews(): Promise<void> {
  if (!may('read:event_query')) return
  const { views: saved } = await api.listViews()
  views.value = saved.flatMap(viewOf)
}

/** Saves what is shown under a name. A view of one's own with this name is replaced. */
export async function saveView(jobId: number, address: string, name: string, shared: boolean): Promise<void> {
  const body = { name, shared, query: { page: PAGE, job_id: jobId, address } }
  const known = views.value.find((view) => view.isOwn && view.jobId === jobId && view.name === name)
  if (known === undefined) await api.makeView({ body })
  else await api.changeView({ view_id: known.id, body })
  await loadViews()
  say(t('views.saved', { name }))
}

/** Deletes a view of one's own. Undo saves it again. */
export async function deleteView(view: NamedView): Promise<void> {
  const isGone = await attempt(() => api.deleteView({ view_id: view.id }))
  if (!isGone) return
  await loadViews()
  say(t('views.deleted', { name: view.name }), () => saveView(view.jobId, view.address, view.name, view.isShared))
}
