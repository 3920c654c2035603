/** Holds the metrics of a job against a count over the oracle's events, by both ways that the engine has. */
import assert from 'node:assert/strict'
import type { JobSettings } from '../../../engine/domain/job/job.js'
import { BallotCache } from '../../../engine/services/report/job-ballots.js'
import { countByBuckets, countByEvents, runJobMetrics } from '../../../engine/services/report/job-metrics.js'
import { snapshotOf, type MetricsContext } from '../../../engine/services/report/job-snapshot.js'
import type { MetricsJob } from '../../../engine/services/report/metrics-query.js'
import { BodyCodec } from '../../../engine/store/body-codec.js'
import type { Environment } from '../../../engine/store/environment.js'
import type { StoreLook } from './compare.js'
import type { OracleEvent, OracleJob } from './oracle.js'
import { matrixOf as scoredMatrix } from '../../../engine/domain/metrics/quality.js'
import { CancelCell } from '../../../engine/services/readers/task-frame.js'

/**
 * A context over one store, with all the time there is; `codec` reads its bodies, a new one for each question where
 * none is given.
 */
export function metricsContext(
  environment: Environment,
  ballotCache = new BallotCache(),
  nowMicros = 0,
  codec?: BodyCodec,
): MetricsContext {
  return {
    dataDir: '',
    serviceNames: ['service'],
    nowMicros,
    ballotCache,
    stores: () => ({ environment, codec: codec ?? new BodyCodec(environment) }),
    clock: { nowMs: () => 0, deadlineMs: 1, cancelled: new CancelCell() },
  }
}

export function metricsJob(job: JobSettings, productionMicros: number | null = null): MetricsJob {
  return { ...job, productionMicros }
}

interface Counted {
  readonly matrix: number[][]
  /** Rows: what analysts say; columns: the decision before the first vote. By whether the bucket was known. */
  readonly newBuckets: number[][]
  readonly knownBuckets: number[][]
  readonly events: number
  readonly withConsensus: number
  readonly inKnowledgeBase: number
  readonly changedEvents: number
  /** Sizes of the changed subjects, largest first. */
  readonly changed: number[]
}

/** The definitions, word for word. */
function countOracle(oracle: OracleJob, events: readonly OracleEvent[]): Counted {
  const consensusOf = (event: OracleEvent): number => oracle.ballots.get(subjectOf(event))?.consensus ?? -1
  const states = events.map((event) => oracle.stateOf(event))
  const changed = new Map<string, number>()
  events.forEach((event, at) => {
    if (states[at] === 'retrain') changed.set(subjectOf(event), (changed.get(subjectOf(event)) ?? 0) + 1)
  })
  const firstMatrix = (knownBucket: boolean): number[][] =>
    matrixOf(
      events.filter(({ first }) => first?.knownBucket === knownBucket),
      (event) => oracle.truthOf(event),
      ({ first }) => first?.decision.label,
    )
  return {
    newBuckets: firstMatrix(false),
    knownBuckets: firstMatrix(true),
    matrix: matrixOf(events, consensusOf, ({ decision }) => decision.label),
    events: events.length,
    withConsensus: events.filter((event) => consensusOf(event) >= 0).length,
    inKnowledgeBase: states.filter((state) => state === 'in_knowledge_base' || state === 'retrain').length,
    changedEvents: [...changed.values()].reduce((all, one) => all + one, 0),
    changed: [...changed.values()].sort((a, b) => b - a).slice(0, 10),
  }
}

function subjectOf(event: OracleEvent): string {
  return event.bucket ?? `event ${event.micros}`
}

function matrixOf(
  events: readonly OracleEvent[],
  row: (event: OracleEvent) => number,
  column: (event: OracleEvent) => number | undefined,
): number[][] {
  return [0, 1, 2].map((i) => [0, 1, 2].map((j) => events.filter((one) => row(one) === i && column(one) === j).length))
}

function plain({ matrix, prequential, changed, ...rest }: NonNullable<ReturnType<typeof countByBuckets>>): Counted {
  const { newBuckets, knownBuckets } = prequential
  const first = { newBuckets: scoredMatrix(newBuckets).rows, knownBuckets: scoredMatrix(knownBuckets).rows }
  return { ...rest, ...first, matrix: matrix.rows, changed: changed.map(({ size }) => size) }
}

/** `ballotCache` is kept from one comparison to the next, as a thread does. */
export function compareMetrics(
  { environment, codec }: StoreLook,
  job: JobSettings,
  oracle: OracleJob,
  ballotCache: BallotCache,
): void {
  const context = metricsContext(environment, ballotCache, 0, codec)
  const snapshot = snapshotOf(context, metricsJob(job))
  const events = [...oracle.events.values()].sort((a, b) => a.micros - b.micros)
  const wanted = countOracle(oracle, events)
  const byBuckets = countByBuckets(snapshot)
  assert.ok(byBuckets !== null)
  assert.deepEqual(plain(byBuckets), wanted, 'metrics from the counts of buckets')
  const scope = { fromMicros: null, toMicros: null, filters: [] }
  const byEvents = countByEvents(context, snapshot, scope)
  assert.deepEqual(plain(byEvents), wanted, 'metrics from the events')
  assert.deepEqual(
    byEvents.changed.map(({ id }) => id),
    byBuckets.changed.map(({ id }) => id),
  )
  const [from, to] = [events[Math.floor(events.length / 3)], events[Math.floor((2 * events.length) / 3)]]
  if (from === undefined || to === undefined) return
  const within = events.filter(({ micros }) => micros >= from.micros && micros < to.micros)
  assert.deepEqual(
    plain(countByEvents(context, snapshot, { ...scope, fromMicros: from.micros, toMicros: to.micros })),
    countOracle(oracle, within),
  )
  const isOf = runJobMetrics(
    context,
    snapshot.job,
    { ...scope, filters: [{ field: 'service.result', operator: 'is', value: 'label_0' }] },
    10,
  )
  assert.equal(isOf.totalEvents, events.filter(({ decision }) => decision.label === 0).length)
  const { matrix } = countOracle(
    oracle,
    events.filter(({ decision }) => decision.label === 0),
  )
  assert.equal(
    isOf.agreementWithVotes.events,
    matrix.flat().reduce((all, one) => all + one, 0),
  )
}
