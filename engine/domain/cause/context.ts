/**
 * The alert in its cluster, as values that a classifier reads; and the answer that the cluster's structure gives.
 *
 * Owns: the three answers, and the features beside the alert's own. Leaves out: learning from them (cause-model.ts).
 *
 * The structure's answer: an alert that follows from another one is a symptom; one that follows from none, and that
 * others follow from, is a root cause; one that stands alone is irrelevant.
 */
import type { Decision } from '../decide/decision.js'
import type { PointValue, PointValues } from '../event/point-value.js'
import { PRECEDENT_FIELDS, type AlertRow } from './cause-rows.js'
import { LINK_MIN } from './clustering.js'
import { sides, type Side } from './delays.js'
import type { LearnedBelief } from './lessons.js'

/** The job's labels by place, whatever they are called (S7). */
export const ROOT_CAUSE = 0
export const SYMPTOM = 1
export const IRRELEVANT = 2
export type Answer = 0 | 1 | 2

/** What kinds are called, and how often they start something. */
export interface KindFacts {
  nameOf(kind: number): string
  startRate(kind: number): number
}

export interface StructuralAnswer {
  readonly answer: Answer
  /** What is believed of the link that it hangs on: to its cause, or from its first follower; 0 where there is none. */
  readonly belief: number
  /** Chance that it follows from something, over all that it was compared with. */
  readonly follows: number
}

/** By the links as they are believed now; `windowMs` as Clustering.windowMs. */
export function structuralAnswer(alert: AlertRow, learned: LearnedBelief, windowMs: number): StructuralAnswer {
  let nearest = 0
  let none = 1
  // By place, here and below: every alert comes through here, and some many times.
  const { precedents } = alert
  for (let at = 0; at < precedents.length; at += PRECEDENT_FIELDS) {
    if ((precedents[at + 2] as number) >= windowMs) continue
    const weight = learned.of(
      precedents[at] as number,
      alert.kind,
      precedents[at + 1] as Side,
      precedents[at + 3] as number,
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

/** One that came in later than this alert, and lies before it, is not among those that it was compared with. */
export function isAdopted({ parent, parentKind, delayMs, precedents }: AlertRow): boolean {
  if (parent === 0) return false
  for (let at = 0; at < precedents.length; at += PRECEDENT_FIELDS) {
    if (precedents[at] === parentKind && precedents[at + 2] === delayMs) return false
  }
  return true
}

export const answerNames = ['root cause', 'symptom', 'irrelevant'] as const

/** Names of the values of contextValues, in their order; the job's decision points come behind. */
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

/** What a classifier sees of an alert. */
export function contextValues(
  alert: AlertRow,
  structure: StructuralAnswer,
  facts: KindFacts,
  own: PointValues,
): PointValue[] {
  const { kind, parent, parentKind } = alert
  const name = facts.nameOf(kind)
  const from = parent === 0 ? null : facts.nameOf(parentKind)
  const nearest = alert.precedents[0]
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

/** Steps that grow with the number: what is learned of one place serves for those like it. */
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

/** Where an untrained answer's confidence lies, hundredths of a percent: always low (C4.4). */
const untrainedMin = 4_000
const untrainedMax = 5_900

/** The decision before any training: by the stream alone. */
export function untrainedDecision({ answer, belief, follows }: StructuralAnswer): Decision {
  const sure = answer === IRRELEVANT ? 1 - follows : belief
  const confidence = Math.round(untrainedMin + (untrainedMax - untrainedMin) * Math.min(1, sure))
  return { label: answer, confidence, outlier: false, outlierScore: 0, source: 'untrained', modelVersion: 0 }
}
