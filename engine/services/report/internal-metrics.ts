/**
 * Internal metrics: what a team needs to see quality over time, job by job and interval by interval.
 *
 * Owns: one walk through each job's events and one through its votes. Leaves out: what counts for what (metrics/), models
 * (model-scores.ts), settings (metrics-reports.ts).
 *
 * 1. Over its time it stops where it is, and says so in a warning: figures are then of the newest events.
 */
import { isoMicros } from '../../clock.js'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { divergence } from '../../domain/metrics/divergence.js'
import { EventTally } from '../../domain/metrics/event-tally.js'
import { FeedbackTally } from '../../domain/metrics/feedback-tally.js'
import { InputProfile } from '../../domain/metrics/input-profile.js'
import { intervalCount, Intervals, type Period } from '../../domain/metrics/period.js'
import { Pseudonyms } from '../../domain/metrics/pseudonyms.js'
import { FieldSet } from '../../domain/query/field.js'
import { decodeHeader } from '../../store/event-record.js'
import { EventScan } from '../query/event-scan.js'
import { LOW_CONFIDENCE } from '../../actor/job-stats.js'
import { modelHealth } from '../read/job-view.js'
import {
  filterCondition,
  snapshotOf,
  nowOf,
  startOf,
  withinPeriod,
  type JobSnapshot,
  type MetricsContext,
} from './job-snapshot.js'
import { tallyDocument } from './tally-document.js'
import { countVotes } from './vote-walk.js'
import type { MetricsJob, InternalResult, InternalTask } from './metrics-query.js'

const INTERVAL_PLACE = ['query', 'aggregation_time_interval']

/** @throws Refusal invalid_body, query_too_large. */
export function runInternal(context: MetricsContext, jobs: readonly MetricsJob[], task: InternalTask): InternalResult {
  const names = task.namesKey === null ? null : new Pseudonyms('user', task.namesKey)
  const points = task.pointsKey === null ? null : new Pseudonyms('decision_point', task.pointsKey)
  const nameOf = (analyst: string): string => names?.of(analyst) ?? analyst
  const warnings: string[] = []
  const labels = [...new Set(jobs.flatMap((job) => job.labels.map(({ name }) => name)))]
  const overall = new FeedbackTally(labels)
  const documents = new Map<number, { jobMetrics: unknown; feedbackMetrics: unknown }>()
  for (const job of jobs) {
    const snapshot = snapshotOf(context, job)
    const period = { from: startOf(task.scope, snapshot).shown, to: task.scope.toMicros ?? nowOf(context, snapshot) }
    const intervals = new Intervals(period, bounded(period, task))
    const walk = new JobWalk(context, snapshot, task, intervals)
    if (walk.run())
      warnings.push(`job ${job.id}: the time was over before all events were counted; figures are of the newest events`)
    const votes = countVotes({
      context,
      snapshot,
      filters: task.scope.filters,
      period,
      intervals,
      nameOf,
      overall,
      overallLabels: labels,
    })
    documents.set(job.id, {
      jobMetrics: walk.document(task.minutesPerAlert, (name) => points?.of(name) ?? name),
      feedbackMetrics: task.interval === null ? votes.whole : { ...votes.whole, intervals: votes.intervals },
    })
  }
  return { warnings, jobs: documents, overallFeedback: overall.figures() }
}

function bounded(period: Period, { interval }: InternalTask): InternalTask['interval'] {
  if (interval === null || intervalCount(period, interval) <= limits.metricsIntervalsMax) return interval
  const msg = `the period has more than ${limits.metricsIntervalsMax} intervals; ask for longer ones, or for a shorter period`
  throw new Refusal('invalid_body', msg, { issues: [{ loc: INTERVAL_PLACE, msg, type: 'value_error' }] })
}

/** The walk through one job's events. */
class JobWalk {
  readonly #context: MetricsContext
  readonly #snapshot: JobSnapshot
  readonly #task: InternalTask
  readonly #intervals: Intervals
  readonly #whole: EventTally
  readonly #tallies: (EventTally | undefined)[] = []
  readonly #profiles: (InputProfile | undefined)[] = []

