/** `decide query`: events by a query and times, newest first. */
import type { EventsQuery, QueriedEvent } from '../../client/index.js'
import { jobIdOf, type Context, type ServiceFlags } from '../context.js'
import { queryOf } from '../filters.js'
import type { Column } from '../terminal/table.js'
import { pointsOf } from '../terminal/words.js'

export interface QueryFlags extends ServiceFlags {
  readonly job?: string | undefined
  readonly filter?: readonly string[] | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  /** The times are those of the arrival. */
  readonly arrival?: boolean | undefined
  readonly sort?: string | undefined
  readonly ascending?: boolean | undefined
  readonly limit: number
  readonly count?: boolean | undefined
}

const PAGE = 500

export const eventColumns: readonly Column<QueriedEvent>[] = [
  { title: 'event', of: (event) => event.event_id },
  { title: 'job', of: (event) => event.job_id },
  { title: 'time', of: (event) => event['@timestamp'] },
  { title: 'arrived', of: (event) => event.ingest_timestamp },
  { title: 'decision', of: (event) => event.result_label || event.status },
  { title: 'confidence', of: (event) => (event.result_label === '' ? null : event.confidence_score) },
  { title: 'outlier', of: (event) => event.outlier },
  { title: 'consensus', of: (event) => event.consensus },
  { title: 'decision points', of: pointsOf },
]

export async function query(context: Context, flags: QueryFlags, text?: string): Promise<void> {
  const wanted = queryOf(text, flags.filter)
  const client = context.client(flags)
  const body: EventsQuery = {
    ...(flags.job === undefined ? {} : { job_ids: await jobIdOf(client, flags.job) }),
    date_field: flags.arrival ? 'timestamp_inference' : '@timestamp',
    ...(flags.since === undefined ? {} : { start_date: flags.since }),
    ...(flags.until === undefined ? {} : { end_date: flags.until }),
    ...(flags.sort === undefined ? {} : { sort_by_column: flags.sort }),
    sort_order: flags.ascending ? 'asc' : 'desc',
    ...(wanted === undefined ? {} : { query: wanted }),
  }
  const { signal } = context.world
  if (flags.count) {
    const { total_count } = await client.queryEvents({ body: { ...body, count_results_only: true } }, { signal })
    return context.print(flags, { total_count }, () => String(total_count))
  }
  const rows: QueriedEvent[] = []
  let taken = 0
  const items = client.items('queryEvents', { body: { ...body, size: Math.min(PAGE, flags.limit) } }, { signal })
  for await (const event of items) {
    // A line at a time: what reads them need not wait for the last.
    if (flags.json) context.line(event)
    else rows.push(event)
    if (++taken >= flags.limit) break
  }
  if (!flags.json) context.list(flags, rows, eventColumns, 'No event matches.')
}
