/**
 * Whether a training would learn anything that the last one did not.
 *
 * 1. In doubt there is something new: a model too many costs time, a missing one costs right decisions.
 */
import { causeSettingsOf } from '../../domain/cause/settings.js'
import { hasClusters, type JobSettings } from '../../domain/job/job.js'
import { objectiveOf } from '../../domain/job/objective.js'
import type { StatsRow } from '../../store/rows.js'
import type { TrainingRow } from './training-log.js'

/** The settings of a job that decide what a training learns, as text. */
export function learningSettings(job: JobSettings): string {
  const { decisionPoints, labels, category, advancedSettings } = job
  return JSON.stringify([
    decisionPoints,
    labels.map(({ name }) => name),
    objectiveOf(job),
    advancedSettings.outlier_false_alarm_rate ?? null,
    hasClusters(category) ? causeSettingsOf(job) : null,
  ])
}

/**
 * A sentence for people where nothing is new since the last training: no vote, no changed setting, no deleted event
 * that it learned from, and recent events bear the model out. Null where something is.
 */
export function nothingNew(job: JobSettings, row: TrainingRow, stats: StatsRow): string | null {
  const { state, startMicros, outdated, settings } = row
  if (state !== 'RETRAIN_FINISHED' || startMicros === null || outdated !== undefined) return null
  if (stats.modelVersion === 0 || settings !== learningSettings(job)) return null
  if (stats.feedbackSeq !== stats.trainedThroughSeq || (stats.lastFeedbackMicros ?? 0) >= startMicros) return null
  if (stats.watch.drift.ageing !== 'no') return null
  return 'The scheduled training made no model: there is no feedback since the last training.'
}
