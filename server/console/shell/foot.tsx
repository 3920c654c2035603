/** The line below every page: votes that wait, whether the page is live, the first key of a sequence. */
import { Icon } from '../parts/icon.js'
import { isReached } from '../state/api.js'
import { begun } from '../state/keys.js'
import { liveState } from '../state/live.js'
import { unfinished } from '../state/playing.js'
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

export function Foot() {
  const waits = waiting.value.length
  const state = isReached.value ? liveState.value : 'offline'
  return (
    <footer class="foot">
      {begun.value === '' ? null : <kbd>{begun.value} …</kbd>}
      <span class="grow" />
      <Sending />
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
