/** The head of the page of events: the query, how many it finds, the order, the way out as a file. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../../parts/icon.js'
import { latePart } from '../../parts/late.js'
import type { ShownJob } from '../../state/jobs.js'
import { useCommands } from '../../state/keys.js'
import { count, t } from '../../texts.js'
import type { Chosen } from './chosen.js'
import { BY_ARRIVAL, type View } from '../../first-requests.js'
import { TimeRange } from './time-range.js'

/** What the first rows do not need. */
const Views = latePart(async () => (await import('../late.js')).Views)
const ColumnsMenu = latePart(async () => (await import('../late.js')).ColumnsMenu)
const ExportMenu = latePart(async () => (await import('../late.js')).ExportMenu)

/** What is wrong with a query. Where its reader cannot be had, the service says it. */
async function mistakeOf(query: string): Promise<string | null> {
  try {
    return (await import('../late.js')).mistakeIn(query)
  } catch {
    return null
  }
}

/** Typing never waits: the list follows when the typing pauses. */
const TYPING_MS = 250

const sorts = [
  ['', 'events.sort.newest'],
  [BY_ARRIVAL, 'events.sort.arrival'],
  ['confidence_score', 'events.sort.confidence'],
  ['outlier_score', 'events.sort.outlier'],
] as const

interface HeadProps {
  readonly of: ShownJob
  readonly view: View
  readonly total: number | null
  readonly isTotalExact: boolean
  /** The service cannot read the query. */
  readonly isRefused: boolean
  readonly show: (view: View) => void
  readonly toggleFacets: () => void
  readonly chosen: Chosen
}

export function Head({ of, view, total, isTotalExact, isRefused, show, toggleFacets, chosen }: HeadProps) {
  const input = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const typed = useRef('')
  const mistake = useSignal<string | null>(null)
  useEffect(() => {
    // The address changed without typing: by a facet, or by going back.
    mistake.value = null
    if (input.current !== null && input.current !== document.activeElement) input.current.value = view.query
  }, [view.query])
  useCommands({ search: () => input.current?.focus() })
  const search = async (text: string): Promise<void> => {
    const query = text.trim()
    typed.current = query
    // What is half typed is told while one types, and shows nothing else yet.
    const found = query === '' ? null : await mistakeOf(query)
    if (typed.current !== query) return
    mistake.value = found
    if (found === null) show({ ...view, query })
  }
  const problem = mistake.value ?? (isRefused ? t('events.not_read') : null)
  return (
    <header class="events-head">
      <h1 class="hidden">{t('events.title', { title: of.title })}</h1>
      <button type="button" class="icon-only" aria-label={t('facets.title')} onClick={toggleFacets}>
        <Icon name="filter" />
      </button>
      <Views of={of} view={view} />
      <input
        ref={input}
        type="search"
        aria-label={t('events.query')}
        placeholder={t('events.query_example')}
        defaultValue={view.query}
        spellcheck={false}
        onKeyDown={({ key, currentTarget: { value } }) => {
          if (key !== 'Enter') return
          clearTimeout(timer.current)
          void search(value)
        }}
        onInput={({ currentTarget: { value } }) => {
          clearTimeout(timer.current)
          timer.current = setTimeout(() => void search(value), TYPING_MS)
        }}
      />
      <span class={problem === null ? 'dim' : 'bad'} role="status">
        {problem ?? (total === null ? '…' : count(isTotalExact ? 'events.found' : 'events.at_least', total))}
      </span>
      <TimeRange view={view} show={show} />
      <select
        aria-label={t('events.sort')}
        value={`${view.sort} ${view.isAscending}`}
        onChange={({ currentTarget: { value } }) => {
          const [sort = '', isAscending] = value.split(' ')
          show({ ...view, sort, isAscending: isAscending === 'true' })
        }}
      >
        {sorts.flatMap(([sort, text]) => [
          <option key={`${sort} down`} value={`${sort} false`}>
            {t(`${text}.down`)}
          </option>,
          <option key={`${sort} up`} value={`${sort} true`}>
            {t(`${text}.up`)}
          </option>,
        ])}
      </select>
      <ColumnsMenu of={of} view={view} show={show} />
      <ExportMenu of={of} view={view} chosen={chosen} />
    </header>
  )
}
