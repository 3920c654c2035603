/**
 * Four numbers of a job.
 *
 * 1. Each says what it was measured on. Where that is too little it says so, and no number.
 */
import type { ComponentChildren } from 'preact'
import type { QualityReport } from '../../../client/index.js'
import { addresses } from '../../addresses.js'
import { Skeleton } from '../../parts/feedback.js'
import { LabelMark } from '../../parts/label.js'
import type { ShownJob } from '../../state/jobs.js'
import { count, number, share, t } from '../../texts.js'
import { heldOutOf, type Figures } from './figures.js'

interface NumberProps {
  readonly title: string
  readonly big: string | null
  readonly children: ComponentChildren
}

function Figure({ title, big, children }: NumberProps) {
  return (
    <section class="panel">
      <h2 class="small">{title}</h2>
      <p class={big === null ? 'big dim' : 'big'}>{big ?? '—'}</p>
      <p class="dim">{children}</p>
    </section>
  )
}

/** The only label that analysts gave; null where there are several. */
function onlyLabel({ events, per_label: perLabel }: QualityReport): string | null {
  const given = Object.entries(perLabel).filter(([, { recall }]) => recall.events > 0)
  return events > 0 && given.length === 1 ? (given[0]?.[0] ?? null) : null
}

function rightText(quality: QualityReport): string {
  const { accuracy, commonest, message } = quality
  if (message !== null || accuracy.value === null) return message ?? ''
  const only = onlyLabel(quality)
  if (only !== null) return t('numbers.all_one', { n: quality.events, label: only })
  const [low, high] = [share(accuracy.low ?? 0), share(accuracy.high ?? 0)]
  const interval = count('numbers.interval', accuracy.events, { low, high })
  if (commonest.label === null || commonest.share.value === null) return interval
  return `${interval} ${t('numbers.commonest', { label: commonest.label, share: share(commonest.share.value) })}`
}

/** How many of each label were answered so. */
function Recalls({ of, quality }: { readonly of: ShownJob; readonly quality: QualityReport }) {
  if (quality.events === 0) return null
  return (
    <span class="row recalls">
      {of.labels.map((label) => {
        const { recall, right } = quality.per_label[label] ?? { recall: { events: 0 }, right: 0 }
        return (
          <span key={label} class="label">
            <LabelMark of={of} label={label} />
            {recall.events === 0
              ? t('numbers.no_votes', { label })
              : t('numbers.recall', { label, right, n: recall.events })}
          </span>
        )
      })}
    </span>
  )
}

function Right({ of, figures }: { readonly of: ShownJob; readonly figures: Figures }) {
  const fresh = figures.job.quality.new_buckets
  const heldOut = heldOutOf(figures)
  const isFresh = fresh.accuracy.value !== null || heldOut === null
  const shown = isFresh ? fresh : heldOut
  const isKnown = shown.accuracy.value !== null && onlyLabel(shown) === null
  return (
    <Figure title={t('numbers.right')} big={isKnown ? share(shown.accuracy.value ?? 0) : null}>
      {rightText(shown)}
      <br />
      {t(isFresh ? 'numbers.right_new' : 'numbers.right_held_out')}
      <Recalls of={of} quality={shown} />
    </Figure>
  )
}

function Settled({ figures }: { readonly figures: Figures }) {
  const gates = figures.autonomy?.gates.filter(({ state }) => state === 'open') ?? []
  const settled = gates.reduce((sum, gate) => sum + gate.settled, 0)
  const bound = Math.max(...gates.map((gate) => gate.bound ?? 1))
  if (gates.length === 0)
    return (
      <Figure title={t('numbers.settled')} big={null}>
        {t('numbers.settled_none')}
      </Figure>
    )
  return (
    <Figure title={t('numbers.settled')} big={number(settled)}>
      {t('numbers.settled_bound', { bound: share(bound) })}
    </Figure>
  )
}

interface DoubtfulProps {
  readonly of: ShownJob
  readonly waiting: number | null
  readonly decided: number | null
}

/**
 * Decisions of low confidence that nobody has voted on. Where nothing is decided there is nothing to doubt; where the
 * model cannot say a label, that none is doubtful would be no good news.
 */
function Doubtful({ of, waiting, decided }: DoubtfulProps) {
  const { labels_unknown_to_model: unknown } = of.evidence
  const isSilent = decided === 0 || (unknown.length > 0 && waiting === 0)
  const text =
    decided === 0
      ? t('numbers.waiting_none')
      : unknown.length > 0
        ? t('numbers.waiting_unknown', { labels: unknown.join(', ') })
        : t('numbers.waiting_text')
  return (
    <Figure title={t('numbers.waiting')} big={waiting === null || isSilent ? null : number(waiting)}>
      {text} <a href={addresses.next(of.job_id)}>{t('place.next')}</a>
    </Figure>
  )
}

export function Numbers({ of, figures }: { readonly of: ShownJob; readonly figures: Figures | null }) {
  if (figures === null)
    return (
      <div class="numbers">
        {['decided', 'settled', 'right', 'waiting'].map((name) => (
          <section key={name} class="panel">
            <Skeleton lines={3} />
          </section>
        ))}
      </div>
    )
  const { decided, waiting } = figures
  const all = of.processed_documents_count
  return (
    <div class="numbers">
      <Figure title={t('numbers.decided')} big={decided === null ? null : number(decided)}>
        {decided === null || all === 0
          ? count('numbers.events', all)
          : t('numbers.of_all', { share: share(Math.min(1, decided / all)), all })}
      </Figure>
      <Settled figures={figures} />
      <Right of={of} figures={figures} />
      <Doubtful of={of} waiting={waiting} decided={decided} />
    </div>
  )
}
