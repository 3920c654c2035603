/**
 * What becomes of a challenger: it starts, is promoted or dropped, by people or by its verdict.
 *
 * 1. Each change has one entry in the audit log, with the counts and the verdict, in its commit.
 * 2. With `champion_challenger` a scheduled training brings a challenger. Its verdict promotes it where it is better or
 *    not worse, and drops it where it is worse, with the message that made the verdict.
 */
import { Refusal } from '../../errors.js'
import { hasClusters } from '../../domain/job/job.js'
import { championChallengerOf } from '../../domain/learn/model-origin.js'
import { theService } from '../../api/principal.js'
import type { ModelRow } from '../../store/rows.js'
import type { ActorDeps } from '../actor-deps.js'
import { makeActive } from './registry.js'
import { verdictOf } from './trial.js'
import { addTrialEntry, endTrial, type By } from './trial-entries.js'

/** Behind the certificates of gates. */
const VERDICT_PLACE = 1_000

/** Whether a training brings a challenger: it was asked for, or the job wants it so. Never without a champion. */
export function bringsChallenger({ settings, model }: ActorDeps, { origin }: ModelRow): boolean {
  if (origin === undefined || !model.isTrained || hasClusters(settings.category)) return false
  return origin.why === 'challenger' || (origin.why === 'scheduled' && championChallengerOf(settings.advancedSettings))
}

/** @throws Refusal challenger_refused. */
export function mustChallenge({ settings, model }: ActorDeps): void {
  if (hasClusters(settings.category))
    throw new Refusal('challenger_refused', 'a job of root cause analysis cannot have a challenger', {
      details: 'the answers of a model change the clusters: compare two models with a replay',
    })
  if (!model.isTrained)
    throw new Refusal('challenger_refused', 'the job has no model in use that a challenger could be compared with', {
      details: 'train the job first',
    })
}

export function startTrial(deps: ActorDeps, version: number, who: By, auto = false): void {
  const { trial, stats } = deps
  if (trial.row !== null) endTrial(deps, 'challenger dropped', { ...who, place: (who.place ?? 0) + 1 })
  const champion = stats.row.modelVersion
  trial.begin({ version, champion, sinceMicros: who.atMicros, by: who.by.name, auto })
  addTrialEntry(deps, 'challenger started', who)
}

/** @throws Refusal challenger_not_found. */
export function dropTrial(deps: ActorDeps, who: By): void {
  mustRun(deps)
  endTrial(deps, 'challenger dropped', who)
}

/** @throws Refusal challenger_not_found. */
export function promoteTrial(deps: ActorDeps, who: By): void {
  const { version } = mustRun(deps)
  endTrial(deps, 'challenger promoted', who)
  makeActive(deps, version, { why: 'promoted', by: who.by.name, atMicros: who.atMicros })
}

/** Does what the verdict on an automatic challenger says (2). */
export function followVerdict(deps: ActorDeps, atMicros: number): void {
  const { row } = deps.trial
  if (row === null || !row.auto) return
  const verdict = verdictOf(row)
  if (verdict === 'undecided') return
  const who: By = { by: theService, atMicros, place: VERDICT_PLACE }
  if (verdict === 'worse') dropTrial(deps, who)
  else promoteTrial(deps, who)
}

function mustRun({ trial }: ActorDeps) {
  if (trial.row !== null) return trial.row
  throw new Refusal('challenger_not_found', 'the job has no challenger', { details: 'start one first' })
}
