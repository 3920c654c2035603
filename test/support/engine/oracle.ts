/**
 * What a shard should hold, computed the simple way: plain JavaScript maps, no bytes, no caches, no turns. It shares
 * only pure code with the engine that has tests of its own (decision points, ids, the classifier, decide).
 */
import { isDeepStrictEqual } from 'node:util'
import { DecisionPoints, fingerprintOf, lacksPoints } from '../../../engine/domain/event/decision-points.js'
import { eventIdOf, microsOfEventId } from '../../../engine/domain/event/event-id.js'
import type { PointValues } from '../../../engine/domain/event/point-value.js'
import { decide, noDecision, type Decision, type KnownConsensus } from '../../../engine/domain/decide/decision.js'
import {
  freshTrust,
  learnFromFeedback,
  seeDecision,
  termsOfModel,
  withTrust,
} from '../../../engine/domain/decide/model-trust.js'
import { hasBuckets, hasClusters, outlierRateOf, type JobSettings } from '../../../engine/domain/job/job.js'
import { openModel } from '../../../engine/actor/job-model.js'
import { CauseModel } from '../../../engine/domain/cause/cause-model.js'
import { noFeedbackWeights } from '../../../engine/domain/cause/feedback-weights.js'
import type { Model } from '../../../engine/domain/learn/classifier.js'
import { votesBehind, type ModelVotes } from '../../../engine/domain/metrics/evidence.js'
import { decodeModel, type ModelRow } from '../../../engine/store/rows.js'
import { OracleCauses, type CauseJob } from './cause-oracle.js'
import type { BucketState } from '../../../engine/domain/learn/knowledge-base.js'

export const UNDECIDED = -2
const NONE = -1

export interface OracleEvent {
  readonly id: string
  readonly ownId: boolean
  readonly micros: number
  /** As its client sent it, and with its enrichments. */
  readonly sent: Record<string, unknown>
  body: Record<string, unknown>
  enrichments: 'none' | 'awaited' | 'stored'
  /** Name of its bucket, or null. */
  bucket: string | null
  lacks: boolean
  /** The decision before the latest one, or null. */
  previous: { decision: Decision; atMicros: number } | null
  readonly notes: unknown[]
  /** The decision that it had before anybody voted on it; null until then. */
  first: { decision: Decision; knownBucket: boolean } | null
  pending: boolean
  hasFeedback: boolean
  decision: Decision
}

export interface OracleTask {
  cursor: number
  updated: number
  changed: number
  state: string
  /** For events that never had a decision. */
  isCatchUp?: true
}

export interface OracleBallotVote {
  analyst: string
  label: number
  atMicros: number
  eventMicros: number
  /** In a vote on the whole bucket: the number of events that it counts for. */
  events?: number
}

export interface OracleBallot {
  readonly isBucket: boolean
  /** Each analyst's latest vote on each event, and on the whole bucket; in the order in which they were cast. */
  votes: OracleBallotVote[]
  /** The vote of an administrator. */
  override: { label: number; atMicros: number } | null
  consensus: number
  /** Every consensus so far, with the number of the job's change that it came with. */
  history: { seq: number; consensus: number }[]
  /** The consensus that the active model was trained on. */
  trained: number
  /** The model in use when the first vote was cast. */
  firstVersion: number
}

/** The consensus of an entry that names none. */
export const NO_TOLD = -3

/** An entry of the audit log. */
export interface OracleTold {
  readonly action: string
  readonly object: string
  readonly analyst: string | undefined
  readonly consensus: number
}

/** Ballots with their consensus at one moment. */
export type Snapshot = ReadonlyMap<OracleBallot, number>

/** Counts since the active model was installed. */
export interface OracleCounts {
  decided: number
  outliers: number
  lowConfidence: number
  consensusChanges: number
  flips: number
}

function most(counts: readonly number[]): number {
  const greatest = Math.max(...counts)
  if (greatest === 0) return NONE
  return counts.filter((count) => count === greatest).length > 1 ? UNDECIDED : counts.indexOf(greatest)
}

