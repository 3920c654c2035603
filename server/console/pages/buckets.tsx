/** Buckets whose votes need somebody: they differ, are tied, or do not tell events apart. */
import { useSignal } from '@preact/signals'
import type { ConsensusView } from '../../client/index.js'
import { addresses } from '../addresses.js'
import { Empty } from '../parts/feedback.js'
import { Label } from '../parts/label.js'
import { Loaded } from '../parts/loaded.js'
import { Pages } from '../parts/pages.js'
import { Table } from '../parts/table.js'
import { api, may } from '../state/api.js'
import { useData } from '../state/data.js'
import { valueText } from '../state/events.js'
import { job as jobOfPage, type ShownJob } from '../state/jobs.js'
import { attempt, say } from '../state/toasts.js'
import { count, number, t } from '../texts.js'
import NotFound from './not-found.js'

const SIZE = 25
const VALUES = 4

/** The values that the events of a bucket share, on a line. */
export function valuesText({ decision_points: points }: ConsensusView): string {
  const values = Object.values(points ?? {}).filter((value) => value != null)
  return values.slice(0, VALUES).map(valueText).join(' · ')
}

/** How many votes each label has. Of a tie the service counts no event for any label. */
function Split({ of, bucket }: { readonly of: ShownJob; readonly bucket: ConsensusView }) {
  const counts = new Map<string, number>()
  for (const { label } of bucket.votes) counts.set(label, (counts.get(label) ?? 0) + 1)
  return (
    <span class="row">
      {[...counts].map(([label, n]) => (
        <span key={label} class="label">
          <Label of={of} label={label} />
          <span class="dim">{n}</span>
        </span>
      ))}
    </span>
  )
}

function Rows({ of, buckets }: { readonly of: ShownJob; readonly buckets: readonly ConsensusView[] }) {
  return (
    <Table
      columns={[
        { text: t('buckets.head.values') },
        { text: t('buckets.head.votes') },
        { text: t('buckets.head.consensus') },
        { text: t('buckets.head.events'), isNumber: true },
      ]}
      rows={buckets.map((bucket) => ({
        key: bucket.bucket_id ?? bucket.event_id ?? '',
        cells: [
          <a key="a" href={addresses.bucket(of.job_id, bucket.bucket_id ?? '')}>
            {valuesText(bucket) || bucket.bucket_id}
          </a>,
          <Split key="s" of={of} bucket={bucket} />,
          <Label key="l" of={of} label={bucket.consensus} />,
          number(bucket.events_count),
        ],
      }))}
    />
  )
}

function Separating({ of }: { readonly of: ShownJob }) {
  const mixed = useData(`mixed ${of.job_id}`, (signal) =>
    api.listMixedBuckets({ job_id: of.job_id, size: SIZE }, { signal }),
  )
  const add = async (field: string): Promise<void> => {
    await attempt(async () => {
      const { training } = await api.addDecisionPoints({ job_id: of.job_id, body: { add: [field] } })
      say(t('buckets.added', { field, training }))
      mixed.reload()
    })
  }
  return (
    <Loaded data={mixed}>
      {({ mixed_buckets: buckets, separating_fields: fields }) =>
        buckets.length === 0 ? (
          <p class="dim">{t('buckets.no_mixed')}</p>
        ) : (
          <>
            <Rows of={of} buckets={buckets} />
            {fields.length === 0 ? null : (
              <>
                <h2 class="small">{t('buckets.separating')}</h2>
                <ul>
                  {fields.slice(0, 5).map(({ field, buckets: after, values }) => (
                    <li key={field} class="row">
                      <span class="mono grow">{field}</span>
                      <span class="dim">{count('buckets.values', values, { after })}</span>
                      {may('write:resources') ? (
                        <button type="button" onClick={() => void add(field)}>
                          {t('buckets.add')}
                        </button>
                      ) : null}
                    </li>
                  ))}
                </ul>
              </>
            )}
          </>
        )
      }
    </Loaded>
  )
}

function BucketsOf({ of }: { readonly of: ShownJob }) {
  const page = useSignal(0)
  const found = useData(`disagreements ${of.job_id} ${page.value}`, (signal) =>
    api.listDisagreements({ job_id: of.job_id, size: SIZE, page: page.value }, { signal }),
  )
  return (
    <div class="page">
      <h1>{t('place.buckets')}</h1>
      <section class="panel stack">
        <h2>{t('buckets.disagreements')}</h2>
        <Loaded data={found}>
          {({ disagreements, total_count: total }) =>
            disagreements.length === 0 ? (
              <Empty title={t('buckets.none')} text={t('buckets.none_text')} icon="check" />
            ) : (
              <>
                <Rows of={of} buckets={disagreements} />
                <Pages page={page.value} size={SIZE} total={total} go={(to) => (page.value = to)}>
                  {count('buckets.found', total)}
                </Pages>
              </>
            )
          }
        </Loaded>
      </section>
      <section class="panel stack">
        <h2>{t('buckets.mixed')}</h2>
        <Separating of={of} />
      </section>
    </div>
  )
}

export default function Buckets() {
  const of = jobOfPage.value
  return of === null ? <NotFound /> : <BucketsOf key={of.job_id} of={of} />
}
