/**
 * The alert in its cluster, as values for a classifier; and the structural answer, which the cluster alone gives.
 *
 * Owns: the three answers, and the features beside the alert's own. Leaves out: learning from them (cause-model.ts).
 *
 * The structural answer: an alert that follows from another is a symptom. One that follows from none, and that others
 * follow from, is a root cause. One that is alone is irrelevant.
 */
import type { Decision } from '../decide/decision.js'
import type { PointValue, PointValues } from '../event/point-value.js'
import type { LabelsByRole } from '../job/label-roles.js'
import { PREDECESSOR_FIELDS, type AlertRow } from './cause-rows.js'
import { LINK_MIN } from './clustering.js'
import { sides, type Side } from './delays.js'
import type { LinkBelief } from './feedback-weights.js'

/** The structural answers, in the order of labelRoles (domain/job/job.ts). */
export const ROOT_CAUSE = 0
export const SYMPTOM = 1
export const IRRELEVANT = 2
export type AlertRole = 0 | 1 | 2

/** Names of kinds, and how often they start something. */
export interface KindFacts {
  nameOf(kind: number): string
  startRate(kind: number): number
}

export interface StructuralAnswer {
  readonly answer: AlertRole
  /** Belief in the link that decides: to its cause, or from its first follower; 0 without any. */
  readonly belief: number
  /** Probability that it follows from any of its candidates. */
  readonly follows: number
}

/** By the present belief in links; `windowMs` as Clustering.windowMs. */
export function structuralAnswer(alert: AlertRow, linkBelief: LinkBelief, windowMs: number): StructuralAnswer {
  let nearest = 0
  let none = 1
  // By index, here and below: this runs for every alert, and often again.
  const { predecessors } = alert
  for (let at = 0; at < predecessors.length; at += PREDECESSOR_FIELDS) {
    if ((predecessors[at + 2] as number) >= windowMs) continue
    const weight = linkBelief.of(
      predecessors[at] as number,
      alert.kind,
      predecessors[at + 1] as Side,
      predecessors[at + 3] as number,
    )
    none *= 1 - Math.min(0.98, weight)
    if (nearest === 0 && weight >= LINK_MIN) nearest = weight
  }
  if (nearest === 0 && isAdopted(alert)) nearest = alert.belief
  const follows = Math.max(nearest, 1 - none)
  if (nearest > 0) return { answer: SYMPTOM, belief: nearest, follows }
  if (alert.followers > 0) return { answer: ROOT_CAUSE, belief: alert.followerBelief, follows }
  return { answer: IRRELEVANT, belief: 0, follows }
}

/** True where the parent is earlier but arrived later than the alert: it is not among its candidates. */
export function isAdopted({ parent, parentKind, delayMs, predecessors }: AlertRow): boolean {
  if (parent === 0) return false
  for (let at = 0; at < predecessors.length; at += PREDECESSOR_FIELDS) {
    if (predecessors[at] === parentKind && predecessors[at + 2] === delayMs) return false
  }
  return true
}

export const answerNames = ['root cause', 'symptom', 'irrelevant'] as const

/** Names of the values of contextValues, in their order. The job's decision points follow. */
export const contextPoints: readonly string[] = [
  'cause.structure',
  'cause.belief',
  'cause.follows',
  'cause.kind',
  'cause.from',
  'cause.pair',
  'cause.side',
  'cause.delay_s',
  'cause.followers',
  'cause.follower',
  'cause.follower_side',
  'cause.follower_belief',
  'cause.start_rate',
  'cause.rank',
  'cause.since_start_s',
  'cause.lists',
  'cause.nearest',
]

/** The values of an alert for a classifier. */
export function contextValues(
  alert: AlertRow,
  structure: StructuralAnswer,
  facts: KindFacts,
  own: PointValues,
): PointValue[] {
  const { kind, parent, parentKind } = alert
  const name = facts.nameOf(kind)
  const from = parent === 0 ? null : facts.nameOf(parentKind)
  const nearest = alert.predecessors[0]
  return [
    answerNames[structure.answer],
    round(structure.belief),
    round(structure.follows),
    name,
    from,
    from === null ? null : `${from} > ${name}`,
    from === null ? null : sides[alert.side],
    from === null ? null : coarse(alert.delayMs / 1000),
    coarse(alert.followers),
    alert.followers === 0 ? null : facts.nameOf(alert.followerKind),
    alert.followers === 0 ? null : sides[alert.followerSide],
    round(alert.followerBelief),
    round(facts.startRate(kind)),
    coarse(alert.rank),
    coarse(alert.sinceMs / 1000),
    coarse(alert.lists),
    nearest === undefined || nearest === parentKind ? null : `${facts.nameOf(nearest)} > ${name}`,
    ...own,
  ]
}

/** The number in coarse steps, a factor of four each, so that similar contexts have equal values. */
function coarse(number: number): number {
  return number < 1 ? 0 : 4 ** (step(number) - 1)
}

/** The number of the step, from 0. */
export function step(number: number): number {
  return number < 1 ? 0 : 1 + Math.round(Math.log2(number) / 2)
}

function round(share: number): number {
  return twentieths(share) / 20
}

/** Twentieths in a share, 0 to 20. */
export function twentieths(share: number): number {
  return Math.round(share * 20)
}

/** The range of an untrained answer's confidence, hundredths of a percent: always low (C4.4). */
const untrainedMin = 4_000
const untrainedMax = 5_900

/** The answer before any training: by the stream alone. */
export function untrainedDecision({ answer, belief, follows }: StructuralAnswer, byRole: LabelsByRole): Decision {
  const sure = answer === IRRELEVANT ? 1 - follows : belief
  const confidence = Math.round(untrainedMin + (untrainedMax - untrainedMin) * Math.min(1, sure))
  return { label: byRole[answer], confidence, outlier: false, outlierScore: 0, source: 'untrained', modelVersion: 0 }
}
