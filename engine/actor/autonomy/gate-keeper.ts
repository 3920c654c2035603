/**
 * The gates of a job: which events they settle, which they send to people as audits, and when their state changes.
 *
 * Owns: the row of `autonomy` in memory, the passage of each event, deadlines. Leaves out: the arithmetic
 * (domain/autonomy/), answers of people (audit-answers.ts), commands (autonomy-commands.ts).
 *
 * 1. Everything is written in the commit of what caused it. Times come from messages, so a message that runs again or
 *    is replayed gives the same states.
 * 2. Nothing is written before a message is sure not to be refused.
 * 3. The evidence of the gates equals a count over the rows of audits (gate-state.ts).
 * 4. Each change of a gate's state has a certificate in the audit log.
 */
import type { Audit } from '../../domain/autonomy/audit.js'
import { autonomyBounds } from '../../domain/autonomy/bounds.js'
import { dueMicros, pauseOf } from '../../domain/autonomy/contract.js'
import { weekOf, type Gate, type StateReason } from '../../domain/autonomy/gate.js'
import { reachOf, recount, revoked, withAudit, type Reach } from '../../domain/autonomy/ladder.js'
import { isEligible, standingOf, type Autonomy, type BucketStanding } from '../../domain/autonomy/passage.js'
import type { Decision } from '../../domain/decide/decision.js'
import type { JobSettings } from '../../domain/job/job.js'
import { theService, type Author } from '../../api/principal.js'
import { encodeAutonomy, type AutonomyRow } from '../../store/autonomy-row.js'
import { jobKey, timeValue } from '../../store/tables.js'
import type { Bucket } from '../buckets/bucket.js'
import type { JobStats } from '../job-stats.js'
import type { TurnStore } from '../turn-store.js'
import { readBallot } from '../votes/ballots.js'
import { AuditDraw } from './audit-draw.js'
import { dueAudits, forgetAudits, putAudit, readAudit } from './audit-rows.js'
import { addCertificate } from './certificates.js'
import type { ComingEvents } from './coming-events.js'
import { endedWith, gatesOf, judgedRow, openedRow } from './gate-state.js'

/** An event that was just decided. */
export interface Passing {
  readonly eventMicros: number
  /** The id that the client gave; null where it is made of the time. */
  readonly clientId: string | null
  readonly atMicros: number
  readonly decision: Decision
  readonly bucket: Bucket | null
}

export class GateKeeper {
  readonly #store: TurnStore
  readonly #stats: JobStats
  readonly #coming: ComingEvents
  #settings: JobSettings
  #row: AutonomyRow | null
  #drawing: AuditDraw | null = null
  /** By label. */
  #reaches: (Reach | undefined)[] = []
  #excluded: (ReadonlySet<string> | undefined)[] = []
  #changed = false
  /** Labels have other names than the contract: audits go on, and nothing is settled. */
  #isPaused = false
  /** Certificates of the same message. */
  #certified = { micros: 0, count: 0 }

  constructor(settings: JobSettings, store: TurnStore, stats: JobStats, coming: ComingEvents) {
    this.#settings = settings
    this.#store = store
    this.#stats = stats
    this.#coming = coming
    this.#row = openedRow(store, settings.id)
    this.#prepare(this.#row?.judgedMicros ?? 0)
  }

  /** The job has other settings. */
  use(settings: JobSettings): void {
    this.#settings = settings
    this.#pause()
  }

  get row(): AutonomyRow | null {
    return this.#row
  }

