/** What a training found out about votes. It is kept with its model. */
import type { DoubtedLabel } from '../domain/learn/selection/doubted-labels.js'

/** Of held-out votes on events that were drawn: how many, and the share that the model answers rightly. */
export interface DrawnFigures {
  readonly votes: number
  readonly right: number
}

/** Whole numbers from 1 on. */
export interface AnalystWeights {
  /** By the name of an analyst: by label. */
  readonly known: Readonly<Record<string, readonly number[]>>
  /** Of all others. */
  readonly other: number
}

/** What people said of an event, and a model that was trained without that would not (selection/doubted-labels.ts). */
export interface DoubtedVote extends Omit<DoubtedLabel, 'example' | 'doubt'> {
  /** Ingest time of the event. */
  readonly micros: number
}
