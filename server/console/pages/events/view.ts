/** What the page of events shows: what the address says, and its query as filters of the API. */
import { addresses } from '../../addresses.js'
import { timeFilters, wireFilter, type View, type WireFilter } from '../../first-requests.js'
import { session } from '../../state/api.js'
import { assignedIds, me } from '../../state/handling.js'
import { filtersOf, type Filter } from './query.js'

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

/** No event has this id. */
const NO_EVENT = ' '

/** Who has which event is no field of events: the filter becomes the ids. `me` is who reads. */
async function assignedFilter(jobId: number, { operator, value }: Filter, signal: AbortSignal): Promise<WireFilter> {
  const named = typeof value === 'object' ? value : value === undefined ? [] : [String(value)]
  const people = named.map((name) => (name === 'me' ? me() : name))
  const found = await Promise.all(
    people.length === 0
      ? [assignedIds(jobId, null, signal)]
      : people.map((person) => assignedIds(jobId, person, signal)),
  )
  const isNot = operator.includes('not')
  const ids = found.flat()
  return {
    field: `${serviceName()}.event_id`,
    operator: isNot ? 'is not one of' : 'is one of',
    value: ids.length === 0 ? [NO_EVENT] : ids,
  }
}

/** The filters of a view, as the API takes them. They are there at once where no person is meant. */
export function wireFilters(view: View, signal: AbortSignal): WireFilter[] | Promise<WireFilter[]> {
  const ofQuery = queryFilters(view, signal)
  const ofTime = timeFilters(view)
  return Array.isArray(ofQuery) ? [...ofQuery, ...ofTime] : ofQuery.then((filters) => [...filters, ...ofTime])
}

function queryFilters({ jobId, query }: View, signal: AbortSignal): WireFilter[] | Promise<WireFilter[]> {
  const filters = filtersOf(query, serviceName())
  const isAssigned = ({ field }: Filter): boolean => field === `${serviceName()}.assigned`
  if (!filters.some(isAssigned)) return filters.map(wireFilter)
  return Promise.all(
    filters.map((filter) => (isAssigned(filter) ? assignedFilter(jobId, filter, signal) : wireFilter(filter))),
  )
}
