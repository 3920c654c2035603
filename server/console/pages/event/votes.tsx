/** Who said what of an event and its bucket, and an administrator's last word. */
import { addresses } from '../../addresses.js'
import { Label } from '../../parts/label.js'
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
  const set = async (label: string): Promise<void> => {
    const isSet = await attempt(async () => {
      if (label === '') await api.withdrawEventOverride(place)
      else await api.overrideEventConsensus({ ...place, body: { consensus: label } })
    })
    if (!isSet) return
    votesTaken.value++
    say(t(label === '' ? 'votes.override_gone' : 'votes.override_set', { label }))
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
        <div class="table-wrap">
          <table>
            <thead>
              <tr>
                <th>{t('votes.head.analyst')}</th>
                <th>{t('votes.head.label')}</th>
                <th>{t('votes.head.event')}</th>
                <th class="number">{t('votes.head.time')}</th>
              </tr>
            </thead>
            <tbody>
              {consensus.votes.toReversed().map((vote) => (
                <tr key={`${vote.analyst} ${vote.event_id}`}>
                  <td class="bidi">{vote.analyst}</td>
                  <td>
                    <Label of={of} label={vote.label} />
                    {vote.closing_notes == null ? null : <div class="dim bidi">{vote.closing_notes}</div>}
                  </td>
                  <td>
                    {vote.scope === 'bucket' ? (
                      t('votes.whole_bucket')
                    ) : vote.event_id === event.event_id ? (
                      t('votes.this_event')
                    ) : vote.event_id === null ? (
                      '—'
                    ) : (
                      <a class="mono bidi" href={addresses.event(of.job_id, vote.event_id)}>
                        {vote.event_id}
                      </a>
                    )}
                  </td>
                  <td class="number">
                    <Time at={vote.timestamp} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
