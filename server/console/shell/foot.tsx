/** The line below every page: votes that wait, whether the page is live, the first key of a sequence. */
import { Icon } from '../parts/icon.js'
import { LastDone } from '../parts/toasts.js'
import { isReached } from '../state/api.js'
import { minutesAhead } from '../state/clock.js'
import { begun } from '../state/keys.js'
import { liveState } from '../state/live.js'
import { unfinished } from '../state/jobs.js'
import { prefer, preferences } from '../state/preferences.js'
import { zoneName } from '../state/times.js'
import { send, waiting } from '../state/votes.js'
import { count, t } from '../texts.js'

/** Events of a file that are on their way into a job. */
function Sending() {
  const state = unfinished.value
  if (state === null) return null
  const done = state.taken + state.refused
  if (state.problem === null) return <span>{t('playing.foot', { done, total: state.total })}</span>
  return (
    <button type="button" class="plain warn" title={state.problem} onClick={state.goOn}>
      {t('playing.broken', { left: state.total - done })} · {t('new_job.go_on')}
    </button>
  )
}

/** The zone of all times, and the other one by a click. */
function Zone() {
  const isUtc = preferences.value.zone === 'utc'
  const zone = zoneName()
  const other = isUtc ? t('zone.local') : 'UTC'
  return (
    <button
      type="button"
      class="plain dim"
      title={t('zone.switch', { zone, other })}
      onClick={() => prefer({ zone: isUtc ? 'local' : 'utc' })}
    >
      {t('zone.shown', { zone })}
    </button>
  )
}

/** A browser's clock that is wrong: times are the service's all the same. */
function Clock() {
  const ahead = minutesAhead.value
  if (ahead === 0) return null
  return <span class="warn">{count(ahead > 0 ? 'clock.ahead' : 'clock.behind', Math.abs(ahead))}</span>
}

export function Foot() {
  const waits = waiting.value.length
  const state = isReached.value ? liveState.value : 'offline'
  return (
    <footer class="foot">
      {begun.value === '' ? null : <kbd>{begun.value} …</kbd>}
      <LastDone />
      <Sending />
      <Clock />
      <Zone />
      {waits === 0 ? null : (
        <button type="button" class="plain" onClick={() => void send()}>
          {count('votes.waiting', waits)}
        </button>
      )}
      <span class={`live live-${state}`} role="status">
        {state === 'offline' ? <Icon name="wifi-off" /> : <span class="dot" aria-hidden="true" />}
        {t(`live.${state}`)}
      </span>
    </footer>
  )
}
