/** How answers and values are shown in explanations. */
import { cutText } from '../../domain/event/input/cut-text.js'
import type { AnswerShown } from '../../api/explanation-service.js'
import type { Decision } from '../../domain/decide/decision.js'
import type { PointValue } from '../../domain/event/point-value.js'
import type { JobSettings } from '../../domain/job/job.js'
import { limits } from '../../limits.js'

/** The decision's answer. */
export function answerShown(
  { labels }: Pick<JobSettings, 'labels'>,
  { label, confidence, outlierScore }: Pick<Decision, 'label' | 'confidence' | 'outlierScore'>,
): AnswerShown {
  const named = labels[label]
  return {
    result: named?.id ?? '',
    resultLabel: named?.name ?? '',
    confidenceScore: confidence / 100,
    outlierScore: rounded(outlierScore),
  }
}

/** A value, cut: an event may have very long ones. */
export function valueShown(value: PointValue): PointValue {
  const { shownValueCharsMax, shownItemsMax } = limits
  const cut = <T>(scalar: T): T | string => (typeof scalar === 'string' ? cutText(scalar, shownValueCharsMax) : scalar)
  return typeof value === 'object' && value !== null ? value.slice(0, shownItemsMax).map(cut) : cut(value)
}

/** Four decimals. */
export function rounded(number: number): number {
  return Math.round(number * 1e4) / 1e4
}
