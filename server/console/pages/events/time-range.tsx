/**
 * The range of time of the page of events: one that moves, such as the last 8 hours, or a fixed one. It is part of the
 * address, and so of named views. It is about the time of the events.
 */
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { fixedRange, type View } from '../../first-requests.js'
import { Icon } from '../../parts/icon.js'
import { serviceNow } from '../../state/clock.js'
import { fieldOfTime, timeOfField, timeText, zoneName } from '../../state/times.js'
import { t } from '../../texts.js'

const HOUR_MS = 3_600_000
/** How they are in the address, and how long they are. */
const moving = [
  ['15m', HOUR_MS / 4],
  ['1h', HOUR_MS],
  ['8h', 8 * HOUR_MS],
  ['24h', 24 * HOUR_MS],
  ['7d', 7 * 24 * HOUR_MS],
] as const

function fixed(fromMs: number | null, toMs: number | null): string {
  const end = (ms: number | null): string => (ms === null ? '' : new Date(ms).toISOString())
  const range = `${end(fromMs)}~${end(toMs)}`
  return range === '~' ? '' : range
}

/** `2026-11-29 10:00`, and only the time of day on the day of `beside`. */
function shortText(iso: string, beside = ''): string {
  if (iso === '') return '…'
  const [day, clock] = fieldOfTime(Date.parse(iso)).split('T')
  return beside !== '' && fieldOfTime(Date.parse(beside)).startsWith(`${day}T`) ? `${clock}` : `${day} ${clock}`
}

function nameOf(time: string): string {
  const [known] = moving.find(([name]) => name === time) ?? []
  if (known !== undefined) return t(`events.time.${known}`)
  const ends = fixedRange(time)
  if (ends !== null) return `${shortText(ends[0])} – ${shortText(ends[1], ends[0])}`
  return time === '' ? t('events.time.any') : time
}

function exactText([from, to]: readonly [string, string]): string {
  return [from, to].map((iso) => (iso === '' ? '…' : timeText(Date.parse(iso)))).join(' – ')
}

interface RangeProps {
  readonly view: View
  readonly show: (view: View) => void
}

/** The fields of a fixed range. */
function Fixed({ view, choose }: { readonly view: View; readonly choose: (time: string) => void }) {
  const [from = '', to = ''] = fixedRange(view.time) ?? []
  const asField = (iso: string): string => (iso === '' ? '' : fieldOfTime(Date.parse(iso)))
  const isWrong = useSignal(false)
  const form = useRef<HTMLFormElement>(null)
  const apply = (): void => {
    const given = new FormData(form.current as HTMLFormElement)
    const [fromMs, toMs] = ['from', 'to'].map((name) => timeOfField(String(given.get(name) ?? ''))) as [
      number | null,
      number | null,
    ]
    isWrong.value = fromMs !== null && toMs !== null && fromMs > toMs
    if (!isWrong.value) choose(fixed(fromMs, toMs))
  }
  return (
    <form
      ref={form}
      key={view.time}
      class="time-form"
      onSubmit={(event) => {
        event.preventDefault()
        apply()
      }}
    >
      <label>
        {t('events.time.from')}
        <input name="from" type="datetime-local" defaultValue={asField(from)} />
      </label>
      <label>
        {t('events.time.to')}
        <input name="to" type="datetime-local" defaultValue={asField(to)} />
      </label>
      <p class={isWrong.value ? 'bad' : 'dim'}>
        {isWrong.value ? t('events.time.wrong') : t('events.time.zone', { zone: zoneName() })}
      </p>
      <button type="submit">{t('events.time.apply')}</button>
    </form>
  )
}

export function TimeRange({ view, show }: RangeProps) {
  const menu = useRef<HTMLDetailsElement>(null)
  const choose = (time: string): void => {
    if (menu.current !== null) menu.current.open = false
    show({ ...view, time })
  }
  const ends = fixedRange(view.time)
  return (
    <details class="menu right times" ref={menu}>
      <summary title={ends === null ? t('events.time') : exactText(ends)}>
        <Icon name="clock" />
        <span class="hidden">{t('events.time')}</span>
        <span class="ellipsis">{nameOf(view.time)}</span>
        <Icon name="chevron-down" />
      </summary>
      <div class="menu-list">
        <button type="button" aria-pressed={view.time === ''} onClick={() => choose('')}>
          {t('events.time.any')}
        </button>
        {moving.map(([name, ms]) => (
          <div key={name} class="time-line">
            <button type="button" aria-pressed={view.time === name} onClick={() => choose(name)}>
              {t(`events.time.${name}`)}
            </button>
            <button
              type="button"
              aria-label={t('events.time.fix', { range: t(`events.time.${name}`) })}
              title={t('events.time.fix', { range: t(`events.time.${name}`) })}
              onClick={() => choose(fixed(serviceNow() - ms, serviceNow()))}
            >
              <Icon name="pin" />
            </button>
          </div>
        ))}
        <Fixed view={view} choose={choose} />
      </div>
    </details>
  )
}
