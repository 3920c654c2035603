/** Who said what of an event and its bucket, and an administrator's last word. */
import { addresses } from '../../addresses.js'
import { Label } from '../../parts/label.js'
import { Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { api, may } from '../../state/api.js'
import type { ShownJob } from '../../state/jobs.js'
import { attempt, say } from '../../state/toasts.js'
import { votesTaken } from '../../state/votes.js'
import { count, t } from '../../texts.js'
import type { Whole } from './read.js'

function Override({ of, whole }: { readonly of: ShownJob; readonly whole: Whole }) {
  if (!may('write:consensus')) return null
  const place = { job_id: of.job_id, event_id: whole.event.event_id }
  const before = whole.consensus?.override?.label ?? ''
  const set = async (label: string): Promise<void> => {
    const isSet = await attempt(async () => {
      if (label === '') await api.withdrawEventOverride(place)
      else await api.overrideEventConsensus({ ...place, body: { consensus: label } })
    })
    if (!isSet) return
    votesTaken.value++
    say(t(label === '' ? 'votes.override_gone' : 'votes.override_set', { label }), () => set(before))
  }
  return (
    <label class="inline">
      <span class="dim">{t('votes.override')}</span>
      <select
        value={whole.consensus?.override?.label ?? ''}
        onChange={({ currentTarget: { value } }) => void set(value)}
      >
        <option value="">{t('votes.no_override')}</option>
        {of.labels.map((label) => (
          <option key={label} value={label}>
            {label}
          </option>
        ))}
      </select>
    </label>
  )
}

interface OnProps {
  readonly of: ShownJob
  readonly vote: NonNullable<Whole['consensus']>['votes'][number]
  readonly eventId: string
}

/** What a vote is on: the bucket, this event, or another one of the bucket. */
function On({ of, vote, eventId }: OnProps) {
  if (vote.scope === 'bucket') return <>{t('votes.whole_bucket')}</>
  if (vote.event_id === eventId) return <>{t('votes.this_event')}</>
  if (vote.event_id === null) return <>—</>
  return (
    <a class="mono bidi" href={addresses.event(of.job_id, vote.event_id)}>
      {vote.event_id}
    </a>
  )
}

export function Votes({ of, whole }: { readonly of: ShownJob; readonly whole: Whole }) {
  const { consensus, event } = whole
  if (consensus === null) return null
  return (
    <section class="panel stack">
      <header class="row">
        <h2 class="grow">{t('event.votes')}</h2>
        <Override of={of} whole={whole} />
      </header>
      <p class="row">
        {consensus.consensus === null ? (
          <span class="dim">{t('votes.none')}</span>
        ) : (
          <>
            <Label of={of} label={consensus.consensus} />
            <span class="dim">{count('votes.of', consensus.votes_count)}</span>
          </>
        )}
        {consensus.mixed ? <span class="tag warn">{t('votes.mixed')}</span> : null}
        {consensus.bucket_id === null ? null : (
          <a class="dim" href={addresses.bucket(of.job_id, consensus.bucket_id)}>
            {count('votes.bucket', consensus.events_count)}
          </a>
        )}
      </p>
      {consensus.votes.length === 0 ? null : (
        <Table
          columns={[
            { text: t('votes.head.analyst') },
            { text: t('votes.head.label') },
            { text: t('votes.head.event') },
            { text: t('votes.head.time'), isNumber: true },
          ]}
          rows={consensus.votes.toReversed().map((vote) => ({
            key: `${vote.analyst} ${vote.event_id}`,
            cells: [
              vote.analyst,
              <div key="l">
                <Label of={of} label={vote.label} />
                {vote.closing_notes == null ? null : <div class="dim bidi">{vote.closing_notes}</div>}
              </div>,
              <On key="o" of={of} vote={vote} eventId={event.event_id} />,
              <Time key="t" at={vote.timestamp} />,
            ],
          }))}
        />
      )}
    </section>
  )
}
