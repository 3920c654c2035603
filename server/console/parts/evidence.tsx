/** How far votes carry a confidence: the mark beside a number, and the sentence in plain sight. */
import type { ComponentChildren } from 'preact'
import type { ShownJob } from '../state/jobs.js'
import { confidenceText, t } from '../texts.js'
import { Icon } from './icon.js'

interface ConfidenceProps {
  readonly of: ShownJob | null
  /** 0 to 100. */
  readonly value: number
  /** Of the model that decided; by default of the one that decides now. */
  readonly isThin?: boolean
}

/** A confidence. Where few votes are behind it, it is marked as a guess. */
export function Confidence({ of, value, isThin = of?.evidence.level === 'thin' }: ConfidenceProps) {
  if (!isThin) return <>{confidenceText(value)}</>
  return (
    <span class="thin" title={t('evidence.thin')}>
      ≈ {confidenceText(value)}
    </span>
  )
}

/** Which labels the model cannot say, and what its confidence was measured on. Nothing where that is enough. */
export function EvidenceNote({ of, children }: { readonly of: ShownJob; readonly children?: ComponentChildren }) {
  const { message } = of.evidence
  if (message === '') return null
  return (
    <section class="panel row evidence" role="note">
      <p class="grow warn">
        <Icon name="triangle-alert" /> {message}
      </p>
      {children}
    </section>
  )
}
