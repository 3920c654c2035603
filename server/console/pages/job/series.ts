/** What the chart of a job shows: its numbers over time, interval by interval, and what happened to its models. */
import { isTransient, type RegisteredModel } from '../../../client/index.js'
import { api, serviceField } from '../../state/api.js'
import { serviceNow } from '../../state/clock.js'
import type { ShownJob } from '../../state/jobs.js'
import { LOW_CONFIDENCE } from './figures.js'

const HOUR_MS = 3_600_000
/** The wider the time, the wider the intervals: at most some hundred of them. */
const intervals = [
  ['5m', HOUR_MS / 12],
  ['1h', HOUR_MS],
  ['1d', 24 * HOUR_MS],
  ['7d', 168 * HOUR_MS],
] as const
const POINTS_MAX = 300
/** Accuracy by interval reads all votes. It may take so long, and is left out if it takes longer. */
const RIGHT_SECONDS = 5

/** The start of the time that a model decides, or of drift. */
export interface Mark {
  readonly kind: 'trained' | 'promoted' | 'rolled_back' | 'ageing'
  /** Seconds since 1970. */
  readonly at: number
}

export interface Series {
  /** Seconds since 1970. */
  readonly times: readonly number[]
  /** A row for each label. */
  readonly labels: readonly (readonly number[])[]
  readonly decided: readonly number[]
  readonly settled: readonly number[]
  readonly doubtful: readonly number[]
  /** Percent; null where fewer than 30 votes say so. */
  readonly right: readonly (number | null)[]
  readonly marks: readonly Mark[]
}

interface Slot {
  readonly key: number
  readonly l?: { readonly buckets: readonly { readonly key: string; readonly doc_count: number }[] }
  readonly settled?: { readonly doc_count: number }
  readonly doubtful?: { readonly doc_count: number }
}

interface MeasuredInterval {
  readonly start_time: string
  readonly quality?: { readonly new_buckets?: { readonly accuracy?: { readonly value: number | null } } }
}

function aggregations(interval: string) {
  const decided = { exists: { field: serviceField('result_label') } }
  const below = { range: { [serviceField('confidence_score')]: { lt: LOW_CONFIDENCE } } }
  return {
    t: {
      date_histogram: { field: 'timestamp_inference', fixed_interval: interval },
      aggs: {
        l: { terms: { field: serviceField('result_label'), size: 4 } },
        settled: { filter: { term: { [serviceField('autonomy')]: 'settled' } } },
        doubtful: { filter: { bool: { must: [decided, below] } } },
      },
    },
  }
}

/** Accuracy of the events that nobody had voted on, by interval: its start, and percent. */
async function readRight(of: ShownJob, interval: string, signal: AbortSignal): Promise<[number, number][]> {
  try {
    const answer = await api.getInternalMetrics(
      {
        job_ids: [of.job_id],
        aggregation_time_interval: interval,
        recompute_model_metrics: false,
        latest_n_models_to_recompute: 0,
        timeout_s: RIGHT_SECONDS,
      },
      { signal },
    )
    const metrics = Object.values(answer.job_metrics)[0]?.job_metrics as { intervals?: MeasuredInterval[] } | undefined
    return (metrics?.intervals ?? []).flatMap(({ start_time: start, quality }): [number, number][] => {
      const value = quality?.new_buckets?.accuracy?.value
      return value == null ? [] : [[Date.parse(start), 100 * value]]
    })
  } catch (error) {
    if (signal.aborted || isTransient(error)) throw error
    return []
  }
}

function marksOf(of: ShownJob, models: readonly RegisteredModel[]): Mark[] {
  const taken = models.flatMap(({ active_times: times }) =>
    times.map(({ from, why }): Mark => ({ kind: why, at: Date.parse(from) / 1000 })),
  )
  const since = of.model_ageing_since
  return since === null ? taken : [...taken, { kind: 'ageing', at: Date.parse(since) / 1000 }]
}

/** The numbers of a job over time. */
export async function readSeries(of: ShownJob, signal: AbortSignal): Promise<Series> {
  const { models } = await api.listModels({ job_id: of.job_id, size: 50 }, { signal }).catch(() => ({ models: [] }))
  const oldest = models.at(-1)?.trained_at ?? of.last_processed_timestamp
  const spanMs = Math.max(HOUR_MS, serviceNow() - (Date.parse(oldest) || serviceNow()))
  const [interval, stepMs] =
    intervals.find(([, ms]) => spanMs / ms <= POINTS_MAX) ?? (intervals.at(-1) as (typeof intervals)[3])
  const query = { range: { timestamp_inference: { gte: serviceNow() - 2 * spanMs } } }
  const body = { job_ids: [of.job_id], query_body: { size: 0, query, aggs: aggregations(interval) } }
  const [answer, measured] = await Promise.all([
    api.searchEvents({ body }, { signal }),
    readRight(of, interval, signal),
  ])
  const found = (answer.aggregations?.t as { buckets?: readonly Slot[] } | undefined)?.buckets ?? []
  const slots = found.slice(-POINTS_MAX)
  const countOf = ({ l }: Slot, label: string): number => l?.buckets.find(({ key }) => key === label)?.doc_count ?? 0
  const labels = of.labels.map((label) => slots.map((slot) => countOf(slot, label)))
  const rightIn = (from: number): number | null =>
    measured.find(([start]) => start >= from && start < from + stepMs)?.[1] ?? null
  return {
    times: slots.map(({ key }) => key / 1000),
    labels,
    decided: slots.map((_, at) => labels.reduce((sum, counts) => sum + (counts[at] ?? 0), 0)),
    settled: slots.map(({ settled }) => settled?.doc_count ?? 0),
    doubtful: slots.map(({ doubtful }) => doubtful?.doc_count ?? 0),
    right: slots.map(({ key }) => rightIn(key)),
    marks: marksOf(of, models),
  }
}
