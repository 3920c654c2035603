/**
 * What other decision points would do, before they are set: how many buckets the latest events would be in.
 *
 * Very large events are left out of the sample: they would be most of it.
 */
import type { FieldStatistics, SampledField } from '../../client/index.js'
import { api } from '../state/api.js'
import { useData } from '../state/data.js'
import type { ShownJob } from '../state/jobs.js'
import { count, share, t } from '../texts.js'
import { Loaded } from './loaded.js'

const SAMPLE = 500
const EVENT_CHARS_MAX = 32_768

/** Null: there are no events to try it on. */
interface Effect {
  readonly tried: { readonly before: FieldStatistics; readonly after: FieldStatistics } | null
}

async function readEffect(of: ShownJob, points: readonly string[], signal: AbortSignal): Promise<Effect> {
  const body = { job_ids: [of.job_id], size: SAMPLE, raw_body: true }
  const { events } = await api.listEvents({ body }, { signal })
  const sample = events.flatMap(({ raw_body: raw }) =>
    raw !== undefined && JSON.stringify(raw).length <= EVENT_CHARS_MAX ? [raw] : [],
  )
  if (sample.length === 0) return { tried: null }
  const describe = (chosen: readonly string[]): Promise<FieldStatistics> =>
    api.describeSample({ points: [...chosen], body: sample }, { signal })
  const [before, after] = await Promise.all([describe(of.features), describe(points)])
  return { tried: { before, after } }
}

function fieldText({ events, values, kind, reason }: SampledField, all: number): string {
  const text = t('point.field', { share: share(events / all), values, kind: t(`new_job.kind.${kind}`) })
  return `${text} ${reason}`
}

/** The new fields, as the sample knows them. */
function Fields({
  of,
  after,
  points,
}: {
  readonly of: ShownJob
  readonly after: FieldStatistics
  readonly points: readonly string[]
}) {
  const added = points.filter((point) => !of.features.includes(point))
  return (
    <>
      {added.map((point) => {
        const field = after.fields.find((one) => one.field === point)
        return (
          <li key={point}>
            <code>{point}</code>: {field === undefined ? t('point.unknown') : fieldText(field, after.events)}
          </li>
        )
      })}
    </>
  )
}

export function PointEffect({ of, points }: { readonly of: ShownJob; readonly points: readonly string[] }) {
  const data = useData(`points ${of.job_id} ${points.join('\n')}`, (signal) => readEffect(of, points, signal))
  const votes = of.feedback_documents_count
  return (
    <Loaded data={data} lines={3}>
      {({ tried }) => (
        <ul class="points">
          {tried === null ? (
            <li>{t('point.no_events')}</li>
          ) : (
            <>
              <li>
                {t('point.buckets', {
                  events: tried.after.events,
                  before: tried.before.buckets,
                  after: tried.after.buckets,
                })}{' '}
                {t('point.largest', {
                  before: share(tried.before.largest_share),
                  after: share(tried.after.largest_share),
                })}
              </li>
              <Fields of={of} after={tried.after} points={points} />
            </>
          )}
          <li>{count('point.votes', votes)}</li>
          <li>{t('point.stored')}</li>
        </ul>
      )}
    </Loaded>
  )
}
