/** The line below every page: votes that wait, whether the page is live, the first key of a sequence. */
import { Icon } from '../parts/icon.js'
import { isReached } from '../state/api.js'
import { begun } from '../state/keys.js'
import { liveState } from '../state/live.js'
import { send, waiting } from '../state/votes.js'
import { count, t } from '../texts.js'

export function Foot() {
  const waits = waiting.value.length
  const state = isReached.value ? liveState.value : 'offline'
  return (
    <footer class="foot">
      {begun.value === '' ? null : <kbd>{begun.value} …</kbd>}
      <span class="grow" />
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
