/**
 * `GET /api/v2/jobs/{job_id}/events-file`: all events that filters find, as a file.
 *
 * 1. The file is sent page by page as the client reads it, so nothing is held here but one page.
 * 2. Newest first by a cursor: no event comes twice, and what arrives meanwhile is not in it.
 * 3. If a page fails halfway, the connection is cut: half a file must not look like a whole one.
 */
import type { Static } from 'typebox'
import { limits, parseJson as readJson, Refusal, writeJson, type Principal } from '../../../engine/index.js'
import type { App } from '../../app.js'
import { stillAuthorized } from '../../http/auth.js'
import { replyError } from '../../http/error-reply.js'
import type { Exchange } from '../../http/exchange.js'
import { Pace } from '../../http/pieces/pace.js'
import { ndjson } from '../../http/reply.js'
import type { Route } from '../../http/route.js'
import { Checker, parseJson } from '../../http/validate.js'
import { EventFileFilters, EventFileQuery } from '../../schemas/live/event-file.js'
import { ListedEvent as EventLine } from '../../schemas/live/lists.js'
import { jobFromPath } from '../job-reference.js'
import { filtersOf, given } from '../queries.js'
import { tableHead, tableLines, type ListedEvent } from './event-table.js'

const scope = 'read:event_query'
/** Milliseconds for a page of a file. Lists that people wait for are answered between the pages. */
const PAGE_MS = 200
const queryChecker = new Checker(EventFileQuery, 'query')
const filterChecker = new Checker(EventFileFilters, 'query')

interface Page {
  readonly events: readonly ListedEvent[]
  readonly next: string | null
}

interface FileOrder {
  readonly jobId: number
  readonly query: Static<typeof EventFileQuery>
  readonly filters: unknown
}

/** @throws Refusal invalid_body. */
function listedFilters(text: string | undefined): Static<typeof EventFileFilters>['filters'] | undefined {
  if (text === undefined) return undefined
  try {
    return filterChecker.check({ filters: parseJson(Buffer.from(text)) }).filters
  } catch (error) {
    if (error instanceof Refusal && error.code === 'invalid_body') throw error
    const msg = 'Input should be a list of filters as JSON text'
    const issue = { loc: ['query', 'filters'], msg, type: 'json_type' }
    throw new Refusal('invalid_body', 'the filters are not valid JSON', { issues: [issue] })
  }
}

async function* pagesOf(app: App, { jobId, query, filters }: FileOrder, may: () => Principal): AsyncGenerator<Page> {
  let after: string | undefined
  for (;;) {
    const selection = { jobIds: [jobId], size: limits.listPageMax, withinMs: PAGE_MS }
    const more = given({ filters, after, rawBody: query.raw_body })
    const bytes = await app.service.live.lists.events(may(), { ...selection, ...more })
    const page = readJson(Buffer.from(bytes).toString('utf8')) as Page
    yield page
    if (page.next === null) return
    after = page.next
  }
}

function* piecesOf({ events }: Page, { format, columns }: Static<typeof EventFileQuery>): Generator<string> {
  if (format === 'csv') yield tableLines(events, columns ?? [])
  else yield events.map((event) => `${writeJson(event)}\n`).join('')
}

async function send(exchange: Exchange, pages: AsyncGenerator<Page>, order: FileOrder): Promise<void> {
  let isGone = false
  exchange.hold(() => (isGone = true))
  // What is refused is refused with its status: the answer begins with the first page.
  const first = await pages.next()
  const { format, columns } = order.query
  const isTable = format === 'csv'
  exchange.beginStream('200 OK', isTable ? 'text/csv; charset=utf-8' : ndjson, [
    ['Content-Disposition', `attachment; filename="events-${order.jobId}.${format}"`],
    ['Cache-Control', 'no-store'],
    ['X-Content-Type-Options', 'nosniff'],
  ])
  if (exchange.method === 'head') return
  const pace = new Pace()
  const write = async (piece: string): Promise<void> => {
    if (piece === '') return
    if (exchange.write(piece)) pace.flows()
    else await pace.blocked()
  }
  try {
    const names = columns ?? Object.keys((first.value as Page).events[0]?.decision_points ?? {})
    const query = { ...order.query, columns: names }
    if (isTable) await write(tableHead(names))
    for (const piece of piecesOf(first.value as Page, query)) await write(piece)
    for await (const page of pages) {
      for (const piece of piecesOf(page, query)) await write(piece)
      if (isGone) return
    }
    exchange.endStream()
  } catch (error) {
    exchange.failed(error)
    exchange.cut()
  }
}

function serve(exchange: Exchange, [job]: readonly string[], app: App, principal: Principal): void {
  const query = queryChecker.checkQuery(exchange.query())
  const jobId = jobFromPath(app, principal, job as string).id
  const order = {
    jobId,
    query,
    filters: filtersOf({ filters: listedFilters(query.filters), query: query.query }, principal),
  }
  const pages = pagesOf(app, order, () => stillAuthorized(exchange, app, scope))
  send(exchange, pages, order).catch((error: unknown) => replyError(exchange, error))
}

const eventFile: Route = {
  method: 'GET',
  path: '/api/v2/jobs/{job_id}/events-file',
  operationId: 'getEventFile',
  tag: 'Queries',
  summary: 'Take all events that match as a file',
  description:
    'CSV has a line of names, then one line for each event: id, time, title, severity, decision, confidence, ' +
    'consensus, outlier, and the values at `columns`. A value that a spreadsheet would take for a formula begins ' +
    "with `'`. NDJSON has the events as `events/list` has them. The events come newest first, all that match " +
    'when the request comes. The file is sent as it is read: if something fails meanwhile, the connection is cut.',
  scope,
  query: EventFileQuery,
  responses: { 200: { description: 'The file.', mediaType: 'text/csv', also: { [ndjson]: EventLine } } },
  errors: [404],
  serve,
}

export const eventFileRoutes: readonly Route[] = [eventFile]
