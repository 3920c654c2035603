/**
 * The warnings of a job: what its settings and the values of its events say about it.
 *
 * Owns: which faults are warned of, and their sentences. Leaves out: counting values (actor/buckets/point-counter.ts),
 * unknown properties of a document (resource/unknown-properties.ts), the log (job-warning-log.ts).
 */
import type { Warning } from '../../api/warning.js'
import { hasBuckets, hasClusters, labelRoles, type JobSettings } from '../../domain/job/job.js'
import { pauseOf } from '../../domain/autonomy/contract.js'
import type { AutonomyRow } from '../../store/autonomy-row.js'
import { labelMeanings } from '../../domain/job/label-roles.js'
import { pointFaults, type PointFault } from '../../domain/metrics/point-faults.js'
import type { PointCounts } from '../../domain/metrics/point-tally.js'
import { pointsFingerprint, typesOf } from '../../domain/job/job-points.js'

function noInput({ pipeline }: JobSettings): Warning[] {
  const inputs = pipeline.filter(({ role }) => role === 'input')
  if (inputs.some(({ enabled }) => enabled)) return []
  const action =
    inputs.length > 0
      ? 'Enable an input step.'
      : 'Add a step with the role `input`, for example an External REST API integration with the key of the sender.'
  const message =
    inputs.length > 0
      ? 'All input steps are disabled, so the job takes no events.'
      : 'The job has no input step, so no input key sees it and nothing sends events to it.'
  return [{ type: 'no_input', place: ['pipeline_integrations'], message, action }]
}

function noPoints({ category, decisionPoints }: JobSettings): Warning[] {
  if (decisionPoints.length > 0 || hasClusters(category)) return []
  return [
    {
      type: 'no_decision_points',
      place: ['decision_points'],
      message: 'The job has no decision points, so it decides no event.',
      action: 'Choose the fields that an analyst looks at first; `POST /api/v2/filters/fields` lists those of events.',
    },
  ]
}

function labelsByPosition({ category, labels }: JobSettings): Warning[] {
  const { byRole, byPlace } = labelMeanings(labels)
  if (!hasClusters(category) || byPlace.length === 0) return []
  const meant = labelRoles.flatMap((role, at) => {
    const label = byPlace.includes(byRole[at] as number) ? labels[byRole[at] as number] : undefined
    return label === undefined ? [] : [`\`${label.name}\` as ${role}`]
  })
  return [
    {
      type: 'label_by_position',
      place: ['advanced_settings', 'custom_labels'],
      message: `The names of labels do not say what they mean, so their positions do: ${meant.join(', ')}.`,
      action: `Give each label a \`role\`: ${labelRoles.join(', ')}.`,
    },
  ]
}

function faultWarning(job: JobSettings, { kind, point, events, count }: PointFault): Warning {
  const name = `\`${job.decisionPoints[point]}\``
  const place = ['decision_points', point]
  if (kind === 'lacking')
    return {
      type: 'lacking_decision_point',
      place,
      message: `${count} of the latest ${events} events have no value at ${name}.`,
      action: 'Correct its path, or choose a field that most events have.',
    }
  if (kind === 'mixed') return mixedWarning(job, name, place)
  const harm = hasBuckets(job.category)
    ? 'A vote then answers for one event only.'
    : 'Nothing can be learned from such a field.'
  return {
    type: 'unique_decision_point',
    place,
    message: `${name} is new with nearly every event: about ${count} values in ${events} events.`,
    action: `Remove it, or choose a field whose values repeat. ${harm}`,
  }
}

/** The job would settle events, but not under other names of labels. */
export function pauseWarnings({ labels }: JobSettings, row: AutonomyRow | null): Warning[] {
  const message = row === null ? null : pauseOf(row.contract, labels)
  if (message === null) return []
  const [what = '', action = ''] = message.split(/(?<=\.) (?=Set )/)
  return [{ type: 'labels_renamed', place: ['advanced_settings', 'custom_labels'], message: what, action }]
}

function mixedWarning(job: JobSettings, name: string, place: Warning['place']): Warning {
  const isStrict = typesOf(job) === 'strict'
  return {
    type: 'mixed_types',
    place,
    message: isStrict
      ? `${name} comes as a number and as a text. These are different values, because the job has \`strict_types\`.`
      : `${name} comes as a number and as a text. A number and its text are one value.`,
    action: isStrict
      ? 'Let all senders write it in one way, or switch `strict_types` off.'
      : 'If they mean different things, set `strict_types`. Else let all senders write it in one way.',
  }
}

/** The warnings of a job whose events were counted so; places are in its properties. */
export function jobWarnings(job: JobSettings, counts: PointCounts | null): Warning[] {
  // A fingerprint is a hash: lists of jobs without events do without.
  const faults = counts === null ? [] : pointFaults(counts, pointsFingerprint(job))
  return [
    ...noInput(job),
    ...noPoints(job),
    ...labelsByPosition(job),
    ...faults.map((fault) => faultWarning(job, fault)),
  ]
}
