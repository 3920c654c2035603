/** The palette: every place, job and command by a few characters. */
import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { useEffect } from 'preact/hooks'
import { addresses } from '../addresses.js'
import { Dialog } from '../parts/dialog.js'
import { Icon } from '../parts/icon.js'
import { Keys } from '../parts/keys.js'
import { plainText } from '../parts/event-title.js'
import { api, may, serviceField } from '../state/api.js'
import { useData } from '../state/data.js'
import { titleOf } from '../state/events.js'
import { job, jobs } from '../state/jobs.js'
import { commands, isOffered, keysOf, offers, runCommand, textOfCommand } from '../state/keys.js'
import { pagesAboutJob } from '../state/places.js'
import { loadViews, views } from '../state/views.js'
import { t } from '../texts.js'
import { isPaletteOpen } from './open.js'

interface Entry {
  readonly id: string
  readonly text: string
  readonly icon: string
  readonly keys: string
  run(): void
}

const SHOWN_MAX = 50
/** Events that are shown, and milliseconds: before they are looked for, and for looking. */
const [FOUND_MAX, PAUSE_MS, WITHIN_MS] = [5, 200, 400]

/** How well a text fits what is typed, 0 the best; null: the characters are not in it, in order. */
function rankOf(text: string, typed: string): number | null {
  const [lower, wanted] = [text.toLowerCase(), typed.trim().toLowerCase()]
  const place = lower.indexOf(wanted)
  if (place === 0) return 0
  if (place > 0) return /\W/.test(lower.charAt(place - 1)) ? 1 : 2
  let at = 0
  for (const sign of wanted.replaceAll(' ', '')) {
    at = lower.indexOf(sign, at) + 1
    if (at === 0) return null
  }
  return 3
}

/** What fits, the best first. */
function fitting(entries: readonly Entry[], typed: string): Entry[] {
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry.text, typed) }))
    .filter(({ rank }) => rank !== null)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .slice(0, SHOWN_MAX)
    .map(({ entry }) => entry)
}

function useEntries(): Entry[] {
  const { route } = useLocation()
  void offers.value
  const ofJobs = (jobs.value ?? []).map(({ job_id: id, title }) => ({
    id: `job ${id}`,
    text: t('palette.job', { title }),
    icon: 'inbox',
    keys: '',
    run: () => route(addresses.next(id)),
  }))
  const ofCommands = commands
    .filter((command) => command !== 'palette' && isOffered(command))
    .map((command) => ({
      id: command,
      text: t(textOfCommand(command)),
      icon: 'chevron-right',
      keys: keysOf(command),
      run: () => void runCommand(command),
    }))
  const current = job.value
  const ofPages = (current === null ? [] : pagesAboutJob(current)).map(({ text, href }) => ({
    id: href,
    text: t('palette.page', { title: current?.title ?? '', page: t(text) }),
    icon: 'gauge',
    keys: '',
    run: () => route(href),
  }))
  const ofVotes =
    current === null || !may('write:event_feedback')
      ? []
      : [
          {
            id: 'bulk votes',
            text: t('palette.page', { title: current.title, page: t('tasks.title') }),
            icon: 'list',
            keys: '',
            run: () => route(addresses.voteTasks(current.job_id)),
          },
        ]
  const ofViews = views.value.map(({ id, name, jobId, address }) => ({
    id: `view ${id}`,
    text: t('palette.view', { name }),
    icon: 'star',
    keys: '',
    run: () => route(addresses.events(jobId, address)),
  }))
  // Places first: what a key does on this page is done by the key.
  const isPlace = ({ id }: Entry): boolean => id.startsWith('go.')
  const places = ofCommands.filter(isPlace)
  return [...places, ...ofPages, ...ofVotes, ...ofViews, ...ofJobs, ...ofCommands.filter((entry) => !isPlace(entry))]
}

function eventEntry(typed: string, route: (url: string) => void): Entry[] {
  const id = typed.trim()
  const { value } = job
  if (value === null || id.length < 3) return []
  const run = (): void => route(addresses.event(value.job_id, id))
  return [{ id: 'event', text: t('palette.event', { id }), icon: 'search', keys: '', run }]
}

/** The way to the events whose title has the words, and the first of them. */
function useFound(typed: string, route: (url: string) => void): Entry[] {
  const { value } = job
  const words = typed.trim()
  const mayFind = value !== null && words.length >= 3 && may('read:event_query')
  const key = mayFind ? `palette ${value.job_id} ${words}` : null
  const found = useData(key, async (signal) => {
    // Somebody is still typing.
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    signal.throwIfAborted()
    const filters = [{ field: serviceField('title'), operator: 'contains', value: words }]
    const body = { job_ids: [value?.job_id ?? 0], filters, size: FOUND_MAX, within_ms: WITHIN_MS }
    return (await api.listEvents({ body }, { signal })).events
  })
  if (!mayFind) return []
  const { job_id: jobId } = value
  const quoted = `"${words.replace(/["\\]/g, '\\$&')}"`
  return [
    ...(found.value ?? []).map((event) => ({
      id: `found ${event.event_id}`,
      text: plainText(titleOf(event)),
      icon: 'list',
      keys: '',
      run: () => route(addresses.event(jobId, event.event_id)),
    })),
    {
      id: 'all found',
      text: t('palette.all', { words }),
      icon: 'search',
      keys: '',
      run: () => route(addresses.events(jobId, new URLSearchParams({ q: quoted }).toString())),
    },
  ]
}

function Search() {
  // Without them the palette finds all else.
  useEffect(() => void loadViews().catch(() => {}), [])
  const typed = useSignal('')
  const at = useSignal(0)
  const { route } = useLocation()
  const entries = useEntries()
  const found = useFound(typed.value, route)
  const shown = [...fitting(entries, typed.value), ...found, ...eventEntry(typed.value, route)]
  const chosen = Math.min(at.value, shown.length - 1)
  const take = (entry: Entry | undefined): void => {
    if (entry === undefined) return
    isPaletteOpen.value = false
    // The dialog goes first: the command may open another one.
    setTimeout(() => entry.run())
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (event.key === 'Enter' && !event.repeat) take(shown[chosen])
    if (step === 0) return
    event.preventDefault()
    at.value = (chosen + step + shown.length) % shown.length
    document.getElementById(`found-${at.value}`)?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <>
      <input
        class="palette-input"
        role="combobox"
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant={`found-${chosen}`}
        aria-label={t('palette.label')}
        placeholder={t('palette.label')}
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value
          at.value = 0
        }}
        onKeyDown={onKeyDown}
      />
      <div id="found" role="listbox" class="palette-list" aria-label={t('palette.label')}>
        {shown.map((entry, index) => (
          <div
            key={entry.id}
            id={`found-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => take(entry)}
            onKeyDown={onKeyDown}
          >
            <Icon name={entry.icon} />
            <span class="grow ellipsis">{entry.text}</span>
            {entry.keys === '' ? null : <Keys keys={entry.keys} />}
          </div>
        ))}
        {shown.length === 0 ? <p class="dim">{t('palette.none')}</p> : null}
      </div>
    </>
  )
}

export function Palette() {
  if (!isPaletteOpen.value) return null
  return (
    <Dialog title={t('bar.find')} close={() => (isPaletteOpen.value = false)} class="palette">
      <Search />
    </Dialog>
  )
}
