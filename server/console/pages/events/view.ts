/** What the page of events shows: what the address says, and its query as filters of the API. */
import { addresses } from '../../addresses.js'
import { session } from '../../state/api.js'
import { assignedIds, me } from '../../state/handling.js'
import { filtersOf, type Filter } from './query.js'

export interface View {
  readonly jobId: number
  readonly query: string
  readonly sort: string
  readonly isAscending: boolean
  /** The decision points that are shown, as the address has them; '': the first ones of the job. */
  readonly columns: string
}

/** The view of an address. */
export function viewOf(jobId: number, query: Readonly<Record<string, string>>): View {
  return {
    jobId,
    query: query.q ?? '',
    sort: query.sort ?? '',
    isAscending: query.order === 'asc',
    columns: query.columns ?? '',
  }
}

/** The address of a view. */
export function addressOf(view: View): string {
  const query = new URLSearchParams()
  if (view.query !== '') query.set('q', view.query)
  if (view.sort !== '') query.set('sort', view.sort)
  if (view.isAscending) query.set('order', 'asc')
  if (view.columns !== '') query.set('columns', view.columns)
  return addresses.events(view.jobId, query.toString())
}

/** What the rows of a view depend on: not on its columns. */
export function rowsKey({ jobId, query, sort, isAscending }: View): string {
  return JSON.stringify(['rows', jobId, query, sort, isAscending])
}

/** The service takes its own name and this one. */
export function serviceName(): string {
  return session.value?.service_name ?? 'service'
}

type WireFilter = { field: string; operator: string; value?: string | number | boolean | string[] }

export type { WireFilter }

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

/** The filters of a view's query, as the API takes them. */
export function wireFilters({ jobId, query }: View, signal: AbortSignal): Promise<WireFilter[]> {
  return Promise.all(
    filtersOf(query, serviceName()).map((filter): WireFilter | Promise<WireFilter> => {
      const { field, operator, value } = filter
      if (field === `${serviceName()}.assigned`) return assignedFilter(jobId, filter, signal)
      const given = value === undefined ? {} : { value: typeof value === 'object' ? [...value] : value }
      return { field, operator, ...given }
    }),
  )
}
