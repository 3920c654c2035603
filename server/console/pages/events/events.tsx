/**
 * Events: all that a query finds, on one line each; facets at the left; votes on what is selected.
 *
 * 1. The query, the order and the job are the address. No action clears them.
 * 2. Rows never move: what is new is said, and taken in when the person asks for it.
 */
import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { useEffect, useMemo } from 'preact/hooks'
import { addresses } from '../../addresses.js'
import { Failed, Skeleton } from '../../parts/feedback.js'
import { Icon } from '../../parts/icon.js'
import { Key } from '../../parts/keys.js'
import { latePart } from '../../parts/late.js'
import { List } from '../../parts/list.js'
import { Time } from '../../parts/time.js'
import { may } from '../../state/api.js'
import { job as jobOfPage, type ShownJob } from '../../state/jobs.js'
import { useCommands } from '../../state/keys.js'
import { useAssignees } from '../../state/handling.js'
import { newEvents, takeIn } from '../../state/live.js'
import { trail } from '../../state/trail.js'
import { count, t } from '../../texts.js'
import NotFound from '../not-found.js'
import { ColumnHeads, columnsOf } from './columns.js'
import { Head } from './head.js'
import { Line, valuesOf } from './line.js'
import type { Chosen } from './chosen.js'
import { useRows, type RowsState } from './rows.js'
import { useSelection, type Selection } from './selection.js'
import { SelectionBar } from './selection-bar.js'
import type { Row } from './row.js'
import { askPage, type Progress } from './source.js'
import { addressOf } from './view.js'
import { BY_ARRIVAL, isNewestFirst, listKey, rowsKey, viewOf, type View } from '../../first-requests.js'

/** What the first rows do not need. */
const Facets = latePart(async () => (await import('../late.js')).Facets, <aside class="facets" />)
const Nothing = latePart(async () => (await import('../late.js')).Nothing)

const ROW = 40

/** What comes back with somebody who was at an event. */
interface Kept {
  readonly rows: RowsState
  readonly chosen: Chosen
}

interface ResultsProps {
  readonly of: ShownJob
  readonly view: View
  readonly found: ReturnType<typeof useRows>
  readonly selection: Selection
  readonly columns: readonly string[]
  readonly show: (view: View) => void
}

function Results({ of, view, found, selection, columns, show }: ResultsProps) {
  const { route } = useLocation()
  const { rows, total, error, isLoading } = found
  const { cursor } = selection
  const open = (at: number): void => {
    const row = rows[at]
    if (row === undefined) return
    const kept: Kept = { rows: found.snapshot(), chosen: selection.chosen }
    trail.value = { jobId: of.job_id, key: rowsKey(view), ids: rows.map(({ id }) => id), at: row.id, kept }
    route(addresses.event(of.job_id, row.id))
  }
  const move = (by: number): void => {
    cursor.value = Math.max(0, Math.min(rows.length - 1, cursor.value + by))
  }
  useCommands({
    'list.next': () => move(1),
    'list.previous': () => move(-1),
    'list.open': () => open(cursor.value),
    'new.show': () => {
      takeIn()
      found.reload()
    },
  })
  if (found.isRefused && rows.length === 0) return <Nothing view={view} show={show} refusal={error} />
  if (error !== null && rows.length === 0) return <Failed error={error} retry={found.reload} />
  if (rows.length === 0 && isLoading) return found.progress === null ? <Skeleton lines={12} /> : null
  if (rows.length === 0) return <Nothing view={view} show={show} refusal={null} />
  return (
    <List
      label={t('place.events')}
      length={rows.length}
      rowHeight={ROW}
      cursor={Math.min(cursor.value, rows.length - 1)}
      total={total ?? -1}
      isSelected={(at) => selection.has(rows[at]?.id ?? '')}
      describe={(at) => valuesOf(rows[at] as Row, columns)}
      more={found.more}
      row={(at) => (
        <>
          {may('write:event_feedback') ? (
            <span class={selection.has(rows[at]?.id ?? '') ? 'tick on' : 'tick'} data-tick>
              {selection.has(rows[at]?.id ?? '') ? <Icon name="check" /> : null}
            </span>
          ) : null}
          <Line of={of} row={rows[at] as Row} columns={columns} />
        </>
      )}
      onChoose={(at, event) => {
        const isAgain = cursor.value === at
        cursor.value = at
        const isTick = event.target instanceof Element && event.target.closest('[data-tick]') !== null
        if (event.shiftKey || isTick) selection.select(at, event.shiftKey)
        else if (isAgain || event.detail > 1) open(at)
      }}
    />
  )
}