  /** Replaces the row. `by`: who caused changes of state. */
  replace(row: AutonomyRow, atMicros: number, by: Author = theService): void {
    const before = new Map((this.#row?.gates ?? []).map((gate) => [gate.number, gate]))
    this.#row = row
    for (const gate of [...row.ended, ...row.gates]) {
      const was = before.get(gate.number)
      if (was === undefined || was.state === gate.state) continue
      if (this.#certified.micros !== atMicros) this.#certified = { micros: atMicros, count: 0 }
      const place = ++this.#certified.count
      const frame = { settings: this.#settings, contract: row.contract, atMicros, place, by }
      addCertificate(this.#store, frame, gate, was)
    }
    this.#changed = true
    this.#stats.touch()
    this.#prepare(atMicros)
  }

  /** What becomes of an event that is decided for the first time. */
  pass(passing: Passing): Autonomy {
    if (this.#row === null || this.#row.contract.mode === 'off') return 'none'
    const { decision, bucket, clientId, eventMicros, atMicros } = passing
    if (this.#isAgeing) this.#revokeAll('drift', atMicros)
    this.check(atMicros)
    const { contract } = this.#row
    const standing = bucket === null ? null : this.#standingOf(bucket, decision.label)
    if (standing?.isProtected === true) this.countProtected(1, atMicros)
    const reach = this.#reaches[decision.label]
    if (reach === undefined || decision.confidence < reach.auditedFrom) return 'review'
    const { modelVersion } = this.#stats.row
    if (!isEligible({ label: decision.label, threshold: reach.auditedFrom, modelVersion }, decision)) return 'review'
    if (standing?.barred === true) return 'review'
    const drawn = this.#draws.of(clientId, eventMicros, contract.holdOutRate)
    if (drawn !== 'none') {
      this.#draw(passing, reach.auditedFrom, drawn === 'second')
      return 'audit'
    }
    if (decision.confidence < reach.settledFrom || this.#isPaused) return 'review'
    this.#count('settled', { only: reach.settles, by: 1 }, atMicros)
    return 'settled'
  }

  /** Looks at deadlines and weeks where it is time for that, or `now`. */
  check(atMicros: number, now = false): void {
    const row = this.#row
    if (row === null || (!now && atMicros < row.checkMicros)) return
    const { id } = this.#settings
    let { gates } = row
    for (const micros of dueAudits(this.#store, id, atMicros)) {
      const before = readAudit(this.#store, id, micros)
      if (before === null) continue
      const after: Audit = { ...before, outcome: 'late' }
      putAudit(this.#store, id, micros, { before, after })
      gates = gates.map((gate) => withAudit(gate, before, after, atMicros))
    }
    forgetAudits(this.#store, id, atMicros)
    const checkMicros = atMicros + autonomyBounds.checkMicros
    this.replace(judgedRow({ ...row, gates, checkMicros }, atMicros), atMicros)
  }

  /** Another model is active: every gate ends, and begins anew without evidence. */
  modelInstalled(modelVersion: number, atMicros: number): void {
    const row = this.#row
    if (row === null || row.contract.mode === 'off') return
    let { nextGate } = row
    const gates = row.gates.map((gate): Gate => {
      return {
        ...recount(gate, [], atMicros),
        number: nextGate++,
        modelVersion,
        startedMicros: atMicros,
        state: 'shadow',
        reason: 'set',
        stateMicros: atMicros,
        flow: [],
      }
    })
    const ended = endedWith(row, row.gates, 'new_model', atMicros)
    this.replace({ ...row, gates, ended, nextGate, judgedMicros: atMicros }, atMicros)
  }

  /** The turn ends. */
  write(): void {
    if (!this.#changed || this.#row === null) return
    this.#changed = false
    this.#store.put('autonomy', jobKey(this.#settings.id), encodeAutonomy(this.#row))
  }

  get #draws(): AuditDraw {
    const { drawKey } = this.#row as AutonomyRow
    if (this.#drawing?.key !== drawKey) this.#drawing = new AuditDraw(drawKey, this.#settings.id, this.#coming)
    return this.#drawing
  }

  get #isAgeing(): boolean {
    return this.#stats.row.watch.drift.ageing !== 'no'
  }

  #revokeAll(reason: StateReason, atMicros: number): void {
    const row = this.#row
    if (row === null || row.gates.every(({ state }) => state === 'revoked')) return
    const gates = row.gates.map((gate) => revoked(gate, reason, atMicros))
    this.replace({ ...row, gates }, atMicros)
  }

  #standingOf(bucket: Bucket, label: number): BucketStanding {
    if (bucket.standing !== null) return bucket.standing
    const exclusions = this.#excluded[label]
    const excluded = exclusions !== undefined && exclusions.size > 0 && exclusions.has(bucket.id.toString('hex'))
    const ballot = bucket.hasBallot ? readBallot(this.#store, this.#settings.id, bucket.id) : null
    const named = (ballot?.votes ?? []).flatMap((count, at) => (count > 0 ? [at] : []))
    const { protectedLabels } = (this.#row as AutonomyRow).contract
    const overridden = ballot?.override == null ? [] : [ballot.override.label]
    const protectedVote = [...named, ...overridden].some((at) => protectedLabels.includes(at))
    const protectedConsensus = ballot !== null && protectedLabels.includes(ballot.consensus)
    bucket.standing = standingOf({ excluded, dissent: named.length > 1, protectedVote, protectedConsensus })
    return bucket.standing
  }

  #draw({ eventMicros, atMicros, decision, bucket }: Passing, from: number, second: boolean): void {
    const row = this.#row as AutonomyRow
    const audit: Audit = {
      drawnMicros: atMicros,
      dueMicros: dueMicros(row.contract, this.#settings.advancedSettings, atMicros),
      label: decision.label,
      confidence: decision.confidence,
      from,
      modelVersion: decision.modelVersion,
      rate: row.contract.holdOutRate,
      bucketId: bucket === null ? null : bucket.id.toString('hex'),
      subject: (bucket === null ? timeValue(eventMicros) : bucket.id).toString('hex'),
      second,
      outcome: 'pending',
      analysts: 0,
      differ: false,
    }
    putAudit(this.#store, this.#settings.id, eventMicros, { before: null, after: audit })
    // It is not answered yet, so no verdict changes.
    this.#row = { ...row, gates: row.gates.map((gate) => withAudit(gate, null, audit, row.judgedMicros)) }
    this.#changed = true
  }

  /** Counts events that people answer with a protected label, for all gates. */
  countProtected(by: 1 | -1, atMicros: number): void {
    this.#count('protectedEvents', { only: null, by }, atMicros)
  }

  /** Counts an event for a gate, or for all gates. */
  #count(
    what: 'settled' | 'protectedEvents',
    { only, by }: { readonly only: Gate | null; readonly by: 1 | -1 },
    atMicros: number,
  ): void {
    const row = this.#row as AutonomyRow
    for (const gate of row.gates) {
      if (gate.state === 'revoked' || (only !== null && gate.number !== only.number)) continue
      const week = weekOf(gate.startedMicros, atMicros)
      let last = gate.flow.at(-1)
      if (last?.week !== week) gate.flow.push((last = { week, settled: 0, protectedEvents: 0 }))
      last[what] += by
    }
    this.#changed = true
  }

  #pause(): void {
    this.#isPaused = this.#row !== null && pauseOf(this.#row.contract, this.#settings.labels) !== null
  }

  #prepare(atMicros: number): void {
    const row = this.#row
    this.#pause()
    this.#reaches = []
    this.#excluded = []
    if (row === null) return
    for (const { label, exclusions } of row.contract.labels) {
      this.#reaches[label] = reachOf(gatesOf(row, label), atMicros)
      this.#excluded[label] = new Set(exclusions)
    }
  }
}
