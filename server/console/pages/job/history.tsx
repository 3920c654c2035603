/**
 * The numbers of a job over time, or its decisions by label, with trainings, promotions and drift marked. The library
 * that draws is loaded when this is first shown.
 */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { default as Plot, Options } from 'uplot'
import { LabelMark } from '../../parts/label.js'
import { part } from '../../parts/late.js'
import { Loaded } from '../../parts/loaded.js'
import { Time } from '../../parts/time.js'
import { useData } from '../../state/data.js'
import type { ShownJob } from '../../state/jobs.js'
import { preferences } from '../../state/preferences.js'
import { timeZone, zoneName } from '../../state/times.js'
import { attempt } from '../../state/toasts.js'
import { number, percent, t, type TextKey } from '../../texts.js'
import { readSeries, type Mark, type Series } from './series.js'

const HEIGHT = 220
const localZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** A line of the chart. */
interface Line {
  readonly name: string
  /** A colour, or the name of a token. */
  readonly color: string
  readonly values: readonly (number | null)[]
  /** It is a share, with the scale at the right. */
  readonly isShare?: boolean
}

const markColors: Readonly<Record<Mark['kind'], string>> = {
  trained: '--dim',
  promoted: '--accent',
  rolled_back: '--warn',
  ageing: '--bad',
}
const markTexts: Readonly<Record<Mark['kind'], TextKey>> = {
  trained: 'mark.trained',
  promoted: 'mark.promoted',
  rolled_back: 'mark.rolled_back',
  ageing: 'mark.ageing',
}

function linesOf(of: ShownJob, series: Series, isByLabel: boolean): Line[] {
  if (isByLabel) return of.styles.map(({ name, color }, at) => ({ name, color, values: series.labels[at] ?? [] }))
  return [
    { name: t('numbers.decided'), color: '--accent', values: series.decided },
    { name: t('history.settled'), color: '--good', values: series.settled },
    { name: t('history.doubtful'), color: '--warn', values: series.doubtful },
    { name: t('history.right'), color: '--text', values: series.right, isShare: true },
  ]
}

/** A colour as the canvas takes it. Tokens differ by theme, and only the page knows which one it is. */
function colorOf(at: HTMLElement, color: string): string {
  if (!color.startsWith('--')) return color
  at.style.color = `var(${color})`
  const shown = getComputedStyle(at).color
  at.style.color = ''
  return shown
}

function drawMarks(plot: Plot, marks: readonly Mark[], at: HTMLElement): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.setLineDash([4, 4])
  for (const { kind, at: seconds } of marks) {
    const x = plot.valToPos(seconds, 'x', true)
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    ctx.strokeStyle = colorOf(at, markColors[kind])
    ctx.lineWidth = kind === 'ageing' ? 3 : 1.5
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
  }
  ctx.restore()
}

const HOUR_S = 3_600

/** The time across: at least some hours, so that a single point has room at both sides. */
function widened(times: readonly number[]): [number, number] {
  const [from, to] = [times[0] ?? 0, times.at(-1) ?? 0]
  const missing = Math.max(0, 6 * HOUR_S - (to - from)) / 2
  return [from - missing, to + missing]
}

/** Room for the longest number beside an axis. */
function roomFor(ticks: readonly string[] | null): number {
  return 24 + 8 * Math.max(3, ...(ticks ?? []).map((tick) => tick.length))
}

function optionsOf(lines: readonly Line[], series: Series, at: HTMLElement, Chart: typeof Plot): Options {
  const text = colorOf(at, '--dim')
  const grid = { stroke: colorOf(at, '--line'), width: 1 }
  const axis = { stroke: text, grid, ticks: grid }
  const hasShare = lines.some(({ isShare }) => isShare === true)
  const shares = {
    scale: 'share',
    side: 1,
    size: 60,
    grid: { show: false },
    values: (_: Plot, ticks: number[]) => ticks.map(percent),
  }
  return {
    width: at.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    tzDate: (seconds) => Chart.tzDate(new Date(1000 * seconds), timeZone.peek() ?? localZone),
    scales: {
      x: { range: () => widened(series.times) },
      share: { range: [0, 100] },
      y: { range: (_, low, high) => [Math.min(0, low ?? 0), Math.max(1, high ?? 1)] },
    },
    axes: [
      axis,
      {
        ...axis,
        size: (_: Plot, ticks: string[] | null) => roomFor(ticks),
        values: (_: Plot, ticks: number[]) => ticks.map((tick) => (Number.isInteger(tick) ? number(tick) : '')),
      },
      ...(hasShare ? [{ ...axis, ...shares }] : []),
    ],
    series: [
      {},
      ...lines.map(({ name, color, isShare }) => ({
        label: name,
        scale: isShare === true ? 'share' : 'y',
        stroke: colorOf(at, color),
        width: 2,
        spanGaps: true,
        ...(isShare === true ? { dash: [6, 3] } : {}),
        points: { show: true, size: 5 },
      })),
    ],
    hooks: { draw: [(plot: Plot) => drawMarks(plot, series.marks, at)] },
  }
}

