/** A challenger as people see it. */
import type { PairedVerdict } from '../../domain/autonomy/paired-test.js'
import type { ChallengerView } from '../../api/models/models-service.js'
import type { TrialRow } from '../../store/trial-row.js'
import { modelIdOf } from '../../actor/model-id.js'
import { verdictOf } from '../../actor/models/trial.js'

export function challengerViewOf(jobId: number, row: TrialRow): ChallengerView {
  const { wins, losses, neither } = row.counts
  const verdict = verdictOf(row)
  return {
    modelId: modelIdOf(jobId, row.version),
    champion: modelIdOf(jobId, row.champion),
    sinceMicros: row.sinceMicros,
    by: row.by,
    isAutomatic: row.auto,
    events: row.events,
    disagreements: row.differ,
    challengerRight: wins,
    championRight: losses,
    neitherRight: neither,
    verdict,
    message: messageOf(row, verdict),
  }
}

const sentences: Readonly<Record<PairedVerdict, string>> = {
  undecided: 'The answers do not tell yet which model is better.',
  better: 'The challenger is better, with 95 % confidence.',
  worse: 'The challenger is worse, with 95 % confidence.',
  not_worse: 'The challenger is not worse, with 95 % confidence.',
}

function messageOf({ events, differ, counts }: TrialRow, verdict: PairedVerdict): string {
  const { wins, losses, neither } = counts
  const answered = wins + losses + neither
  return (
    `${sentences[verdict]} The models differ on ${differ} of ${events} events. People answered ${answered} of these: ` +
    `the challenger was right on ${wins}, the champion on ${losses}.`
  )
}
