/**
 * The challenger of a job: a model that decides the live stream in shadow, beside the champion.
 *
 * Owns: its decisions, the disagreements, and what people answered on them. Leaves out: the test
 * (domain/autonomy/paired-test.ts), commands and verdicts (challengers.ts).
 *
 * 1. It decides each new event once, after the champion and from the same state. Nobody sees its decisions.
 * 2. Only disagreements are stored, in the commit of their event. What people say of an event is the truth of its first
 *    answer (votes/first-answers.ts), so both have decided before they were told.
 * 3. Its counts equal those of the rows in `shadows` and of the rows that are gone. An event that is erased takes its
 *    row with it; what people answered stays counted.
 * 4. At most ROWS_MAX disagreements are kept: the latest.
 */
import { decide } from '../../domain/decide/decision.js'
import type { Decision } from '../../domain/decide/decision.js'
import { verdictOn, type PairedVerdict } from '../../domain/autonomy/paired-test.js'
import type { PointValues } from '../../domain/event/point-value.js'
import type { Model } from '../../domain/learn/classifier.js'
import { jobKey, jobRange, timeKey } from '../../store/tables.js'
import {
  decodeShadow,
  decodeTrial,
  encodeShadow,
  encodeTrial,
  noCounts,
  withOutcome,
  type TrialOutcome,
  type ShadowRow,
  type TrialRow,
} from '../../store/trial-row.js'
import type { Reads } from '../event-table.js'
import { openModel, type DecidedBucket } from '../job-model.js'
import type { JobStats } from '../job-stats.js'
import type { TurnStore } from '../turn-store.js'
import type { ModelHolder, ModelMemory } from './model-memory.js'
import { ModelRows } from './model-rows.js'
import { knownConsensus, readBallot } from '../votes/ballots.js'

const ROWS_MAX = 20_000
/** Rows that go at once, where there are too many. */
const ROWS_DROPPED = 2_000

export function readTrial(reads: Reads, jobId: number): TrialRow | null {
  const bytes = reads.get('trials', jobKey(jobId))
  return bytes === undefined ? null : decodeTrial(bytes)
}

/** What the answers say so far. */
export function verdictOf({ counts, events, differ }: TrialRow): PairedVerdict {
  return verdictOn(counts, { events, differ })
}

interface Opened {
  readonly model: Model
  readonly version: number
  readonly throughSeq: number
  readonly probabilities: Float64Array
}

export class Trial implements ModelHolder {
  readonly #jobId: number
  readonly #labelCount: number
  readonly #store: TurnStore
  readonly #stats: JobStats
  #row: TrialRow | null
  #opened: Opened | null = null
  #memory: ModelMemory | null = null
  /** The turn that has used its model last. */
  usedAt = 0
  /** The label for a bucket, as long as the champion's decision for it stands. */
  #labels = new WeakMap<Decision, number>()
  #changed = false

  constructor(jobId: number, labelCount: number, store: TurnStore, stats: JobStats) {
    this.#jobId = jobId
    this.#labelCount = labelCount
    this.#store = store
    this.#stats = stats
    this.#row = readTrial(store, jobId)
  }

  /** Its model counts for that memory. */
  keepIn(memory: ModelMemory): void {
    this.#memory = memory
  }

  forgetModel(): void {
    this.#opened = null
  }

  /** Its model is not used any more. */
  drop(): void {
    this.#memory?.drop(this)
    this.#opened = null
  }

  get row(): TrialRow | null {
    return this.#row
  }

  /** A trial begins, in place of another. */
  begin(trial: Pick<TrialRow, 'version' | 'champion' | 'sinceMicros' | 'by' | 'auto'>): void {
    this.end()
    const { version, champion, sinceMicros, by, auto } = trial
    const nothing = { events: 0, differ: 0, rows: 0, counts: noCounts, gone: noCounts }
    this.#row = { version, champion, sinceMicros, by, auto, ...nothing }
    this.#touch()
  }