function Drawn({ lines, series }: { readonly lines: readonly Line[]; readonly series: Series }) {
  const ref = useRef<HTMLDivElement>(null)
  const { theme, zone } = preferences.value
  const names = lines.map(({ name }) => name).join()
  useEffect(() => {
    let plot: Plot | null = null
    let isGone = false
    const observer = new ResizeObserver(() => {
      if (ref.current !== null) plot?.setSize({ width: ref.current.clientWidth, height: HEIGHT })
    })
    const draw = async (): Promise<void> => {
      const { default: Chart } = await part(() => import('uplot'))
      if (isGone || ref.current === null) return
      const data = [[...series.times], ...lines.map(({ values }) => [...values])] as [number[], ...(number | null)[][]]
      plot = new Chart(optionsOf(lines, series, ref.current, Chart), data, ref.current)
      observer.observe(ref.current)
    }
    void attempt(draw)
    return () => {
      isGone = true
      observer.disconnect()
      plot?.destroy()
    }
  }, [series, theme, zone, names])
  return <div ref={ref} class="chart" role="img" aria-label={`${t('history.chart')}: ${names}`} />
}

/** What the lines and the marks mean. */
function Legend({
  of,
  lines,
  marks,
}: {
  readonly of: ShownJob
  readonly lines: readonly Line[]
  readonly marks: readonly Mark[]
}) {
  const kinds = [...new Set(marks.map(({ kind }) => kind))]
  return (
    <ul class="legend">
      {lines.map(({ name, color }) => (
        <li key={name} class="label">
          {color.startsWith('--') ? (
            <span class="legend-line" style={{ '--line-color': `var(${color})` }} />
          ) : (
            <LabelMark of={of} label={name} />
          )}
          {name}
        </li>
      ))}
      {kinds.map((kind) => {
        const latest = Math.max(...marks.filter((mark) => mark.kind === kind).map(({ at }) => at))
        return (
          <li key={kind} class="label">
            <span class="legend-line dashed" style={{ '--line-color': `var(${markColors[kind]})` }} />
            {t(markTexts[kind])}
            <span class="dim">
              <Time at={new Date(1000 * latest).toISOString()} />
            </span>
          </li>
        )
      })}
    </ul>
  )
}

export function JobHistory({ of }: { readonly of: ShownJob }) {
  const isByLabel = useSignal(false)
  const key = `history ${of.job_id} ${of.last_train_finished_timestamp} ${of.model_state}`
  const data = useData(key, (signal) => readSeries(of, signal))
  return (
    <section class="panel stack">
      <header class="row">
        <h2 class="grow">{t('history.chart')}</h2>
        <span class="dim">{t('history.zone', { zone: zoneName() })}</span>
        <select
          aria-label={t('history.what')}
          value={String(isByLabel.value)}
          onChange={({ currentTarget: { value } }) => (isByLabel.value = value === 'true')}
        >
          <option value="false">{t('history.numbers')}</option>
          <option value="true">{t('history.labels')}</option>
        </select>
      </header>
      <Loaded data={data} lines={8}>
        {(series) => {
          if (series.times.length === 0) return <p class="dim">{t('history.none')}</p>
          const lines = linesOf(of, series, isByLabel.value)
          return (
            <>
              <Drawn lines={lines} series={series} />
              <Legend of={of} lines={lines} marks={series.marks} />
            </>
          )
        }}
      </Loaded>
    </section>
  )
}
