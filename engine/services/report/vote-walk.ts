/**
 * The votes of one job, counted for internal metrics: as a whole, interval by interval, and into the tally over all
 * jobs.
 *
 * 1. A vote counts in the period in which it was cast, and passes a filter if its event does.
 * 2. An administrator's override counts in the period in which it was set. It is about no event, so filters exclude it.
 */
import { isoMicros } from '../../clock.js'
import type { FeedbackFigures, TimedVote } from '../../domain/metrics/feedback-tally.js'
import { FeedbackTally } from '../../domain/metrics/feedback-tally.js'
import type { Intervals, Period } from '../../domain/metrics/period.js'
import { matches } from '../../domain/query/condition.js'
import { FieldSet } from '../../domain/query/field.js'
import type { Filter } from '../../domain/query/filter.js'
import { decodeBallot } from '../../store/ballot-row.js'
import { JOB_BYTES, jobRange, timeKey } from '../../store/tables.js'
import { votesOn } from '../../actor/votes/vote-rows.js'
import { RecordFields } from '../query/record-fields.js'
import { filterCondition, type JobSnapshot, type MetricsContext } from './job-snapshot.js'

export interface VoteWalk {
  readonly context: MetricsContext
  readonly snapshot: JobSnapshot
  readonly filters: readonly Filter[]
  readonly period: Period
  readonly intervals: Intervals
  /** An analyst's name in the answer. */
  readonly nameOf: (analyst: string) => string
  /** The tally over all jobs. */
  readonly overall: FeedbackTally
  readonly overallLabels: readonly string[]
}

export interface VoteCounts {
  readonly whole: FeedbackFigures
  readonly intervals: readonly unknown[]
}

export function countVotes({
  context,
  snapshot,
  filters,
  period,
  intervals,
  nameOf,
  overall,
  overallLabels,
}: VoteWalk): VoteCounts {
  const {
    job,
    store: { environment },
  } = snapshot
  const labels = job.labels.map(({ name }) => name)
  const places = labels.map((name) => overallLabels.indexOf(name))
  const labelAt = (label: number): number => places[label] ?? -1
  const passes = voteTest(context, snapshot, filters)
  const whole = new FeedbackTally(labels)
  const tallies: (FeedbackTally | undefined)[] = []
  for (const { key, value } of environment.range('ballots', jobRange(job.id))) {
    const { consensus, override } = decodeBallot(value)
    const votes = [...votesOn(environment, job.id, key.subarray(JOB_BYTES))].flatMap((row) => row.votes)
    const isWithin = ({ atMicros }: { readonly atMicros: number }): boolean =>
      atMicros >= period.from && atMicros < period.to
    const counted = new Set<TimedVote>(votes.filter((vote) => isWithin(vote) && passes(vote)))
    const setOverride = override !== null && filters.length === 0 && isWithin(override) ? override : null
    if (counted.size === 0 && setOverride === null) continue
    const ballot = { votes, consensus, overridden: setOverride !== null }
    whole.add(ballot, (vote) => counted.has(vote), nameOf)
    overall.add(ballot, (vote) => counted.has(vote), nameOf, labelAt)
    const cast = setOverride === null ? [...counted] : [...counted, setOverride]
    for (const place of new Set(cast.map(({ atMicros }) => intervals.placeOf(atMicros)))) {
      const tally = (tallies[place] ??= new FeedbackTally(labels))
      const overridden = setOverride !== null && intervals.placeOf(setOverride.atMicros) === place
      tally.add(
        { ...ballot, overridden },
        (vote) => counted.has(vote) && intervals.placeOf(vote.atMicros) === place,
        nameOf,
      )
    }
  }
  return {
    whole: whole.figures(),
    intervals: intervals.periods.map(({ from, to }, at) => ({
      startTime: isoMicros(from),
      endTime: isoMicros(to),
      ...(tallies[at] ?? new FeedbackTally(labels)).figures(),
    })),
  }
}

function voteTest(
  context: MetricsContext,
  { job, store }: JobSnapshot,
  filters: readonly Filter[],
): (vote: TimedVote) => boolean {
  if (filters.length === 0) return () => true
  const fields = new FieldSet(context.serviceNames)
  const condition = filterCondition(filters, fields, { nowMicros: context.nowMicros, labels: job.labels })
  const event = new RecordFields(store.environment, store.codec, fields, store.assignees)
  event.ofJob(job)
  return ({ eventMicros }) => {
    const record = store.environment.get('events', timeKey(job.id, eventMicros))
    if (record === undefined) return false
    event.event(eventMicros, record)
    return matches(condition, event)
  }
}
