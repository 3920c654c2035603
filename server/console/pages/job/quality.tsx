/** Confusion and reliability: of the model that decides, beside its challenger. */
import type { QualityReport } from '../../../client/index.js'
import type { ShownJob } from '../../state/jobs.js'
import { count, t } from '../../texts.js'
import { Matrix, Reliability } from './charts.js'
import { heldOutOf, type Figures } from './figures.js'

interface MeasuredProps {
  readonly of: ShownJob
  readonly title: string
  readonly text: string
  readonly matrix: readonly (readonly number[])[]
  readonly quality: QualityReport
}

function Measured({ of, title, text, matrix, quality }: MeasuredProps) {
  return (
    <section class="panel stack">
      <header>
        <h2>{title}</h2>
        <p class="dim">{text}</p>
      </header>
      <Matrix of={of} matrix={matrix} />
      <h2 class="small">{t('job.reliability')}</h2>
      <Reliability of={of} quality={quality} />
    </section>
  )
}

export function Quality({ of, figures }: { readonly of: ShownJob; readonly figures: Figures }) {
  const heldOut = heldOutOf(figures)
  const { new_buckets: fresh } = figures.job.quality
  const { challenger } = figures
  const active =
    heldOut === null ? null : (
      <Measured
        of={of}
        title={t('quality.active')}
        text={count('quality.held_out', heldOut.events)}
        matrix={figures.model?.confusion_matrix ?? []}
        quality={heldOut}
      />
    )
  const other =
    challenger?.quality == null ? null : (
      <Measured
        of={of}
        title={t('quality.challenger')}
        text={count('quality.held_out', challenger.quality.held_out.events)}
        matrix={challenger.confusion_matrix ?? []}
        quality={challenger.quality.held_out}
      />
    )
  if (active === null && fresh.events === 0) return <p class="panel dim">{t('job.no_scores')}</p>
  return (
    <div class="halves">
      {active}
      {other}
      {other !== null || fresh.events === 0 ? null : (
        <Measured
          of={of}
          title={t('quality.fresh')}
          text={count('quality.fresh_text', fresh.events)}
          matrix={figures.job.confusion_matrix}
          quality={fresh}
        />
      )}
    </div>
  )
}
