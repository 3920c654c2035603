/** What the votes of a job carry: for the job's answer and for its warnings. */
import type { JobSettings } from '../../domain/job/job.js'
import { evidenceLevel, heldOutVotesMin, type ModelVotes } from '../../domain/metrics/evidence.js'
import type { JobEvidence } from '../../api/decision-service.js'
import type { Warning } from '../../api/warning.js'
import type { StatsRow } from '../../store/rows.js'

type VotesOf = Pick<StatsRow, 'modelVersion' | 'modelVotes' | 'labelledEvents'>

/** By label: whether the job uses it. A vote is a use, whatever the settings say. */
function usedLabels({ labels }: Pick<JobSettings, 'labels'>, labelled: readonly number[]): boolean[] {
  return labels.map(({ isUnused }, at) => isUnused !== true || (labelled[at] ?? 0) > 0)
}

/** "Escalate", "Escalate and Drop". */
function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

export function jobEvidence(job: Pick<JobSettings, 'labels'>, stats: VotesOf): JobEvidence {
  const { labelledEvents, modelVersion, modelVotes = null } = stats
  return evidenceOf(job, labelledEvents, modelVersion === 0 ? null : modelVotes)
}

/** That of a model which was made from these votes; null for no model. `labelledEvents` are those of the job now. */
export function evidenceOf(
  job: Pick<JobSettings, 'labels'>,
  labelledEvents: readonly number[],
  votes: ModelVotes | null,
): JobEvidence {
  const used = usedLabels(job, labelledEvents)
  const names = job.labels.map(({ name }) => name)
  const byLabel = (counts: readonly number[]): ReadonlyMap<string, number> =>
    new Map(names.map((name, at) => [name, counts[at] ?? 0]))
  const where = (holds: (at: number) => boolean): string[] => names.filter((_, at) => used[at] === true && holds(at))
  const level = evidenceLevel(votes, used)
  const withoutVotes = where((at) => (labelledEvents[at] ?? 0) === 0)
  const unknown = votes === null ? [] : where((at) => (votes.examples[at] ?? 0) === 0)
  return {
    level,
    votedEvents: byLabel(labelledEvents),
    heldOutVotes: byLabel(votes?.heldOut ?? []),
    heldOutVotesNeeded: heldOutVotesMin,
    labelsWithoutVotes: withoutVotes,
    labelsUnknownToModel: unknown,
    message: [
      ...unknownSentences(unknown, withoutVotes),
      ...(level === 'thin' && votes !== null ? [thinSentence(names, used, votes.heldOut)] : []),
    ].join(' '),
  }
}

/** What the model cannot say: labels without a vote, and those that have got votes since its training. */
function unknownSentences(unknown: readonly string[], withoutVotes: readonly string[]): string[] {
  const never = unknown.filter((name) => withoutVotes.includes(name))
  const later = unknown.filter((name) => !withoutVotes.includes(name))
  return [
    ...(never.length === 0 ? [] : [`Nobody has voted ${listed(never)}: the model cannot say ${itOr(never)}.`]),
    ...(later.length === 0
      ? []
      : [
          `The model was trained before anybody voted ${listed(later)}: ` +
            `it cannot say ${itOr(later)} until it is trained again.`,
        ]),
  ]
}

function itOr(names: readonly string[]): string {
  return names.length === 1 ? 'it' : 'them'
}

function thinSentence(names: readonly string[], used: readonly boolean[], heldOut: readonly number[]): string {
  const counts = names.flatMap((name, at) => (used[at] === true ? [`${heldOut[at] ?? 0} ${name}`] : []))
  return (
    `Confidence is a guess so far: it was measured on ${counts.join(', ')}, ` +
    `and takes ${heldOutVotesMin} held-out votes of each label.`
  )
}

/** A warning for each label that the model in use cannot say. */
export function evidenceWarnings(job: JobSettings, stats: VotesOf): Warning[] {
  const { labelsUnknownToModel: unknown, labelsWithoutVotes } = jobEvidence(job, stats)
  return unknown.map((name) => {
    const isNever = labelsWithoutVotes.includes(name)
    return {
      type: 'label_without_votes',
      place: ['advanced_settings', 'custom_labels', job.labels.findIndex((label) => label.name === name)],
      message: unknownSentences([name], labelsWithoutVotes)[0]?.replace(name, () => `\`${name}\``) ?? '',
      action: isNever
        ? 'Vote for it on a few events that are so, and train. If the job does not use the label, mark it as unused.'
        : 'Train the job.',
    }
  })
}