/** By label: voted events, or the analysts on a single event; and the number of events with a tie. */
export function evidenceOf({ isBucket, votes }: Pick<OracleBallot, 'isBucket' | 'votes'>): {
  counts: number[]
  ties: number
} {
  const count = (some: readonly OracleBallotVote[]): number[] =>
    [0, 1, 2].map((label) => some.filter((vote) => vote.label === label).length)
  if (!isBucket) return { counts: count(votes), ties: 0 }
  const counts = [0, 0, 0]
  let ties = 0
  const single = votes.filter(({ events }) => events === undefined)
  for (const micros of new Set(single.map(({ eventMicros }) => eventMicros))) {
    const label = most(count(single.filter(({ eventMicros }) => eventMicros === micros)))
    if (label === UNDECIDED) ties++
    else counts[label] = (counts[label] as number) + 1
  }
  for (const { label, events = 0 } of votes) counts[label] = (counts[label] as number) + events
  return { counts, ties }
}

function majority(ballot: OracleBallot): number {
  const { counts, ties } = evidenceOf(ballot)
  const label = most(counts)
  return label === NONE && ties > 0 ? UNDECIDED : label
}

export interface OracleVote {
  readonly analyst: string
  /** Index of the label; null withdraws. */
  readonly label: number | null
  readonly micros: number
  readonly scope?: 'event' | 'bucket'
  /** It came with a historic event, which nobody picked. */
  readonly isHistoric?: boolean
}

export class OracleJob {
  readonly events = new Map<number, OracleEvent>()
  readonly ids = new Map<string, number>()
  readonly ballots = new Map<string, OracleBallot>()
  readonly models: number[] = []
  readonly tasks = new Map<number, OracleTask>()
  caughtUp: { fingerprint: number; throughMicros: number } | null = null
  since: OracleCounts = { decided: 0, outliers: 0, lowConfidence: 0, consensusChanges: 0, flips: 0 }
  /** The entries that the audit log must have, by time. */
  readonly told = new Map<number, OracleTold>()
  /** Events counted by their values at the decision points, and how many had one. */
  points: { fingerprint: number; events: number; present: number[] } | null = null
  lastEventMicros: number | null = null
  lastFeedbackMicros: number | null = null
  feedbackSeq = 0
  #throughSeq = 0
  watch = freshTrust()
  #model: { row: ModelRow; version: number; fingerprint: number; model: Model } | null = null
  /** Null if the job has no clusters. */
  causes: OracleCauses | null = null

  find(id: string): OracleEvent | null {
    const indexed = this.ids.get(id)
    if (indexed !== undefined) return this.events.get(indexed) ?? null
    const micros = microsOfEventId(id)
    const event = micros === null ? undefined : this.events.get(micros)
    return event === undefined || !event.ownId ? null : event
  }

  /** `enriched`: it waits for enrichment if the job has any. */
  ingest(
    settings: JobSettings,
    clientId: string | null,
    { micros, enriched = settings.pipeline.length > 0 }: { readonly micros: number; readonly enriched?: boolean },
    body: Record<string, unknown>,
  ): OracleEvent {
    const known = clientId === null ? null : this.find(clientId)
    if (known !== null) {
      if (isDeepStrictEqual(known.sent, body)) return known
      this.#remove(known)
    }
    const values = new DecisionPoints(settings.decisionPoints).valuesOf(body)
    const bucket = hasBuckets(settings.category) ? JSON.stringify([settings.decisionPoints, values]) : null
    const pending = settings.status === 'STOPPED' || enriched
    const clusters = hasClusters(settings.category)
    const lacks = !clusters && lacksPoints(values)
    const decision =
      pending || lacks
        ? noDecision
        : clusters
          ? this.#causesOf(settings).take(this.#causeJob(settings), micros, body, micros)
          : this.#decide(settings, values, bucket)
    const event: OracleEvent = {
      id: clientId ?? eventIdOf(micros),
      ownId: clientId === null,
      micros,
      sent: body,
      body,
      enrichments: enriched ? 'awaited' : 'none',
      bucket,
      lacks,
      pending,
      hasFeedback: false,
      decision,
      previous: null,
      notes: [],
      first: null,
    }
    this.events.set(micros, event)
    if (clientId !== null) this.ids.set(clientId, micros)
    this.lastEventMicros = micros
    this.#count(decision)
    if (!enriched) this.#countPoints(settings, values)
    else if (hasBuckets(settings.category)) this.#beginPoints(settings, values)
    return event
  }

