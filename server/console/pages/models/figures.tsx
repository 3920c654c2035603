/** Figures of models, as lists of them show them. */
import type { RegisteredModel } from '../../../client/index.js'
import { share, t } from '../../texts.js'

/** Objectives as people call them. */
export function objectiveText(objective: unknown): string {
  if (objective === 'accuracy') return t('objective.accuracy')
  return objective === 'macro_f1' ? t('objective.macro_f1') : t('objective.costs')
}

/** The share right on held-out votes, with its interval. */
export function rightText({ held_out: { accuracy } }: RegisteredModel): string {
  const { value, low, high } = accuracy
  return value === null ? '—' : `${share(value)} (${share(low ?? 0)} – ${share(high ?? 0)})`
}

/** `Version 3`, or the id where it is not known. */
export function modelName(models: readonly RegisteredModel[], id: string): string {
  const model = models.find(({ model_id }) => model_id === id)
  return model === undefined ? id : t('models.version', { n: model.version })
}
