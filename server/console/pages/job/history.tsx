/** Decisions of a job over time, with trainings marked. The library that draws is loaded when this is first shown. */
import { useEffect, useRef } from 'preact/hooks'
import type { default as Plot, Options } from 'uplot'
import { Failed, Skeleton } from '../../parts/feedback.js'
import { api, serviceField } from '../../state/api.js'
import { useData } from '../../state/data.js'
import type { ShownJob } from '../../state/jobs.js'
import { part } from '../../state/parts.js'
import { t } from '../../texts.js'

const HEIGHT = 220
const HOUR_MS = 3_600_000
/** The wider the time, the wider the intervals: at most some hundred of them. */
const intervals = [
  ['5m', HOUR_MS / 12],
  ['1h', HOUR_MS],
  ['1d', 24 * HOUR_MS],
  ['7d', 168 * HOUR_MS],
] as const
const POINTS_MAX = 300

interface Series {
  /** Seconds since 1970. */
  readonly times: readonly number[]
  /** A row for each label. */
  readonly counts: readonly (readonly number[])[]
}

interface Slot {
  readonly key: number
  readonly l?: { readonly buckets: readonly { readonly key: string; readonly doc_count: number }[] }
}

async function readSeries(of: ShownJob, signal: AbortSignal): Promise<Series> {
  const { models } = await api.listModels({ job_id: of.job_id, size: 20 }, { signal }).catch(() => ({ models: [] }))
  const oldest = models.at(-1)?.trained_at ?? of.last_processed_timestamp
  const spanMs = Math.max(HOUR_MS, Date.now() - Date.parse(oldest))
  const [interval] =
    intervals.find(([, ms]) => spanMs / ms <= POINTS_MAX) ?? (intervals.at(-1) as (typeof intervals)[3])
  const answer = await api.searchEvents(
    {
      body: {
        job_ids: [of.job_id],
        query_body: {
          size: 0,
          query: { range: { timestamp_inference: { gte: Date.now() - 2 * spanMs } } },
          aggs: {
            t: {
              date_histogram: { field: 'timestamp_inference', fixed_interval: interval },
              aggs: { l: { terms: { field: serviceField('result_label'), size: 4 } } },
            },
          },
        },
      },
    },
    { signal },
  )
  const slots = ((answer.aggregations?.t as { buckets?: readonly Slot[] } | undefined)?.buckets ?? []).slice(
    -POINTS_MAX,
  )
  const countOf = ({ l }: Slot, label: string): number => l?.buckets.find(({ key }) => key === label)?.doc_count ?? 0
  return {
    times: slots.map(({ key }) => key / 1000),
    counts: of.labels.map((label) => slots.map((slot) => countOf(slot, label))),
  }
}

/** A colour of the page, as it is now. */
function tokenOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}

function optionsOf(of: ShownJob, width: number): Options {
  const axis = {
    stroke: () => getComputedStyle(document.body).color,
    grid: { stroke: '#8884' },
    ticks: { stroke: '#8884' },
  }
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    axes: [axis, axis],
    series: [
      {},
      ...of.styles.map(({ color, name }) => ({
        label: name,
        stroke: color,
        width: 2,
        points: { show: true, size: 5 },
      })),
    ],
    hooks: {
      draw: [
        (plot: Plot) => {
          const trained = Date.parse(of.last_train_finished_timestamp ?? '') / 1000
          if (Number.isNaN(trained)) return
          const x = plot.valToPos(trained, 'x', true)
          const { ctx, bbox } = plot
          if (x < bbox.left || x > bbox.left + bbox.width) return
          ctx.save()
          ctx.strokeStyle = tokenOf('--mark')
          ctx.setLineDash([4, 4])
          ctx.beginPath()
          ctx.moveTo(x, bbox.top)
          ctx.lineTo(x, bbox.top + bbox.height)
          ctx.stroke()
          ctx.restore()
        },
      ],
    },
  }
}

function Drawn({ of, series }: { readonly of: ShownJob; readonly series: Series }) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let plot: Plot | null = null
    let isGone = false
    const observer = new ResizeObserver(() => {
      if (ref.current !== null) plot?.setSize({ width: ref.current.clientWidth, height: HEIGHT })
    })
    void part(() => import('uplot')).then(({ default: Chart }) => {
      if (isGone || ref.current === null) return
      const data = [[...series.times], ...series.counts.map((counts) => [...counts])] as [number[], ...number[][]]
      plot = new Chart(optionsOf(of, ref.current.clientWidth), data, ref.current)
      observer.observe(ref.current)
    })
    return () => {
      isGone = true
      observer.disconnect()
      plot?.destroy()
    }
  }, [series])
  return <div ref={ref} class="chart" role="img" aria-label={t('history.chart')} />
}

export function DecisionHistory({ of }: { readonly of: ShownJob }) {
  const data = useData(`history ${of.job_id} ${of.last_train_finished_timestamp}`, (signal) => readSeries(of, signal))
  return (
    <section class="panel">
      <h2>{t('history.chart')}</h2>
      <p class="dim">{t('history.text')}</p>
      {data.error === null ? null : <Failed error={data.error} retry={data.reload} />}
      {data.value === null ? (
        data.error === null ? (
          <Skeleton lines={6} />
        ) : null
      ) : data.value.times.length === 0 ? (
        <p class="dim">{t('job.no_scores')}</p>
      ) : (
        <Drawn of={of} series={data.value} />
      )}
    </section>
  )
}