  /** The trial ends, if there is one. Its disagreements go. */
  end(): void {
    if (this.#row === null) return
    for (const { key } of this.#store.walk('shadows', jobRange(this.#jobId))) this.#store.delete('shadows', key)
    this.#store.delete('trials', jobKey(this.#jobId))
    this.#row = null
    this.drop()
    this.#labels = new WeakMap()
    this.#touch()
  }

  /** Another model decides from now on: the comparison begins anew, or the challenger itself decides. */
  championChanged(champion: number, atMicros: number): void {
    const row = this.#row
    if (row === null) return
    if (row.version === champion) this.end()
    else this.begin({ ...row, champion, sinceMicros: atMicros })
  }

  /** A new event was decided by the champion. `memo` keeps the decision of its bucket, or of its values. */
  see(micros: number, decision: Decision, memo: DecidedBucket | null, values: () => PointValues): void {
    const row = this.#row
    if (row === null || decision.modelVersion !== row.champion) return
    row.events++
    this.#touch()
    const kept = memo?.decision ?? null
    let challenger = kept === null ? undefined : this.#labels.get(kept)
    if (challenger === undefined) {
      challenger = this.#decide(memo, values())
      if (kept !== null) this.#labels.set(kept, challenger)
    }
    if (challenger === decision.label) return
    row.differ++
    if (row.rows >= ROWS_MAX) this.#dropOldest(row)
    row.rows++
    this.#putShadow(micros, { champion: decision.label, challenger, outcome: 'open' })
  }

  /** What most analysts say of an event: a label, or -1. */
  told(micros: number, truth: number): void {
    const row = this.#row
    const shadow = row === null ? null : this.#shadow(micros)
    if (row === null || shadow === null) return
    const outcome = outcomeOf(shadow, truth)
    if (outcome === shadow.outcome) return
    row.counts = withOutcome(withOutcome(row.counts, shadow.outcome, -1), outcome, 1)
    this.#putShadow(micros, { ...shadow, outcome })
    this.#touch()
  }

  /** The event is deleted, or replaced by another version. */
  gone(micros: number): void {
    const row = this.#row
    const shadow = row === null ? null : this.#shadow(micros)
    if (row === null || shadow === null) return
    this.#forget(row, timeKey(this.#jobId, micros), shadow)
    this.#touch()
  }

  /** The turn ends. */
  write(): void {
    if (!this.#changed) return
    this.#changed = false
    if (this.#row !== null) this.#store.put('trials', jobKey(this.#jobId), encodeTrial(this.#row))
  }

  #decide(memo: DecidedBucket | null, values: PointValues): number {
    const opened = this.#open()
    const ballot = memo?.hasBallot === true ? readBallot(this.#store, this.#jobId, memo.id) : null
    return decide(opened, values, knownConsensus(ballot, opened.throughSeq, true)).label
  }

  #open(): Opened {
    if (this.#memory !== null) this.usedAt = this.#memory.turn
    if (this.#opened !== null) return this.#opened
    const { version } = this.#row as TrialRow
    const rows = this.#memory?.rows ?? new ModelRows()
    const { row, model } = rows.read(this.#store, this.#jobId, version)
    const probabilities = new Float64Array(this.#labelCount)
    const { throughSeq } = row
    const [memory, jobId] = [this.#memory, this.#jobId]
    const opened = openModel(model, memory?.isChecked(jobId, version))
    memory?.opened(this, { jobId, version, bytes: model.length })
    return (this.#opened = { model: opened, version, throughSeq, probabilities })
  }

  #dropOldest(row: TrialRow): void {
    for (const { key, value } of this.#store.range('shadows', { ...jobRange(this.#jobId), limit: ROWS_DROPPED }))
      this.#forget(row, key, decodeShadow(value))
  }

  #forget(row: TrialRow, key: Uint8Array, { outcome }: ShadowRow): void {
    row.gone = withOutcome(row.gone, outcome, 1)
    row.rows--
    this.#store.delete('shadows', key)
  }

  #shadow(micros: number): ShadowRow | null {
    const bytes = this.#store.get('shadows', timeKey(this.#jobId, micros))
    return bytes === undefined ? null : decodeShadow(bytes)
  }

  #putShadow(micros: number, row: ShadowRow): void {
    this.#store.put('shadows', timeKey(this.#jobId, micros), encodeShadow(row))
  }

  #touch(): void {
    this.#changed = true
    this.#stats.touch()
  }
}

function outcomeOf({ champion, challenger }: ShadowRow, truth: number): TrialOutcome {
  if (truth < 0) return 'open'
  if (truth === challenger) return 'wins'
  return truth === champion ? 'losses' : 'neither'
}