  constructor(context: MetricsContext, snapshot: JobSnapshot, task: InternalTask, intervals: Intervals) {
    this.#context = context
    this.#snapshot = snapshot
    this.#task = task
    this.#intervals = intervals
    this.#whole = new EventTally(snapshot.job.labels.length, LOW_CONFIDENCE)
  }

  /** True where the time was over. */
  run(): boolean {
    const { job, ballots, stats } = this.#snapshot
    const { scope, interval } = this.#task
    const fields = new FieldSet(this.#context.serviceNames)
    const period = { from: this.#intervals.periods[0]?.from ?? 0, to: this.#intervals.periods.at(-1)?.to ?? 0 }
    const condition = withinPeriod(
      filterCondition(scope.filters, fields, this.#context.nowMicros),
      fields,
      period.from,
      period.to,
    )
    const points =
      interval === null
        ? []
        : job.decisionPoints.slice(0, limits.metricsDriftPointsMax).map((name) => fields.field(name))
    const every = Math.max(1, Math.ceil(stats.events / limits.metricsInputSamplesMax))
    const scan = new EventScan(this.#context.stores, this.#context.clock)
    let seen = 0
    scan.walk(job, condition, fields, (event, _, micros, record) => {
      const header = decodeHeader(record)
      const standing = ballots.standingOf(header, micros)
      this.#whole.add(header, standing)
      if (interval === null) return true
      const place = this.#intervals.placeOf(micros)
      ;(this.#tallies[place] ??= new EventTally(job.labels.length, LOW_CONFIDENCE)).add(header, standing)
      if (seen++ % every !== 0) return true
      ;(this.#profiles[place] ??= new InputProfile(points.length)).add(
        points.map((field) => event.values(field).join('\u0001')),
      )
      return true
    })
    return scan.timedOut
  }

  document(minutesPerAlert: number, pointName: (name: string) => string): unknown {
    const { job, stats } = this.#snapshot
    const labels = job.labels.map(({ name }) => name)
    const [first, last] = [this.#intervals.periods[0], this.#intervals.periods.at(-1)]
    const whole = {
      startTime: first === undefined ? null : isoMicros(first.from),
      endTime: last === undefined ? null : isoMicros(last.to),
      productionDate: job.productionMicros === null ? null : isoMicros(job.productionMicros),
      ...modelHealth(stats),
      ...tallyDocument(this.#whole, labels, minutesPerAlert),
    }
    if (this.#task.interval === null) return whole
    let before: number | null = null
    const intervals = this.#intervals.periods.map((period, at) => {
      const tally = this.#tallies[at] ?? new EventTally(labels.length, LOW_CONFIDENCE)
      const document = {
        startTime: isoMicros(period.from),
        endTime: isoMicros(period.to),
        ...tallyDocument(tally, labels, minutesPerAlert),
        drift: before === null || tally.events === 0 ? null : this.#drift(before, at, pointName),
      }
      if (tally.events > 0) before = at
      return document
    })
    return { ...whole, intervals }
  }

  /** From the latest interval before that has events: how far inputs, decisions and errors moved. */
  #drift(before: number, at: number, pointName: (name: string) => string): unknown {
    const [earlier, later] = [this.#tallies[before] as EventTally, this.#tallies[at] as EventTally]
    const [was, is] = [this.#profiles[before], this.#profiles[at]]
    const points = was === undefined || is === undefined ? [] : is.driftFrom(was)
    const known = points.filter((value) => value !== null)
    const [errorsBefore, errors] = [errorRate(earlier), errorRate(later)]
    return {
      since: isoMicros((this.#intervals.periods[before] as Period).from),
      decisions: divergence(earlier.decisions, later.decisions),
      inputs: known.length === 0 ? null : known.reduce((all, one) => all + one, 0) / known.length,
      inputsPerDecisionPoint: new Map(
        points.map((value, point) => [pointName(this.#snapshot.job.decisionPoints[point] as string), value]),
      ),
      sampledEvents: is?.samples ?? 0,
      errorRateChange: errorsBefore === null || errors === null ? null : errors - errorsBefore,
    }
  }
}

function errorRate({ all }: EventTally): number | null {
  return all.total === 0 ? null : 1 - all.right / all.total
}
