/** The buttons of a job's labels. */
import type { PickedBy } from '../../client/index.js'
import { may } from '../state/api.js'
import type { ShownJob } from '../state/jobs.js'
import { voteCommands } from '../state/keys.js'
import { give, voted, votedKey } from '../state/votes.js'
import { t } from '../texts.js'
import { Key } from './keys.js'
import { LabelMark } from './label.js'

interface VoteProps {
  readonly of: ShownJob
  readonly eventId: string
  /** What the event is called. */
  readonly title: string
  /** What this person had said before. */
  readonly before: string | null
  readonly pickedBy?: PickedBy | undefined
  readonly after?: (label: string) => void
}

/** Gives a vote on an event. */
export function voteOn({ of, eventId, title, pickedBy, after }: Omit<VoteProps, 'before'>, at: number): void {
  const label = of.onKeys[at]?.name
  if (label === undefined || !may('write:event_feedback')) return
  give(of.job_id, label, [{ eventId, title, pickedBy }])
  after?.(label)
}

/** The second click of a double click comes so soon. The next event may be under the pointer by then. */
const DOUBLE_MS = 350
let clickedAt = Number.NEGATIVE_INFINITY

function isSecondClick({ timeStamp }: MouseEvent): boolean {
  const isSecond = timeStamp - clickedAt < DOUBLE_MS
  clickedAt = timeStamp
  return isSecond
}

export function VoteButtons(props: VoteProps) {
  const { of, eventId, before } = props
  if (!may('write:event_feedback')) return null
  const own = voted.value.get(votedKey(of.job_id, eventId))
  const current = own === undefined ? before : own.label
  return (
    <fieldset class="votes" aria-label={t('vote.group')}>
      {of.onKeys.map(({ name, color }, at) => (
        <button
          key={name}
          type="button"
          style={{ '--label': color }}
          aria-pressed={current === name}
          onClick={(event) => {
            if (!isSecondClick(event)) voteOn(props, at)
          }}
        >
          <Key of={voteCommands[at] ?? 'vote.1'} />
          <LabelMark of={of} label={name} />
          {name}
          {own?.state === 'waiting' && current === name ? <span class="dim">{t('vote.waiting')}</span> : null}
        </button>
      ))}
    </fieldset>
  )
}
