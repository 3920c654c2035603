/**
 * How good the decisions are on events that nobody ever labelled.
 *
 * The same events, kept out of the stream, are posted again under new ids after every step. An event counts as never
 * labelled if its bucket is new even in the last exam: nobody voted on it or on any event with equal decision points.
 * Accuracy is the share of right decisions among all such events; an event without a decision is not right. Macro
 * recall is the mean over the true labels of the share decided rightly: a rare label counts as much as a common one.
 * Each figure has an interval of 95 %; from fewer than 30 events there is none.
 */
import { bootstrapped } from '../../engine/domain/metrics/interval.js'
import { measured, shareOf, type Measured } from '../../engine/domain/metrics/quality.js'
import type { Played } from './play.js'

export interface Score {
  readonly events: number
  /** Share, 0 to 1. */
  readonly decided: number
  readonly accuracy: Measured
  readonly macroRecall: Measured
  /** Share of decisions with a confidence of at least 90, and how many of those are right. */
  readonly sure: number
  readonly sureRight: Measured
}

function right({ answer, event }: Played, labels: readonly string[]): boolean {
  return answer.result !== '' && answer.result_label === labels[event.truth]
}

/** Of right and wrong events by label, one after the other. */
function macroRecallOf(counts: readonly number[]): number {
  const recalls: number[] = []
  for (let at = 0; at < counts.length; at += 2) {
    const [rights, wrongs] = [counts[at] ?? 0, counts[at + 1] ?? 0]
    if (rights + wrongs > 0) recalls.push(rights / (rights + wrongs))
  }
  return recalls.reduce((sum, recall) => sum + recall, 0) / Math.max(1, recalls.length)
}

export function score(played: readonly Played[], labels: readonly string[]): Score {
  const events = played.length
  const of = (list: readonly Played[]): number => list.filter((one) => right(one, labels)).length
  const counts = labels.flatMap((_, truth) => {
    const own = played.filter((one) => one.event.truth === truth)
    return [of(own), own.length - of(own)]
  })
  const sure = played.filter((one) => one.answer.result !== '' && one.answer.confidence_score >= 90)
  return {
    events,
    decided: played.filter((one) => one.answer.result !== '').length / Math.max(1, events),
    accuracy: shareOf(of(played), events),
    macroRecall: measured(macroRecallOf(counts), events, () => bootstrapped(counts, macroRecallOf)),
    sure: sure.length / Math.max(1, events),
    sureRight: shareOf(of(sure), sure.length),
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
