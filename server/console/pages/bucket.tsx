/** One bucket: the values that its events share, who said what, its latest events. */
import { useRoute } from 'preact-iso'
import type { ConsensusView, QueriedEvent } from '../../client/index.js'
import { addresses } from '../addresses.js'
import { Decision, Label } from '../parts/label.js'
import { Loaded } from '../parts/loaded.js'
import { Table } from '../parts/table.js'
import { Time } from '../parts/time.js'
import { VoteButtons, voteOn } from '../parts/votes.js'
import { api, serviceField, session } from '../state/api.js'
import { useData } from '../state/data.js'
import { titleOf, valueText } from '../state/events.js'
import { job as jobOfPage, type ShownJob } from '../state/jobs.js'
import { useCommands } from '../state/keys.js'
import { votesTaken } from '../state/votes.js'
import { count, t } from '../texts.js'
import NotFound from './not-found.js'

const SIZE = 50

interface Whole {
  readonly bucket: ConsensusView
  readonly events: readonly QueriedEvent[]
}

async function readBucket(of: ShownJob, id: string, signal: AbortSignal): Promise<Whole> {
  const [bucket, { events }] = await Promise.all([
    api.getBucketConsensus({ job_id: of.job_id, bucket_id: id }, { signal }),
    api.queryEvents(
      {
        body: {
          job_ids: [of.job_id],
          filters: [{ field: serviceField('bucket_id'), operator: 'is', value: id }],
          size: SIZE,
          decision_points_only: true,
        },
      },
      { signal },
    ),
  ])
  return { bucket, events }
}

function Votes({ of, bucket }: { readonly of: ShownJob; readonly bucket: ConsensusView }) {
  return (
    <section class="panel stack">
      <h2>{t('event.votes')}</h2>
      <p class="row">
        <Label of={of} label={bucket.consensus} />
        <span class="dim">{t(`state.${bucket.bucket_state}`)}</span>
      </p>
      {bucket.votes.length === 0 ? (
        <p class="dim">{t('votes.none')}</p>
      ) : (
        <Table
          columns={[
            { text: t('votes.head.analyst') },
            { text: t('votes.head.label') },
            { text: t('votes.head.time'), isNumber: true },
          ]}
          rows={bucket.votes.toReversed().map((vote) => ({
            key: `${vote.analyst} ${vote.event_id}`,
            cells: [vote.analyst, <Label key="l" of={of} label={vote.label} />, <Time key="t" at={vote.timestamp} />],
          }))}
        />
      )}
    </section>
  )
}

function Shown({ of, whole }: { readonly of: ShownJob; readonly whole: Whole }) {
  const { bucket, events } = whole
  const latest = events[0]
  const before = bucket.votes.find(({ analyst }) => analyst === session.value?.name)?.label ?? null
  const vote = (at: number): void => {
    if (latest !== undefined) voteOn({ of, eventId: latest.event_id, title: titleOf(latest) }, at)
  }
  useCommands({ 'vote.1': () => vote(0), 'vote.2': () => vote(1), 'vote.3': () => vote(2), back: () => history.back() })
  return (
    <>
      <header class="card-head">
        <h1>{latest === undefined ? bucket.bucket_id : titleOf(latest)}</h1>
        <p class="dim">
          {count('votes.bucket', bucket.events_count)} · <span class="mono">{bucket.bucket_id}</span>
        </p>
      </header>
      {latest === undefined ? null : (
        <VoteButtons of={of} eventId={latest.event_id} title={titleOf(latest)} before={before} />
      )}
      <div class="two">
        <section class="panel">
          <h2>{t('bucket.events')}</h2>
          <Table
            columns={[
              { text: t('jobs.head.events') },
              { text: t('facets.decision') },
              { text: t('votes.head.time'), isNumber: true },
            ]}
            rows={events.map((event) => ({
              key: event.event_id,
              cells: [
                <a key="a" href={addresses.event(of.job_id, event.event_id)}>
                  {titleOf(event)}
                </a>,
                <Decision key="d" of={of} event={event} />,
                <Time key="t" at={event['@timestamp']} />,
              ],
            }))}
          />
        </section>
        <div class="stack">
          <section class="panel">
            <h2>{t('bucket.values')}</h2>
            <dl class="facts">
              {Object.entries(bucket.decision_points ?? {}).map(([name, value]) => (
                <>
                  <dt class="mono">{name}</dt>
                  <dd class="mono bidi">{valueText(value)}</dd>
                </>
              ))}
            </dl>
          </section>
          <Votes of={of} bucket={bucket} />
        </div>
      </div>
    </>
  )
}

function BucketOf({ of, id }: { readonly of: ShownJob; readonly id: string }) {
  const key = `bucket ${of.job_id} ${id} ${votesTaken.value}`
  const data = useData(key, (signal) => readBucket(of, id, signal), { isKept: true })
  return (
    <div class="page">
      <Loaded data={data} lines={10}>
        {(whole) => <Shown of={of} whole={whole} />}
      </Loaded>
    </div>
  )
}

export default function Bucket() {
  const { params } = useRoute()
  const of = jobOfPage.value
  return of === null ? <NotFound /> : <BucketOf of={of} id={params.bucket ?? ''} />
}
