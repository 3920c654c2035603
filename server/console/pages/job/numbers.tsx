/**
 * Four numbers of a job.
 *
 * 1. Each says what it was measured on. Where that is too little it says so, and no number.
 */
import type { ComponentChildren } from 'preact'
import type { QualityReport } from '../../../client/index.js'
import { addresses } from '../../addresses.js'
import { Skeleton } from '../../parts/feedback.js'
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

function rightText({ accuracy, message }: QualityReport): string {
  if (message !== null || accuracy.value === null) return message ?? ''
  const [low, high] = [share(accuracy.low ?? 0), share(accuracy.high ?? 0)]
  return count('numbers.interval', accuracy.events, { low, high })
}

function Right({ figures }: { readonly figures: Figures }) {
  const fresh = figures.job.quality.new_buckets
  const heldOut = heldOutOf(figures)
  const isFresh = fresh.accuracy.value !== null || heldOut === null
  const shown = isFresh ? fresh : heldOut
  return (
    <Figure title={t('numbers.right')} big={shown.accuracy.value === null ? null : share(shown.accuracy.value)}>
      {rightText(shown)}
      <br />
      {t(isFresh ? 'numbers.right_new' : 'numbers.right_held_out')}
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
      <Right figures={figures} />
      <Figure title={t('numbers.waiting')} big={waiting === null ? null : number(waiting)}>
        {t('numbers.waiting_text')} <a href={addresses.next(of.job_id)}>{t('place.next')}</a>
      </Figure>
    </div>
  )
}
