/**
 * How good the decisions are on events that nobody ever labelled.
 *
 * The same events, kept out of the stream, are posted again under new ids after every step. An event counts as never
 * labelled if its bucket is new even in the last exam: nobody voted on it or on any event with equal decision points.
 * Accuracy is the share of right decisions among all such events; an event without a decision is not right. Macro
 * recall is the mean over the true labels of the share decided rightly: a rare label counts as much as a common one.
 */
import type { Played } from './play.js'

export interface Score {
  readonly events: number
  /** Shares, 0 to 1. */
  readonly decided: number
  readonly accuracy: number
  readonly macroRecall: number
  /** Decisions with a confidence of at least 90, and how many of those are right. */
  readonly sure: number
  readonly sureRight: number
}

function right({ answer, event }: Played, labels: readonly string[]): boolean {
  return answer.result !== '' && answer.result_label === labels[event.truth]
}

export function score(played: readonly Played[], labels: readonly string[]): Score {
  const events = played.length
  const of = (list: readonly Played[]): number => list.filter((one) => right(one, labels)).length
  const recalls = labels.map((_, truth) => {
    const own = played.filter((one) => one.event.truth === truth)
    return own.length === 0 ? null : of(own) / own.length
  })
  const known = recalls.filter((recall) => recall !== null)
  const sure = played.filter((one) => one.answer.result !== '' && one.answer.confidence_score >= 90)
  return {
    events,
    decided: played.filter((one) => one.answer.result !== '').length / Math.max(1, events),
    accuracy: of(played) / Math.max(1, events),
    macroRecall: known.reduce((sum, recall) => sum + recall, 0) / Math.max(1, known.length),
    sure: sure.length / Math.max(1, events),
    sureRight: of(sure) / Math.max(1, sure.length),
  }
}

/** Positions of the events whose bucket is new in the last exam. */
export function neverLabelled(last: readonly Played[]): number[] {
  return last.flatMap(({ answer }, i) => (answer.bucket_state === 'new' ? [i] : []))
}

/** The accuracy of always answering the commonest label, 0 to 1. */
export function commonestShare(played: readonly Played[], labels: readonly string[]): number {
  const counts = labels.map((_, truth) => played.filter((one) => one.event.truth === truth).length)
  return Math.max(...counts) / Math.max(1, played.length)
}
