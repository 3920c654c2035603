/**
 * The values that a model reads of the events of a job: those at the decision points, and in root cause analysis before
 * them those of the alert in its cluster.
 */
import type { AlertRow } from '../../domain/cause/cause-rows.js'
import { CauseModel } from '../../domain/cause/cause-model.js'
import { contextPoints, contextValues, structuralAnswer, type StructuralAnswer } from '../../domain/cause/context.js'
import { LinkBelief, noFeedbackWeights } from '../../domain/cause/feedback-weights.js'
import { HawkesProcess } from '../../domain/cause/hawkes.js'
import { causeSettingsOf } from '../../domain/cause/settings.js'
import type { DecisionPoints } from '../../domain/event/decision-points.js'
import { pointsOf } from '../../domain/job/job-points.js'
import type { PointValues } from '../../domain/event/point-value.js'
import { hasClusters } from '../../domain/job/job.js'
import type { Model } from '../../domain/learn/classifier.js'
import { decodeContent } from '../../store/event-record.js'
import { CauseTableReader } from '../../actor/cause/cause-table.js'
import type { FoundEvent } from '../../actor/event-table.js'
import type { JobAt } from './job-at.js'

/** Reads the values of stored events. */
export class EventValues {
  /** The names of the values, in their order. */
  readonly names: readonly string[]
  /** The place of the first value that is a field of the event. */
  readonly firstField: number
  readonly #at: JobAt
  readonly #points: DecisionPoints
  readonly #places: AlertPlaces | null

  /** For that model, or for no model; `decisionPoints`: those that it was trained on. */
  constructor(at: JobAt, model: Model | null, decisionPoints: readonly string[] = at.job.decisionPoints) {
    const { category } = at.job
    this.#at = at
    this.#points = pointsOf({ ...at.job, decisionPoints })
    this.#places = hasClusters(category) ? new AlertPlaces(at, model) : null
    this.names = this.#places === null ? decisionPoints : [...contextPoints, ...decisionPoints]
    this.firstField = this.names.length - decisionPoints.length
  }

  /** Null for an alert that was never put into a cluster. */
  of({ micros, record }: Pick<FoundEvent, 'micros' | 'record'>): PointValues | null {
    const own = (): PointValues => this.#points.valuesOf(this.#at.codec.decode(decodeContent(record).body))
    return this.#places === null ? own() : this.#places.valuesOf(micros, own)
  }
}

/** Reads alerts in their clusters. */
class AlertPlaces {
  readonly #rows: CauseTableReader
  readonly #hawkes: HawkesProcess
  readonly #belief: LinkBelief
  readonly #windowMs: number

  constructor({ environment, job }: JobAt, model: Model | null) {
    const { causeWindowMs } = causeSettingsOf(job)
    this.#rows = new CauseTableReader(environment, job.id)
    this.#hawkes = new HawkesProcess(this.#rows, causeWindowMs)
    this.#belief = new LinkBelief(model instanceof CauseModel ? model.feedbackWeights : noFeedbackWeights)
    // As Clustering.windowMs.
    this.#windowMs = causeWindowMs === 0 && this.#belief.windowMs > 0 ? this.#belief.windowMs : this.#hawkes.windowMs
  }

  valuesOf(micros: number, own: () => PointValues): PointValues | null {
    const alert = this.#rows.get('alerts', micros) as AlertRow | undefined
    return alert === undefined ? null : contextValues(alert, this.#structure(alert), this.#hawkes, own())
  }

  #structure(alert: AlertRow): StructuralAnswer {
    return structuralAnswer(alert, this.#belief, this.#windowMs)
  }
}
