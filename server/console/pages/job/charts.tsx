/** The quality of a job as pictures: which labels are taken for which, and whether confidences are kept. */
import type { QualityReport } from '../../../client/index.js'
import { Label } from '../../parts/label.js'
import type { ShownJob } from '../../state/jobs.js'
import { number, percent, t } from '../../texts.js'

/** Rows: what analysts say; columns: what was decided. */
export function Matrix({ of, matrix }: { readonly of: ShownJob; readonly matrix: readonly (readonly number[])[] }) {
  const sum = matrix.flat().reduce((all, n) => all + n, 0)
  if (sum === 0) return <p class="dim">{t('job.no_scores')}</p>
  return (
    <div class="table-wrap">
      <table class="matrix">
        <thead>
          <tr>
            <th>{t('matrix.corner')}</th>
            {of.labels.map((label) => (
              <th key={label}>
                <Label of={of} label={label} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {matrix.map((row, at) => (
            <tr key={of.labels[at]}>
              <th>
                <Label of={of} label={of.labels[at]} />
              </th>
              {row.map((n, column) => (
                <td key={of.labels[column]} class={at === column && n > 0 ? 'same' : n === 0 ? 'dim' : ''}>
                  {number(n)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const SIZE = 220
const EDGE = 26
/** Room for the points at the end. */
const TOP = 14

/** A share of 1 to a place on the picture. */
const x = (share: number): number => EDGE + share * (SIZE - EDGE - TOP)
const y = (share: number): number => SIZE - EDGE - share * (SIZE - EDGE - TOP)

interface Point {
  readonly label: string
  readonly at: number
  readonly confidence: number
  readonly right: number
  readonly events: number
}

function pointsOf(of: ShownJob, quality: QualityReport): Point[] {
  return of.labels.flatMap((label, at) =>
    (quality.per_label[label]?.reliability ?? []).flatMap((bin) =>
      bin.events === 0 || bin.mean_confidence === null
        ? []
        : [{ label, at, confidence: bin.mean_confidence, right: bin.right / bin.events, events: bin.events }],
    ),
  )
}

/** Share right over confidence: on the line is what was promised. The area of a point is its number of events. */
export function Reliability({ of, quality }: { readonly of: ShownJob; readonly quality: QualityReport }) {
  const points = pointsOf(of, quality)
  if (points.length === 0) return <p class="dim">{t('job.no_scores')}</p>
  const most = Math.max(...points.map(({ events }) => events))
  const ticks = [0, 0.5, 1]
  return (
    <div class="row">
      <svg viewBox={`0 0 ${SIZE} ${SIZE}`} width={SIZE} height={SIZE} role="img" aria-label={t('job.reliability')}>
        <g class="axis">
          {ticks.map((tick) => (
            <g key={tick}>
              <line x1={x(tick)} x2={x(tick)} y1={y(0)} y2={y(1)} />
              <line x1={x(0)} x2={x(1)} y1={y(tick)} y2={y(tick)} />
              <text x={x(tick)} y={SIZE - 8} text-anchor={tick === 1 ? 'end' : 'middle'}>
                {percent(tick * 100)}
              </text>
            </g>
          ))}
          <line class="promised" x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} />
        </g>
        {points.map(({ label, at, confidence, right, events }) => (
          <circle
            key={`${label} ${confidence}`}
            class="point"
            style={{ '--label': of.styles[at]?.color ?? '' }}
            cx={x(confidence)}
            cy={y(right)}
            r={3 + 7 * Math.sqrt(events / most)}
          >
            <title>
              {t('reliability.point', {
                label,
                confidence: percent(confidence * 100),
                right: percent(right * 100),
                events,
              })}
            </title>
          </circle>
        ))}
      </svg>
      <ul>
        {of.labels.map((label) => (
          <li key={label}>
            <Label of={of} label={label} />
          </li>
        ))}
        <li class="dim">{t('reliability.axes')}</li>
      </ul>
    </div>
  )
}
