/**
 * Clusters of a job, computed in memory alone: one state that lives from the first alert to the last, without turns,
 * stores, restarts or caches between decisions.
 */
import assert from 'node:assert/strict'
import { CauseRows } from '../../../engine/actor/cause/cause-table.js'
import type { AlertRow, ClusterRow } from '../../../engine/domain/cause/cause-rows.js'
import { isClosed } from '../../../engine/domain/cause/cause-rows.js'
import { causeBounds } from '../../../engine/domain/cause/bounds.js'
import { countClusters } from '../../../engine/domain/cause/clusters.js'
import { Clustering } from '../../../engine/domain/cause/clustering.js'
import { contextValues, structuralAnswer, untrainedDecision } from '../../../engine/domain/cause/context.js'
import { LinkBelief, type FeedbackWeights } from '../../../engine/domain/cause/feedback-weights.js'
import { causeSettingsOf, type CauseSettings } from '../../../engine/domain/cause/settings.js'
import { causeParts } from '../../../engine/domain/cause/cause-store.js'
import { AlertNormalizer, type NormalizedAlert } from '../../../engine/domain/cause/normalized-alert.js'
import { noDecision, type Decision } from '../../../engine/domain/decide/decision.js'
import type { PointValues } from '../../../engine/domain/event/point-value.js'
import { decidesUntrained, type JobSettings } from '../../../engine/domain/job/job.js'
import { labelMeanings } from '../../../engine/domain/job/label-roles.js'
import type { Environment } from '../../../engine/store/environment.js'
import { TestCauseStore } from '../cause.js'

/** What the oracle of the job knows and does. */
export interface CauseJob {
  readonly settings: JobSettings
  readonly feedbackWeights: FeedbackWeights
  /** The model's decision on these values; null without one. */
  readonly decide: ((values: PointValues, subject: string | null, again: boolean) => Decision) | null
  /** The event with its decision, or null where it is gone or waits. */
  readonly find: (
    micros: number,
  ) => { readonly hasFeedback: boolean; readonly decision: Decision; readonly body: Record<string, unknown> } | null
  readonly change: (micros: number, decision: Decision) => void
}

/** A confidence that moves by less keeps its reported value. */
const moveMin = 500

export interface OracleAlert {
  readonly micros: number
  readonly body: Record<string, unknown>
}

export class OracleCauses {
  readonly causeStore = new TestCauseStore()
  readonly #settings: CauseSettings
  readonly #clustering: Clustering

  constructor(job: JobSettings) {
    this.#settings = causeSettingsOf(job)
    this.#clustering = new Clustering(this.causeStore, this.#settings)
  }

  take(job: CauseJob, micros: number, body: Record<string, unknown>, nowMicros: number): Decision {
    this.#clustering.useFeedback(job.feedbackWeights)
    const changed = this.#clustering.add(this.#normalized(job, body), micros, nowMicros)
    const decision = this.#decide(job, { micros, body }, null, false)
    for (const alert of changed) this.#look(job, alert, nowMicros)
    return decision
  }

  again(job: CauseJob, event: OracleAlert, nowMicros: number, subject: string | null): Decision {
    const { micros, body } = event
    this.#clustering.useFeedback(job.feedbackWeights)
    return this.#clustering.alert(micros) === null
      ? this.take(job, micros, body, nowMicros)
      : this.#decide(job, event, subject, true)
  }

  /** The model's values for the event in its current place; null if it has no place. */
  opinion(job: CauseJob, micros: number, body: Record<string, unknown>): PointValues | null {
    this.#clustering.useFeedback(job.feedbackWeights)
    return this.#clustering.alert(micros) === null ? null : this.#values(job, micros, body)
  }

  remove(micros: number): void {
    this.#clustering.remove(micros)
  }