/** How far the search is. Rows show above it as they are found. */
function Searching({ progress: { looked, of, backTo } }: { readonly progress: Progress }) {
  return (
    <div class="searching">
      <progress max={Math.max(1, of)} value={looked} aria-label={t('events.searching')} />
      <span class="dim">
        {t('events.looked', { looked, of })} {backTo === null ? null : <Time at={backTo} />}
      </span>
    </div>
  )
}

function EventsOf({ of }: { readonly of: ShownJob }) {
  const { query, route } = useLocation()
  const view = viewOf(of.job_id, query as Record<string, string>)
  // The same list each time, so that rows that do not change are not drawn again.
  const columns = useMemo(() => columnsOf(of, view), [of.features, view.columns])
  const key = rowsKey(view)
  // As it was left: rows, cursor and ticks.
  const left = trail.peek()?.key === key ? trail.peek() : null
  const kept = left?.kept as Kept | undefined
  const found = useRows(view, kept?.rows)
  const selection = useSelection(found.rows, listKey(view), {
    cursor: left === null ? 0 : Math.max(0, left.ids.indexOf(left.at)),
    chosen: kept?.chosen,
  })
  const areFacetsOpen = useSignal(false)
  const show = (to: View): void => {
    if (addressOf(to) === addressOf(view)) return
    // Its rows are on their way before the page is drawn anew.
    if (rowsKey(to) !== rowsKey(view)) askPage(to)
    route(addressOf(to))
  }
  useEffect(takeIn, [of.job_id])
  useAssignees(of.job_id)
  const n = newEvents.value
  return (
    <div class="events">
      <Head
        of={of}
        view={view}
        total={found.total}
        isTotalExact={found.isTotalExact}
        isRefused={found.isRefused}
        show={show}
        chosen={selection.chosen}
        toggleFacets={() => (areFacetsOpen.value = !areFacetsOpen.value)}
      />
      <Facets of={of} view={view} isOpen={areFacetsOpen.value} isRefused={found.isRefused} show={show} />
      <div class="list-area">
        {n === 0 || !isNewestFirst(view) ? null : (
          <button
            type="button"
            class="new-bar"
            onClick={() => {
              takeIn()
              found.reload()
            }}
          >
            {count('new', n)} <Key of="new.show" />
          </button>
        )}
        {found.error !== null && found.rows.length > 0 ? <Failed error={found.error} retry={found.more} /> : null}
        {found.rows.length === 0 ? null : (
          <ColumnHeads
            columns={columns}
            isTicked={may('write:event_feedback')}
            isByArrival={view.sort === BY_ARRIVAL}
          />
        )}
        <div class="grow">
          <Results of={of} view={view} found={found} selection={selection} columns={columns} show={show} />
        </div>
        {found.isLoading && found.progress !== null ? <Searching progress={found.progress} /> : null}
      </div>
      <SelectionBar
        of={of}
        rows={found.rows}
        selection={selection}
        view={view}
        total={found.isTotalExact ? found.total : null}
      />
    </div>
  )
}

export default function Events() {
  const of = jobOfPage.value
  return of === null ? <NotFound /> : <EventsOf of={of} />
}
