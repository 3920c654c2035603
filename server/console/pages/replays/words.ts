/** Replays in words. */
import type { ListedReplay, RegisteredModel } from '../../../client/index.js'
import { t } from '../../texts.js'
import { modelName, objectiveText } from '../models/figures.js'

/** What a replay changes: `with Version 2, from a confidence of 95 % on`. */
export function changeText(replay: ListedReplay, models: readonly RegisteredModel[]): string {
  const { model_id: model, objective, decision_points: points, without_analysts: without, threshold, against } = replay
  const parts = [
    model === null ? '' : modelName(models, model),
    objective === null ? '' : t('replays.for_objective', { objective: objectiveText(objective) }),
    points === null ? '' : t('replays.with_points', { points: points.join(', ') }),
    without.length === 0 ? '' : t('replays.without', { analysts: without.join(', ') }),
    threshold === null ? '' : t('replays.from_threshold', { threshold }),
    against === null ? '' : t('replays.against', { model: modelName(models, against) }),
  ]
  const text = parts.filter((part) => part !== '').join(' · ')
  return text === '' ? t('replays.as_now') : text
}

export function stateText({ status, progress_percent: done, message }: ListedReplay): string {
  if (status === 'running') return t('replays.state.running', { done })
  return status === 'failed' && message !== ''
    ? `${t('replays.state.failed')}: ${message}`
    : t(`replays.state.${status}`)
}
