/**
 * The votes of one job, counted: by period and interval, over all jobs, and of filtered events where a filter asks.
 *
 * A vote belongs to the period in which it was cast, and passes a filter where the event that it was cast on does.
 */
import type { FeedbackFigures, TimedVote } from '../metrics/feedback-tally.js'
import { FeedbackTally } from '../metrics/feedback-tally.js'
import type { Intervals, Period } from '../metrics/period.js'
import { isoMicros } from '../clock.js'
import { matches } from '../query/condition.js'
import { FieldSet } from '../query/field.js'
import type { Filter } from '../query/filter.js'
import { decodeBallot } from '../store/rows.js'
import { jobRange, timeKey } from '../store/tables.js'
import { filterCondition, type JobGround, type MetricsGround } from './metrics-ground.js'
import { RecordFields } from './record-fields.js'

export interface VoteWalk {
  readonly ground: MetricsGround
  readonly own: JobGround
  readonly filters: readonly Filter[]
  readonly period: Period
  readonly intervals: Intervals
  /** What an analyst is called in the answer. */
  readonly nameOf: (analyst: string) => string
  /** The votes are counted into this one, too. */
  readonly overall: FeedbackTally
  readonly overallLabels: readonly string[]
}

export interface VoteCounts {
  readonly whole: FeedbackFigures
  readonly intervals: readonly unknown[]
}

export function countVotes({ ground, own, filters, period, intervals, nameOf, overall, overallLabels }: VoteWalk): VoteCounts {
  const { job, store: { environment } } = own
  const labels = job.labels.map(({ name }) => name)
  const places = labels.map((name) => overallLabels.indexOf(name))
  const labelAt = (label: number): number => places[label] ?? -1
  const passes = voteTest(ground, own, filters)
  const whole = new FeedbackTally(labels)
  const tallies: (FeedbackTally | undefined)[] = []
  for (const { value } of environment.range('ballots', jobRange(job.id))) {
    const { votes, consensus, override } = decodeBallot(value)
    const counted = votes.filter((vote) => vote.atMicros >= period.from && vote.atMicros < period.to && passes(vote))
    if (counted.length === 0) continue
    const ballot = { votes, consensus, overridden: override !== null }
    const isCounted = (vote: TimedVote): boolean => counted.includes(vote as (typeof counted)[number])
    whole.add(ballot, isCounted, nameOf)
    overall.add(ballot, isCounted, nameOf, labelAt)
    for (const place of new Set(counted.map(({ atMicros }) => intervals.placeOf(atMicros)))) {
      const tally = (tallies[place] ??= new FeedbackTally(labels))
      tally.add(ballot, (vote) => isCounted(vote) && intervals.placeOf(vote.atMicros) === place, nameOf)
    }
  }
  return {
    whole: whole.figures(),
    intervals: intervals.periods.map(({ from, to }, at) => ({
      startTime: isoMicros(from), endTime: isoMicros(to), ...(tallies[at] ?? new FeedbackTally(labels)).figures(),
    })),
  }
}

function voteTest(ground: MetricsGround, { job, store }: JobGround, filters: readonly Filter[]): (vote: TimedVote) => boolean {
  if (filters.length === 0) return () => true
  const fields = new FieldSet(ground.serviceNames)
  const condition = filterCondition(filters, fields, ground.nowMicros)
  const event = new RecordFields(store.environment, store.codec, fields)
  event.ofJob(job)
  return ({ eventMicros }) => {
    const record = store.environment.get('events', timeKey(job.id, eventMicros))
    if (record === undefined) return false
    event.event(eventMicros, record)
    return matches(condition, event)
  }
}