  vote(settings: JobSettings, event: OracleEvent, given: OracleVote): 'vote_not_found' | null {
    const { analyst, label, micros, isHistoric = false } = given
    if (label !== null) this.#modelEvidence(settings, event, { label, isChosen: !isHistoric, micros })
    const subject = event.bucket ?? `event ${event.micros}`
    const isWhole = event.bucket !== null && given.scope === 'bucket'
    if (label === null && !this.ballots.has(subject)) return 'vote_not_found'
    if (label !== null) this.#keepFirst(event, this.ballots.get(subject))
    const ballot = this.#ballot(subject)
    const replaced = ballot.votes.filter(
      (vote) =>
        vote.analyst === analyst && (isWhole || (vote.events === undefined && vote.eventMicros === event.micros)),
    )
    if (label === null && replaced.length === 0) return 'vote_not_found'
    ballot.votes = ballot.votes.filter((vote) => !replaced.includes(vote))
    if (label !== null) {
      const cast = { analyst, label, atMicros: micros, eventMicros: event.micros }
      const events = replaced.reduce((sum, vote) => sum + (vote.events ?? 1), 0)
      ballot.votes.push(isWhole ? { ...cast, events: Math.max(1, events) } : cast)
      event.hasFeedback = true
    }
    for (const { eventMicros } of replaced) {
      const known = this.events.get(eventMicros)
      if (known !== undefined) known.hasFeedback = ballot.votes.some((vote) => vote.eventMicros === eventMicros)
    }
    const what = isWhole ? 's on bucket' : ''
    const action = label === null ? `vote${what} withdrawn` : isWhole ? 'voted on bucket' : 'voted'
    this.#settle(ballot, micros, { action, object: event.id, analyst })
    return null
  }