  #normalized(job: CauseJob, body: Record<string, unknown>): NormalizedAlert {
    return this.#normalizer(job).normalize(body, this.#clustering.fields.look(body, job.settings.decisionPoints))
  }

  #normalizer({ settings }: CauseJob): AlertNormalizer {
    return new AlertNormalizer(this.#settings, settings.decisionPoints)
  }

  #values(job: CauseJob, micros: number, body: Record<string, unknown>): PointValues {
    const alert = this.#clustering.alert(micros) as AlertRow
    const structure = structuralAnswer(alert, new LinkBelief(job.feedbackWeights), this.#clustering.windowMs)
    return contextValues(
      alert,
      structure,
      this.#clustering.hawkes,
      this.#normalizer(job).valuesOf(() => body),
    )
  }

  #decide(job: CauseJob, { micros, body }: OracleAlert, subject: string | null, again: boolean): Decision {
    if (job.decide !== null) return job.decide(this.#values(job, micros, body), subject, again)
    if (!decidesUntrained(job.settings.advancedSettings)) return noDecision
    const alert = this.#clustering.alert(micros) as AlertRow
    const structure = structuralAnswer(alert, new LinkBelief(job.feedbackWeights), this.#clustering.windowMs)
    return untrainedDecision(structure, labelMeanings(job.settings.labels).byRole)
  }

  #look(job: CauseJob, micros: number, nowMicros: number): void {
    const event = job.find(micros)
    const alert = this.#clustering.alert(micros)
    const cluster = alert === null ? null : this.#clustering.cluster(alert.cluster)
    if (
      event === null ||
      alert === null ||
      cluster === null ||
      isClosed(cluster.row, this.#settings, this.#clustering.streamTime(nowMicros))
    )
      return
    const before = event.decision
    const subject = event.hasFeedback ? `event ${micros}` : null
    const decision = this.#decide(job, { micros, body: event.body }, subject, true)
    if (decision.source === 'none') return
    if (decision.label === before.label && Math.abs(decision.confidence - before.confidence) < moveMin) return
    alert.history.push([nowMicros, before.label, before.confidence, before.source])
    if (alert.history.length > causeBounds.causeHistoryMax) alert.history.shift()
    this.#clustering.touchAlert(micros)
    job.change(micros, decision)
  }

  /** Compares every row with the store, and counts clusters again from the remaining alerts. */
  compare(environment: Environment, jobId: number, events: ReadonlyMap<number, { readonly pending: boolean }>): void {
    this.#clustering.flush()
    const rows = new CauseRows(environment as ConstructorParameters<typeof CauseRows>[0], jobId)
    for (const part of causeParts) {
      const stored = [...rows.all(part)].map(({ number, row }) => [number, JSON.parse(JSON.stringify(row))] as const)
      const wanted = [...this.causeStore.all(part)]
        .map(({ number, row }) => [number, row] as const)
        .sort(([a], [b]) => a - b)
      assert.deepEqual(stored, wanted, `${part} of clusters`)
    }
    const clusters = new Map([...rows.all('clusters')].map(({ number, row }) => [number, row as ClusterRow]))
    const members = [...clusters.keys()].flatMap((cluster) =>
      [...rows.members(cluster, 0, Infinity)].map((alert) => `${cluster} ${alert}`),
    )
    assert.deepEqual(members.sort(), [...this.causeStore.members].sort(), 'alerts of clusters')
    const sizes = new Map<number, number>()
    for (const [micros, { pending }] of events) {
      const alert = rows.get('alerts', micros) as AlertRow | undefined
      if (alert === undefined) {
        assert.ok(pending, 'an alert without a place')
        continue
      }
      let cluster = alert.cluster
      for (let into = clusters.get(cluster)?.into ?? 0; into !== 0; into = clusters.get(cluster)?.into ?? 0)
        cluster = into
      sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1)
    }
    for (const [id, { size, into }] of clusters)
      if (into === 0) assert.equal(size, sizes.get(id) ?? 0, `size of cluster ${id}`)
    assert.equal(countClusters(rows), sizes.size, 'how many clusters there are')
  }
}
