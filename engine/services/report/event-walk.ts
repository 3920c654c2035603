/**
 * The events of one job, counted for internal metrics: as a whole and interval by interval, with drift between
 * intervals.
 *
 * Owns: one walk through the job's events, and what the answer says of it. Leaves out: what counts for what
 * (domain/metrics/), votes (vote-walk.ts).
 */
import { isoMicros } from '../../clock.js'
import { limits } from '../../limits.js'
import { agreementWithVotes } from '../../domain/metrics/agreement-with-votes.js'
import { divergence } from '../../domain/metrics/divergence.js'
import { EventTally } from '../../domain/metrics/event-tally.js'
import { InputProfile } from '../../domain/metrics/input-profile.js'
import type { Intervals, Period } from '../../domain/metrics/period.js'
import { matrixOf, minutesSaved, overallOf, shareOf } from '../../domain/metrics/quality.js'
import type { ScoredAnswers } from '../../domain/learn/scored-answers.js'
import { FieldSet } from '../../domain/query/field.js'
import { decodeHeader } from '../../store/event-record.js'
import { LOW_CONFIDENCE } from '../../actor/job-stats.js'
import { firstAnswerOf } from '../../actor/votes/first-answers.js'
import { EventScan } from '../query/event-scan.js'
import { modelHealth } from '../read/job-view.js'
import { heldOutAnswers, filterCondition, withinPeriod, type JobSnapshot, type MetricsContext } from './job-snapshot.js'
import type { InternalTask } from './metrics-query.js'

/** Separates the values of a field with more than one. */
const VALUE_SEPARATOR = '\u0001'

/** A walk through one job's events. */
export class EventWalk {
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

  /** True where the time limit was reached before all events were counted. */
  run(): boolean {
    const { job, ballots, stats, store } = this.#snapshot
    const { environment } = store
    const { scope, interval } = this.#task
    const fields = new FieldSet(this.#context.serviceNames)
    const period = { from: this.#intervals.periods[0]?.from ?? 0, to: this.#intervals.periods.at(-1)?.to ?? 0 }
    const condition = withinPeriod(
      filterCondition(scope.filters, fields, { nowMicros: this.#context.nowMicros, labels: job.labels }),
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
      const first = firstAnswerOf(environment, job.id, { header, micros })
      this.#whole.add(header, standing)
      if (first !== null) this.#whole.addFirstAnswer(first)
      if (interval === null) return true
      const place = this.#intervals.placeOf(micros)
      const tally = (this.#tallies[place] ??= new EventTally(job.labels.length, LOW_CONFIDENCE))
      tally.add(header, standing)
      if (first !== null) tally.addFirstAnswer(first)
      if (seen++ % every !== 0) return true
      ;(this.#profiles[place] ??= new InputProfile(points.length)).add(
        points.map((field) => event.values(field).join(VALUE_SEPARATOR)),
      )
      return true
    })
    return scan.timedOut
  }

  /** The figures as JSON. `pointName` renames decision points. */
  document(minutesPerAlert: number, pointName: (name: string) => string): unknown {
    const { job, stats } = this.#snapshot
    const labels = job.labels.map(({ name }) => name)
    const heldOut = heldOutAnswers(this.#snapshot)
    const [first, last] = [this.#intervals.periods[0], this.#intervals.periods.at(-1)]
    const { modelState, modelMsg } = modelHealth(stats)
    const whole = {
      startTime: first === undefined ? null : isoMicros(first.from),
      endTime: last === undefined ? null : isoMicros(last.to),
      productionDate: job.productionMicros === null ? null : isoMicros(job.productionMicros),
      modelState,
      modelMsg,
      ...tallyDocument(this.#whole, heldOut, labels, minutesPerAlert),
    }
    if (this.#task.interval === null) return whole
    let before: number | null = null
    const intervals = this.#intervals.periods.map((period, at) => {
      const tally = this.#tallies[at] ?? new EventTally(labels.length, LOW_CONFIDENCE)
      const document = {
        startTime: isoMicros(period.from),
        endTime: isoMicros(period.to),
        ...tallyDocument(tally, heldOut, labels, minutesPerAlert),
        drift: before === null || tally.events === 0 ? null : this.#drift(before, at, pointName),
      }
      if (tally.events > 0) before = at
      return document
    })
    return { ...whole, intervals }
  }

  /** How far inputs, decisions and errors have moved since the interval `before`, the last one with events. */
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

/** The share of first answers that are wrong; null from too few. */
function errorRate({ prequential }: EventTally): number | null {
  const { total, right } = matrixOf(prequential.all())
  const { value } = shareOf(total - right, total)
  return value
}

/** A tally in the answer. Rates are 0 to 1; null where there is nothing to divide by. */
function tallyDocument(
  tally: EventTally,
  heldOut: ScoredAnswers | null,
  labels: readonly string[],
  minutesPerAlert: number,
): object {
  const named = (counts: readonly number[]): Map<string, number> =>
    new Map(labels.map((name, label) => [name, counts[label] ?? 0]))
  const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)
  const { all, newData, knowledgeBase, prequential } = tally
  return {
    totalEvents: tally.events,
    decidedEvents: tally.decided,
    pendingEvents: tally.pending,
    passedOverEvents: tally.events - tally.decided - tally.pending,
    eventsPerDecision: named(tally.decisions),
    totalEventsInKnowledgeBase: tally.inKnowledgeBase,
    totalEventsWithConsensus: tally.withConsensus,
    consensusPerDecision: named(tally.consensuses),
    eventsWithUndecidedConsensus: tally.undecided,
    eventsWithFeedback: tally.withFeedback,
    eventsWithChangedConsensus: tally.changed,
    decidedByKnowledgeBase: tally.fromKnowledgeBase,
    outliers: tally.outliers,
    outlierRate: share(tally.outliers, tally.decided),
    lowConfidence: tally.lowConfidence,
    lowConfidenceRate: share(tally.lowConfidence, tally.decided),
    timeSavedMinutes: minutesSaved(all.total, prequential.all(), minutesPerAlert),
    errorRate: errorRate(tally),
    ...overallOf(prequential.newBuckets, heldOut, labels),
    quality: prequential.report(labels),
    agreementWithVotes: {
      ...agreementWithVotes(all),
      decidedByModel: agreementWithVotes(newData),
      decidedByKnowledgeBase: agreementWithVotes(knowledgeBase),
    },
    confidence: tally.confidence.figures(),
  }
}