  /** The override of an administrator on the ballot that counts for `subject`; null withdraws it. */
  overrule(subject: string, object: string, label: number | null, micros: number): 'override_not_found' | null {
    if (label === null && (this.ballots.get(subject)?.override ?? null) === null) return 'override_not_found'
    const ballot = this.#ballot(subject)
    ballot.override = label === null ? null : { label, atMicros: micros }
    this.#settle(ballot, micros, {
      action: label === null ? 'override withdrawn' : 'consensus overridden',
      object,
      analyst: undefined,
    })
    return null
  }

  #keepFirst(event: OracleEvent, ballot: OracleBallot | undefined): void {
    const { decision } = event
    const wasTold = ballot !== undefined && decision.modelVersion > ballot.firstVersion
    event.first ??= { decision, knownBucket: decision.source === 'knowledge_base' || wasTold }
  }

  /** What analysts say of the event: the label of most, NONE where there is none. */
  truthOf(event: OracleEvent): number {
    const ballot = this.ballots.get(event.bucket ?? `event ${event.micros}`)
    const given = ballot?.votes.filter(({ eventMicros }) => eventMicros === event.micros) ?? []
    const latest = new Map([...given].sort((a, b) => a.atMicros - b.atMicros).map((vote) => [vote.analyst, vote.label]))
    const counts = [0, 1, 2].map((label) => [...latest.values()].filter((one) => one === label).length)
    return Math.max(NONE, most(counts))
  }

  #ballot(subject: string): OracleBallot {
    const ballot = this.ballots.get(subject) ?? {
      isBucket: !subject.startsWith('event '),
      votes: [],
      override: null,
      consensus: NONE,
      history: [],
      trained: NONE,
      firstVersion: this.modelVersion,
    }
    this.ballots.set(subject, ballot)
    return ballot
  }

  #settle(ballot: OracleBallot, micros: number, told: Omit<OracleTold, 'consensus'>): void {
    this.#settleQuietly(ballot)
    this.lastFeedbackMicros = micros
    this.told.set(micros, { ...told, consensus: ballot.consensus })
  }

  #settleQuietly(ballot: OracleBallot): void {
    const before = ballot.consensus
    ballot.consensus = ballot.override?.label ?? majority(ballot)
    if (ballot.consensus !== before) {
      this.feedbackSeq++
      if (before !== NONE) this.since.consensusChanges++
      if (this.#flips(ballot)) this.since.flips++
      ballot.history.push({ seq: this.feedbackSeq, consensus: ballot.consensus })
    }
  }

  resume(settings: JobSettings, nowMicros: number): void {
    if (settings.status === 'STOPPED') return
    for (const event of [...this.events.values()].sort((a, b) => a.micros - b.micros)) {
      if (!event.pending || event.enrichments === 'awaited') continue
      const values = new DecisionPoints(settings.decisionPoints).valuesOf(event.body)
      event.decision = event.lacks
        ? noDecision
        : hasClusters(settings.category)
          ? this.#causesOf(settings).take(this.#causeJob(settings), event.micros, event.body, nowMicros)
          : this.#decide(settings, values, event.bucket)
      event.pending = false
      this.#count(event.decision)
    }
  }

  /** The enrichment of the event has arrived: undefined for a step that failed. */
  enrich(settings: JobSettings, event: OracleEvent, fields: Record<string, unknown> | undefined, micros: number): void {
    if (event.enrichments !== 'awaited' || settings.status === 'STOPPED') return
    const own = event.sent.enrichment
    const { ti, ...kept } = (typeof own === 'object' && own !== null ? own : {}) as Record<string, unknown>
    if (fields !== undefined || ti !== undefined)
      event.body = { ...event.sent, enrichment: { ...kept, ...(fields === undefined ? {} : { ti: fields }) } }
    event.enrichments = 'stored'
    this.#countPoints(settings, new DecisionPoints(settings.decisionPoints).valuesOf(event.body))
    this.decideAgain(settings, event, micros)
  }

  #takeVotesAlong(from: string, to: string, eventMicros: number): void {
    const old = this.ballots.get(from)
    const found = old?.votes.filter((vote) => vote.eventMicros === eventMicros) ?? []
    const given = [...found].sort((a, b) => Number(a.events !== undefined) - Number(b.events !== undefined))
    if (old === undefined || given.length === 0) return
    old.votes = old.votes.filter((vote) => vote.eventMicros !== eventMicros)
    if (old.votes.length > 0 || old.override !== null) this.#settleQuietly(old)
    else {
      if (old.consensus !== NONE) this.since.consensusChanges++
      this.ballots.delete(from)
    }
    for (const vote of given) {
      const ballot = this.#ballot(to)
      const other = ballot.votes.find(
        (one) => one.analyst === vote.analyst && one.events === undefined && one.eventMicros === eventMicros,
      )
      if (other !== undefined && other.atMicros > vote.atMicros) continue
      const { events: _, ...moved } = vote
      ballot.votes = [...ballot.votes.filter((one) => one !== other), moved]
      ballot.firstVersion = Math.min(ballot.firstVersion, old.firstVersion)
      this.#settleQuietly(ballot)
    }
  }

  /** True if the label has changed. */
  decideAgain(settings: JobSettings, event: OracleEvent, micros: number): boolean {
    const values = new DecisionPoints(settings.decisionPoints).valuesOf(event.body)
    const own = event.bucket === null && this.ballots.has(`event ${event.micros}`)
    const to = hasBuckets(settings.category) && !own ? JSON.stringify([settings.decisionPoints, values]) : null
    if (event.bucket !== null && to !== null && to !== event.bucket && event.hasFeedback)
      this.#takeVotesAlong(event.bucket, to, event.micros)
    event.bucket = to
    event.lacks = !hasClusters(settings.category) && lacksPoints(values)
    const before = event.decision
    if (!event.pending) event.previous = { decision: before, atMicros: micros }
    if (before.modelVersion === this.modelVersion) this.#count(before, -1)
    const again = !event.pending
    const subject = own ? `event ${event.micros}` : event.bucket
    event.decision = event.lacks
      ? noDecision
      : hasClusters(settings.category)
        ? this.#causesOf(settings).again(this.#causeJob(settings), event, micros, subject)
        : this.#decide(settings, values, subject, again)
    event.pending = false
    this.#count(event.decision)
    return event.decision.label !== before.label
  }

  piece(
    settings: JobSettings,
    id: number,
    order: { from: number; through: number; times: readonly number[]; last: boolean },
    micros: number,
  ): void {
    const task = this.tasks.get(id)
    if (task === undefined || task.state === 'finished' || task.cursor !== order.from || settings.status === 'STOPPED')
      return
    for (const time of order.times) {
      const event = this.events.get(time)
      if (event === undefined || event.enrichments === 'awaited') continue
      if (task.isCatchUp === true) {
        const values = new DecisionPoints(settings.decisionPoints).valuesOf(event.body)
        const isLacking = !hasClusters(settings.category) && lacksPoints(values)
        if (event.pending || event.decision.label >= 0 || isLacking || !this.#fits(settings)) continue
      }
      task.updated++
      if (this.decideAgain(settings, event, micros) || task.isCatchUp === true) task.changed++
    }
    task.cursor = order.through
    task.state = order.last ? 'finished' : 'running'
  }

  /** What a training that begins now will have seen. A ballot that is dropped and comes again later is another one. */
  snapshot(): Snapshot {
    return new Map([...this.ballots.values()].map((ballot) => [ballot, ballot.consensus]))
  }

  /** True where a task decides what was stored without a decision. */
  install(bytes: Uint8Array, seen: Snapshot, settings: JobSettings, micros: number): boolean {
    const { row, model } = decodeModel(bytes)
    this.#model = { row, version: row.version, fingerprint: row.fingerprint, model: openModel(Uint8Array.from(model)) }
    if (!this.models.includes(row.version)) this.models.push(row.version)
    for (const ballot of this.ballots.values()) ballot.trained = seen.get(ballot) ?? NONE
    this.since = { decided: 0, outliers: 0, lowConfidence: 0, consensusChanges: 0, flips: 0 }
    this.watch = freshTrust()
    this.#throughSeq = row.throughSeq
    return this.#catchUp(settings, micros)
  }

  #fits({ decisionPoints, category }: JobSettings): boolean {
    const isCause = this.#model?.model instanceof CauseModel
    return (
      this.#model?.fingerprint === new DecisionPoints(decisionPoints).fingerprint && hasClusters(category) === isCause
    )
  }

  #catchUp(settings: JobSettings, micros: number): boolean {
    const { fingerprint } = new DecisionPoints(settings.decisionPoints)
    if (!this.#fits(settings)) return false
    const undecided = [...this.events.values()].filter(({ pending, decision }) => !pending && decision.label < 0)
    const after = this.caughtUp?.fingerprint === fingerprint ? this.caughtUp.throughMicros : 0
    if (!undecided.some((event) => event.micros > after)) return false
    this.caughtUp = { fingerprint, throughMicros: micros }
    this.tasks.set(micros, { cursor: after, updated: 0, changed: 0, state: 'queued', isCatchUp: true })
    const told = { action: 'reprocessing requested', object: eventIdOf(micros), analyst: undefined }
    this.told.set(micros, { ...told, consensus: NO_TOLD })
    return true
  }

  /**
   * Labels since the training, beginning with the one at it: whether the new label occurred with another one after it.
   */
  #flips({ consensus, history }: OracleBallot): boolean {
    const before = history.filter(({ seq }) => seq <= this.#throughSeq).slice(-1)
    const labels = [...before, ...history.filter(({ seq }) => seq > this.#throughSeq)].map((one) => one.consensus)
    const last = labels.findLast((label) => label >= 0)
    return consensus >= 0 && last !== consensus && labels.includes(consensus)
  }

  /** By label: the votes that the active model learned from, and those that were held out; null without a model. */
  get modelVotes(): ModelVotes | null {
    return this.#model === null ? null : votesBehind(this.#model.row, 3)
  }

  get modelVersion(): number {
    return this.#model?.version ?? 0
  }

  stateOf(event: OracleEvent): BucketState {
    const ballot = this.ballots.get(event.bucket ?? `event ${event.micros}`)
    if (ballot === undefined) return 'new'
    if (ballot.trained >= 0) return ballot.trained === ballot.consensus ? 'in_knowledge_base' : 'retrain'
    return ballot.consensus === NONE ? 'new' : 'pending'
  }

  #causesOf(settings: JobSettings): OracleCauses {
    return (this.causes ??= new OracleCauses(settings))
  }

  #causeJob(settings: JobSettings): CauseJob {
    const fits =
      this.#model !== null && this.#model.fingerprint === new DecisionPoints(settings.decisionPoints).fingerprint
    return {
      settings,
      feedbackWeights:
        fits && this.#model?.model instanceof CauseModel ? this.#model.model.feedbackWeights : noFeedbackWeights,
      decide: fits ? (values, subject, again) => this.#decide(settings, values, subject, again) : null,
      find: (micros) => {
        const event = this.events.get(micros)
        return event === undefined || event.pending ? null : event
      },
      change: (micros, decision) => {
        const event = this.events.get(micros) as OracleEvent
        if (event.decision.modelVersion === this.modelVersion) this.#count(event.decision, -1)
        event.decision = decision
        this.#count(decision)
      },
    }
  }

  /** Counts for other decision points end with the first event that has these ones, before it is counted itself. */
  #beginPoints({ decisionPoints }: JobSettings, values: PointValues): void {
    const isNew = this.points?.fingerprint !== fingerprintOf(decisionPoints)
    if (isNew && values.some((value) => value !== null)) this.points = null
  }

  #countPoints({ decisionPoints }: JobSettings, values: PointValues): void {
    if (values.length === 0) return
    const fingerprint = fingerprintOf(decisionPoints)
    const before = this.points?.fingerprint === fingerprint ? this.points : null
    const present = values.map((value, i) => (before?.present[i] ?? 0) + Number(value !== null))
    this.points = { fingerprint, events: (before?.events ?? 0) + 1, present }
  }

  #remove(event: OracleEvent): void {
    this.events.delete(event.micros)
    if (this.events.size === 0) this.points = null
    this.causes?.remove(event.micros)
    if (event.bucket !== null) return
    const ballot = this.ballots.get(`event ${event.micros}`)
    if (ballot !== undefined && ballot.consensus !== NONE) this.since.consensusChanges++
    this.ballots.delete(`event ${event.micros}`)
  }

  #decide(settings: JobSettings, values: PointValues, bucket: string | null, again = false): Decision {
    const { fingerprint } = new DecisionPoints(settings.decisionPoints)
    if (this.#model === null || this.#model.fingerprint !== fingerprint) return noDecision
    const ballot = bucket === null ? undefined : this.ballots.get(bucket)
    const known = ballot !== undefined && ballot.consensus >= 0 && ballot.trained >= 0 ? this.#known(ballot) : null
    const own = decide({ ...this.#model, probabilities: new Float64Array(3) }, values, known)
    const terms = {
      outlierRate: outlierRateOf(settings.advancedSettings),
      labelCounts: this.labelledEvents(),
      ...termsOfModel(this.#model.model.summary),
    }
    const decision = withTrust(own, this.watch, terms)
    if (!again) seeDecision(own, this.watch, terms, this.lastEventMicros ?? 0)
    return decision
  }

  /** By label: what a training finds in the ballots. */
  labelledEvents(): number[] {
    const sums = [0, 0, 0]
    for (const ballot of this.ballots.values()) {
      const { counts } = evidenceOf(ballot)
      const all = counts.reduce((sum, count) => sum + count, 0)
      for (const label of [0, 1, 2]) {
        if (!ballot.isBucket) sums[label] = (sums[label] as number) + Number(ballot.consensus === label)
        else if (ballot.override === null) sums[label] = (sums[label] as number) + (counts[label] as number)
        else if (ballot.override.label === label) sums[label] = (sums[label] as number) + all + 1
      }
    }
    return sums
  }

  #modelEvidence(
    settings: JobSettings,
    event: OracleEvent,
    seen: { readonly label: number; readonly isChosen: boolean; readonly micros: number },
  ): void {
    const { source, modelVersion } = event.decision
    const points = new DecisionPoints(settings.decisionPoints)
    if (event.hasFeedback || !source.endsWith('model') || this.#model === null || modelVersion !== this.#model.version)
      return
    if (this.#model.fingerprint !== points.fingerprint) return
    const values =
      this.causes === null
        ? points.valuesOf(event.body)
        : this.causes.opinion(this.#causeJob(settings), event.micros, event.body)
    if (values === null) return
    const own = decide({ ...this.#model, probabilities: new Float64Array(3) }, values, null)
    learnFromFeedback(own, this.watch, { ...seen, labelCounts: this.labelledEvents() })
  }

  #known(ballot: OracleBallot): KnownConsensus {
    const { consensus: label, override, isBucket } = ballot
    const { counts } = evidenceOf(ballot)
    if (override === null) return { label, counts, isSettled: !isBucket || ballot.trained !== label }
    const all = counts.reduce((sum, count) => sum + count, 0)
    return { label, counts: counts.map((_, at) => (at === label ? all + 1 : 0)), isSettled: true }
  }

  #count(decision: Decision, by = 1): void {
    if (decision.label < 0) return
    this.since.decided += by
    if (decision.outlier) this.since.outliers += by
    if (decision.confidence < 6_000) this.since.lowConfidence += by
  }
}
