/** A job as the job operations show it: settings, counters, training. */
import type { JobSettings } from '../../domain/job/job.js'
import type { JobView } from '../../api/decision-service.js'
import type { AutonomyRow } from '../../store/autonomy-row.js'
import type { StatsRow } from '../../store/rows.js'
import { modelIdOf } from '../../actor/model-id.js'
import { isoMicros } from '../../clock.js'
import type { ModelTrust } from '../../domain/decide/model-trust.js'
import { chosenShare } from '../../domain/learn/drift.js'
import { hasShifted } from '../../domain/learn/stream-shift.js'
import type { Warning } from '../../api/warning.js'
import type { FieldsRow } from '../../domain/cause/field-finder.js'
import type { StoredFinding } from '../../domain/event/finding.js'
import { fieldWarnings } from './field-warnings.js'
import { findingWarnings } from './finding-warnings.js'
import { evidenceWarnings, jobEvidence } from './job-evidence.js'
import { jobWarnings, pauseWarnings } from './job-warnings.js'
import type { TrainingRow } from '../training/training-log.js'

type ModelHealth = Pick<JobView, 'modelState' | 'modelMsg' | 'modelAgeingSinceMicros'>

/** Whether recent events still confirm the active model. */
export function modelHealth({ modelVersion, watch }: StatsRow): ModelHealth {
  const none = { modelAgeingSinceMicros: null }
  if (modelVersion === 0) return { modelState: 'none', modelMsg: 'There is no model yet', ...none }
  const { ageing, sinceMicros } = watch.drift
  if (ageing === 'no') return { modelState: 'current', modelMsg: seenOf(watch), ...none }
  const why =
    ageing === 'feedback' ? 'recent votes show overconfidence' : 'it is less confident than when it was installed'
  const note = ageing === 'feedback' ? chosenNote(watch) : ''
  const since = sinceMicros === 0 ? '' : `Since ${isoMicros(sinceMicros)}: `
  return {
    modelState: 'ageing',
    modelMsg: `${since}${why}; confidence is lowered until the next training${note}`,
    modelAgeingSinceMicros: sinceMicros === 0 ? null : sinceMicros,
  }
}

/** A share of votes on events that analysts picked that makes the figure doubtful. */
const CHOSEN_SHARE_MIN = 0.5

/** Votes on wrong answers only show a model that is wrong, however good it is. */
function chosenNote({ drift }: ModelTrust): string {
  const share = chosenShare(drift)
  if (share < CHOSEN_SHARE_MIN) return ''
  return (
    `. Analysts picked ${Math.round(100 * share)} % of these events themselves: if they correct wrong answers only, ` +
    'the model is better than this says. Answer what Next asks to know'
  )
}

/** With fewer decisions, and without feedback on them, nothing is known of a model. */
const DECISIONS_MIN = 30

function seenOf({ drift: { decided, weight }, shift, rule }: ModelTrust): string {
  if (rule?.isOff === true)
    return (
      `Since ${isoMicros(rule.sinceMicros)}: its rule for macro F1 would change far more answers than in the ` +
      'training, so it is off; the most probable label is the answer until recent events are like those of the training'
    )
  if (decided < DECISIONS_MIN) return `Not enough evidence yet: ${decided} new events decided by this model`
  if (shift !== undefined && hasShifted(shift))
    return 'Many recent events are unlike those of the training: until the next one, answers to them are less sure'
  if (weight === 0) return 'The model is as confident as when it was installed; no votes confirm it yet'
  return 'Recent events confirm the model'
}

function mixedWarnings({ mixedBallots }: StatsRow): Warning[] {
  if (mixedBallots === 0) return []
  const [what, verb] = mixedBallots === 1 ? ['bucket', 'has'] : ['buckets', 'have']
  return [
    {
      type: 'mixed_buckets',
      place: ['decision_points'],
      message: `decision points do not tell events apart: ${mixedBallots} ${what} ${verb} voted events of several labels`,
      action: 'Look at the mixed buckets of the job, and add a decision point that tells their events apart.',
    },
  ]
}

/** What only the resource store knows of a job's inputs, its schedule, and what its steps suffer from. */
export type JobInputs = Pick<JobView, 'restInput' | 'dataType' | 'timeZone' | 'nextTrainingMicros'> & {
  readonly stepWarnings: readonly Warning[]
}

/** What a job has stored. */
export interface JobRows {
  readonly stats: StatsRow
  readonly training: TrainingRow
  readonly fields: FieldsRow | null
  readonly findings: readonly StoredFinding[]
  readonly autonomy: AutonomyRow | null
}

export function jobViewOf(
  job: JobSettings,
  { stats, training, fields, findings, autonomy }: JobRows,
  { stepWarnings, ...inputs }: JobInputs,
): JobView {
  return {
    id: job.id,
    title: job.title,
    category: job.category,
    status: job.status,
    labels: job.labels,
    decisionPoints: job.decisionPoints,
    retrainState: training.state,
    retrainMsg: training.message,
    processedDocuments: stats.events,
    feedbackDocuments: stats.feedbackEvents,
    lastProcessedMicros: stats.lastEventMicros,
    lastFeedbackMicros: stats.lastFeedbackMicros,
    lastTrainStartMicros: training.startMicros,
    lastTrainFinishedMicros: training.finishMicros,
    warnings: [
      ...jobWarnings(job, stats.points ?? null),
      ...pauseWarnings(job, autonomy),
      ...fieldWarnings(fields),
      ...mixedWarnings(stats),
      ...evidenceWarnings(job, stats),
      ...findingWarnings(findings, stats.lastEventMicros),
      ...stepWarnings,
    ],
    ...inputs,
    modelIds: stats.modelVersions.map((version) => modelIdOf(job.id, version)),
    ...modelHealth(stats),
    undecidedEvents: stats.undecided,
    evidence: jobEvidence(job, stats),
    activeModelId: stats.modelVersion === 0 ? null : modelIdOf(job.id, stats.modelVersion),
  }
}
