/**
 * `GET /api/v2/jobs/{job_id}/events-file`: all events that filters find, as a file.
 *
 * 1. The file is sent page by page as the client reads it, so nothing is held here but one page. Where many clients are
 *    slow there is no room for its page: it is asked for again, later.
 * 2. Newest first by a cursor: no event comes twice, and what arrives meanwhile is not in it.
 * 3. If a page fails halfway, the connection is cut: half a file must not look like a whole one.
 */
import type { Static } from 'typebox'
import { limits, monitorBounds, parseJson as readJson, writeJson, type Principal } from '../../../engine/index.js'
import type { App } from '../../app.js'
import { stillAuthorized } from '../../http/auth.js'
import { replyError } from '../../http/error-reply.js'
import type { Exchange } from '../../http/exchange.js'
import { heldForReaders, noRoomToWait } from '../../http/held-bytes.js'
import { PacedAnswer } from '../../http/pieces/paced-answer.js'
import { ndjson } from '../../http/reply.js'
import type { Route } from '../../http/route.js'
import { Checker, filtersIn } from '../../http/validate.js'
import { EventFileFilters, EventFileQuery } from '../../schemas/live/event-file.js'
import { ListedEvent as EventLine } from '../../schemas/live/lists.js'
import { jobFromPath } from '../job-reference.js'
import { filtersOf, given } from '../queries.js'
import { tableHead, tableLines, type ListedEvent } from './event-table.js'

const scope = 'read:event_query'
/** Milliseconds for a page of a file. Lists that people wait for are answered between the pages. */
const PAGE_MS = 200
/** Events on the first page. The size that the next page aims at, and above which fewer events are asked for anew. */
const PAGE_FIRST = 50
const [PAGE_BYTES, PAGE_BYTES_MAX] = [1024 * 1024, 4 * 1024 * 1024]
/** Milliseconds until a page that found no room is asked for again. */
const [WAIT_FIRST_MS, WAIT_MOST_MS] = [100, 2_000]
const queryChecker = new Checker(EventFileQuery, 'query')
const filterChecker = new Checker(EventFileFilters, 'query')

interface Page {
  readonly events: readonly ListedEvent[]
  readonly next: string | null
}

interface PageText {
  readonly next: string | null
  readonly text: Buffer
}

interface FileOrder {
  readonly jobId: number
  readonly query: Static<typeof EventFileQuery>
  readonly filters: unknown
}

/** @throws Refusal invalid_body. */
function listedFilters(text: string | undefined): Static<typeof EventFileFilters>['filters'] | undefined {
  return text === undefined ? undefined : filterChecker.check({ filters: filtersIn(text) }).filters
}

/**
 * The pages as text. Room for each is taken before it is given, and given back when the next one is wanted. @throws
 * Refusal answers_busy where there is no room for the first one, Error where there is none for too long.
 */
async function* pagesOf(app: App, order: FileOrder, may: () => Principal): AsyncGenerator<Buffer> {
  const { jobId, query, filters } = order
  let [after, since, wait] = [undefined as string | undefined, performance.now(), WAIT_FIRST_MS]
  let size = PAGE_FIRST
  for (;;) {
    const selection = { jobIds: [jobId], size, withinMs: PAGE_MS }
    const more = given({ filters, after, rawBody: query.raw_body, columns: query.columns })
    // The page itself is not kept while its text is sent.
    const { next, text } = textOf(
      await app.service.live.lists.events(may(), { ...selection, ...more }),
      query,
      after === undefined,
    )
    const isTooLarge = text.length > PAGE_BYTES_MAX && size > 1
    size = Math.max(1, Math.min(limits.listPageMax, Math.floor((size * PAGE_BYTES) / Math.max(1, text.length))))
    if (isTooLarge) continue
    if (heldForReaders.take(text.length)) {
      try {
        yield text
      } finally {
        heldForReaders.giveBack(text.length)
      }
      if (next === null) return
      ;[after, since, wait] = [next, performance.now(), WAIT_FIRST_MS]
    } else {
      if (after === undefined) throw noRoomToWait()
      if (performance.now() - since > monitorBounds.exportStallMs) throw new Error('there was no room for a page')
      await new Promise((resolve) => setTimeout(resolve, wait))
      wait = Math.min(2 * wait, WAIT_MOST_MS)
    }
  }
}

function textOf(bytes: Uint8Array, query: Static<typeof EventFileQuery>, isFirst: boolean): PageText {
  const { events, next } = readJson(Buffer.from(bytes).toString('utf8')) as Page
  if (query.format !== 'csv')
    return { next, text: Buffer.from(events.map((event) => `${writeJson(event)}\n`).join(''), 'utf8') }
  query.columns ??= Object.keys(events[0]?.decision_points ?? {})
  const head = isFirst ? tableHead(query.columns) : ''
  return { next, text: Buffer.from(head + tableLines(events, query.columns), 'utf8') }
}

async function send(exchange: Exchange, pages: AsyncGenerator<Buffer>, order: FileOrder): Promise<void> {
  let isGone = false
  exchange.hold(() => (isGone = true))
  // What is refused is refused with its status: the answer begins with the first page.
  let page = await pages.next()
  const { format } = order.query
  exchange.beginStream('200 OK', format === 'csv' ? 'text/csv; charset=utf-8' : ndjson, [
    ['Content-Disposition', `attachment; filename="events-${order.jobId}.${format}"`],
    ['Cache-Control', 'no-store'],
    ['X-Content-Type-Options', 'nosniff'],
  ])
  const answer = new PacedAnswer(exchange, () => isGone)
  try {
    if (exchange.method === 'head') return
    for (; page.done !== true && !isGone; page = await pages.next()) await answer.write(page.value)
    exchange.endStream()
  } catch (error) {
    exchange.failed(error)
    exchange.cut()
  } finally {
    await pages.return(undefined)
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
    'consensus, outlier, and the values at `columns`: decision points, any other field, `assigned`, `voter`. A value ' +
    'that a spreadsheet would take for a formula begins ' +
    "with `'`. NDJSON has the events as `events/list` has them. The events come newest first, all that match " +
    'when the request comes. The file is sent as it is read: if something fails meanwhile, the connection is cut.',
  scope,
  query: EventFileQuery,
  responses: { 200: { description: 'The file.', mediaType: 'text/csv', also: { [ndjson]: EventLine } } },
  errors: [404],
  serve,
}

export const eventFileRoutes: readonly Route[] = [eventFile]
