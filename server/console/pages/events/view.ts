/** What the page of events shows: what the address says. */
import { addresses } from '../../addresses.js'
import type { View } from '../../first-requests.js'
import { session } from '../../state/api.js'

/** The address of a view. */
export function addressOf(view: View): string {
  const query = new URLSearchParams()
  if (view.query !== '') query.set('q', view.query)
  if (view.sort !== '') query.set('sort', view.sort)
  if (view.isAscending) query.set('order', 'asc')
  if (view.time !== '') query.set('time', view.time)
  if (view.columns !== '') query.set('columns', view.columns)
  return addresses.events(view.jobId, query.toString())
}

/** The service takes its own name and this one. */
export function serviceName(): string {
  return session.value?.service_name ?? 'service'
}
