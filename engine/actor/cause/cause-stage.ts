/**
 * Root cause analysis in the actor. An event goes into its cluster and is decided by its place there. Earlier events
 * whose decision changes with it are decided again in the same commit.
 *
 * Owns: when decisions are made and changed. Leaves out: clusters and links (domain/cause/), the model (job-model.ts).
 *
 * 1. The state of clustering is in the commit of the events that changed it, so a restart continues from the same
 *    state.
 * 2. A decision changes only while its cluster is open. Each decision that was replaced is in the event's history.
 * 3. An untrained job decides nothing, unless `decide_untrained` is set (S23). Readers show what its clusters suggest
 *    (services/read/alert-decisions.ts).
 */
import { typesOf } from '../../domain/job/job-points.js'
import { causeBounds } from '../../domain/cause/bounds.js'
import { isClosed, type AlertRow } from '../../domain/cause/cause-rows.js'
import { Clustering } from '../../domain/cause/clustering.js'
import { ContextCache } from '../../domain/cause/context-cache.js'
import { structuralAnswer, untrainedDecision } from '../../domain/cause/context.js'
import { LinkBelief, noFeedbackWeights } from '../../domain/cause/feedback-weights.js'
import { AlertNormalizer } from '../../domain/cause/normalized-alert.js'
import { causeSettingsOf } from '../../domain/cause/settings.js'
import { noBasis } from '../../domain/decide/decision-basis.js'
import { noDecision, type Decision } from '../../domain/decide/decision.js'
import type { PointValues } from '../../domain/event/point-value.js'
import { decidesUntrained, type JobSettings } from '../../domain/job/job.js'
import { labelMeanings, type LabelsByRole } from '../../domain/job/label-roles.js'
import type { BodyCodec } from '../../store/body-codec.js'
import { decodeContent, decidedAgain, withHeader } from '../../store/event-record.js'
import { timeKey, timeValue } from '../../store/tables.js'
import { noteChange } from '../decision-changes.js'
import { eventAt, type FoundEvent } from '../event-table.js'
import type { JobModel } from '../job-model.js'
import type { JobStats } from '../job-stats.js'
import type { TurnStore } from '../turn-store.js'
import { CauseTable } from './cause-table.js'

export interface CauseStageDeps {
  readonly store: TurnStore
  readonly codec: BodyCodec
  readonly settings: JobSettings
  readonly stats: JobStats
  readonly model: JobModel
}

/** Hundredths of a percent: a decision whose confidence changes by less is kept. */
const moveMin = 500

export class CauseStage {
  readonly #deps: CauseStageDeps
  readonly #normalizer: AlertNormalizer
  readonly #clustering: Clustering
  readonly #contexts: ContextCache
  readonly #byRole: LabelsByRole
  #linkBelief = new LinkBelief(noFeedbackWeights)

  constructor(deps: CauseStageDeps) {
    const settings = causeSettingsOf(deps.settings)
    this.#deps = deps
    this.#byRole = labelMeanings(deps.settings.labels).byRole
    this.#normalizer = new AlertNormalizer(settings, deps.settings.decisionPoints, typesOf(deps.settings))
    this.#clustering = new Clustering(new CauseTable(deps.store, deps.settings.id), settings)
    this.#contexts = new ContextCache(this.#clustering.hawkes)
    this.learn()
  }

  /** The model has changed. */
  learn(): void {
    const { feedbackWeights } = this.#deps.model
    this.#linkBelief = new LinkBelief(feedbackWeights)
    this.#clustering.useFeedback(feedbackWeights)
  }

  /** Adds a new event to its cluster and decides it. Decides earlier events again where that changes them. */
  take(micros: number, body: Readonly<Record<string, unknown>>, nowMicros: number): Decision {
    const found = this.#clustering.fields.look(body, this.#deps.settings.decisionPoints)
    const normalized = this.#normalizer.normalize(body, found, micros)
    const changed = this.#clustering.add(normalized, micros, nowMicros)
    const decision = this.#decide(this.#clustering.alert(micros) as AlertRow, normalized.values, false, null)
    const { basis } = this.#deps.model
    for (const alert of changed) this.#redecide(alert, nowMicros)
    this.#deps.model.basis = basis
    return decision
  }

  /** Decides a stored event again. Its place in its cluster stays. */
  again(event: FoundEvent, atMicros: number, ownSubject: Uint8Array | null): Decision {
    const alert = this.#clustering.alert(event.micros)
    if (alert === null) return this.take(event.micros, this.#bodyOf(event), atMicros)
    return this.#decide(
      alert,
      this.#normalizer.valuesOf(() => this.#bodyOf(event)),
      true,
      ownSubject,
    )
  }

  /** The model's own decision on a stored event at its present place; null without a model or without a place. */
  opinion(event: FoundEvent): Decision | null {
    const alert = this.#clustering.alert(event.micros)
    if (alert === null) return null
    const structure = structuralAnswer(alert, this.#linkBelief, this.#clustering.windowMs)
    return this.#deps.model.opinion(
      this.#contexts.valuesOf(
        alert,
        structure,
        this.#normalizer.valuesOf(() => this.#bodyOf(event)),
      ),
    )
  }

  /** The event is deleted, or replaced by another version. */
  remove(micros: number): void {
    this.#clustering.remove(micros)
  }

  /** The turn ends: writes the state of clustering. */
  finish(): void {
    this.#clustering.flush()
    this.#clustering.shrink()
  }

  #bodyOf({ record }: FoundEvent): Record<string, unknown> {
    return this.#deps.codec.decode(decodeContent(record).body)
  }

  #decide(alert: AlertRow, own: PointValues, again: boolean, ownSubject: Uint8Array | null): Decision {
    const { model, settings } = this.#deps
    model.basis = noBasis
    if (!model.isTrained && !decidesUntrained(settings.advancedSettings)) return noDecision
    const structure = structuralAnswer(alert, this.#linkBelief, this.#clustering.windowMs)
    if (!model.isTrained) return untrainedDecision(structure, this.#byRole)
    return model.decide(() => this.#contexts.valuesOf(alert, structure, own), null, { ownSubject, again })
  }

  /** Decides an event again because its place has changed, while its cluster is open. */
  #redecide(micros: number, nowMicros: number): void {
    const { store, settings, stats, model } = this.#deps
    const event = eventAt(store, settings.id, micros)
    const alert = this.#clustering.alert(micros)
    const cluster = alert === null ? null : this.#clustering.cluster(alert.cluster)
    if (event === null || alert === null || cluster === null || event.header.pending) return
    if (isClosed(cluster.row, this.#clustering.settings, this.#clustering.streamTime(nowMicros))) return
    const { header } = event
    const subject = header.hasFeedback ? timeValue(micros) : null
    const decision = this.#decide(
      alert,
      this.#normalizer.valuesOf(() => this.#bodyOf(event)),
      true,
      subject,
    )
    // A decision stays (C4.7), also where the job no longer decides untrained.
    if (decision.source === 'none') return
    if (decision.label === header.label && Math.abs(decision.confidence - header.confidence) < moveMin) return
    alert.history.push([nowMicros, header.label, header.confidence, header.source])
    if (alert.history.length > causeBounds.causeHistoryMax) alert.history.shift()
    this.#clustering.touchAlert(micros)
    stats.uncountDecision(header, micros)
    store.replace(
      'events',
      timeKey(settings.id, micros),
      withHeader(event.record, decidedAgain(header, decision, model.basis)),
    )
    stats.countDecision(decision, micros)
    noteChange(store, settings, { changeMicros: nowMicros, eventMicros: micros, before: header })
  }
}
