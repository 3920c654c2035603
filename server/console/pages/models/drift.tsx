/** Whether the stream has moved away from the model: in words, and period by period. */
import { addresses } from '../../addresses.js'
import { Loaded } from '../../parts/loaded.js'
import { Table } from '../../parts/table.js'
import { api, may } from '../../state/api.js'
import { useData } from '../../state/data.js'
import type { ShownJob } from '../../state/jobs.js'
import { utcDayText } from '../../state/times.js'
import { number, sentence, share, t } from '../../texts.js'

/** Periods that are shown, the latest first. */
const PERIODS = 14
const SECONDS = 10

interface Period {
  readonly start_time: string
  readonly total_events: number
  readonly outlier_rate: number | null
  readonly low_confidence_rate: number | null
  readonly error_rate: number | null
  /** Since the period before: how far each decision point has moved, 0 to 1. */
  readonly drift: { readonly inputs_per_decision_point?: Readonly<Record<string, number | null>> } | null
}

async function readPeriods(of: ShownJob, signal: AbortSignal): Promise<readonly Period[]> {
  const { job_metrics: jobs } = await api.getInternalMetrics(
    {
      job_ids: [of.job_id],
      aggregation_time_interval: '1d',
      recompute_model_metrics: false,
      latest_n_models_to_recompute: 0,
      timeout_s: SECONDS,
    },
    { signal },
  )
  const metrics = Object.values(jobs)[0]?.job_metrics as { intervals?: readonly Period[] } | undefined
  return (metrics?.intervals ?? [])
    .filter(({ total_events: events }) => events > 0)
    .slice(-PERIODS)
    .reverse()
}

function shareText(value: number | null): string {
  return value === null ? '—' : share(value)
}

/** The decision point that moved most since the period before. */
function movedMost({ drift }: Period): string {
  const points = Object.entries(drift?.inputs_per_decision_point ?? {})
  const [most] = points.sort(([, a], [, b]) => (b ?? 0) - (a ?? 0))
  return most === undefined || (most[1] ?? 0) === 0 ? '—' : `${most[0]} (${share(most[1] ?? 0)})`
}

export function Drift({ of }: { readonly of: ShownJob }) {
  const data = useData(`drift ${of.job_id} ${of.last_train_finished_timestamp}`, (signal) => readPeriods(of, signal))
  const isAgeing = of.model_state === 'ageing'
  return (
    <section class="panel stack">
      <header>
        <h2>{t('drift.title')}</h2>
        <p class={isAgeing ? 'warn' : 'dim'}>
          {sentence(of.model_msg)}{' '}
          {isAgeing && may('read:event_query') ? <a href={addresses.next(of.job_id)}>{t('step.open_next')}</a> : null}
        </p>
      </header>
      <Loaded data={data} lines={3}>
        {(periods) =>
          periods.length === 0 ? (
            <p class="dim">{t('history.none')}</p>
          ) : (
            <Table
              columns={[
                { text: t('drift.day') },
                { text: t('jobs.head.events'), isNumber: true },
                { text: t('drift.unsure'), isNumber: true },
                { text: t('drift.outliers'), isNumber: true },
                { text: t('drift.wrong'), isNumber: true },
                { text: t('drift.moved') },
              ]}
              rows={periods.map((period) => ({
                key: period.start_time,
                cells: [
                  utcDayText(Date.parse(period.start_time)),
                  number(period.total_events),
                  shareText(period.low_confidence_rate),
                  shareText(period.outlier_rate),
                  shareText(period.error_rate),
                  <span key="m" class="mono">
                    {movedMost(period)}
                  </span>,
                ],
              }))}
            />
          )
        }
      </Loaded>
    </section>
  )
}
