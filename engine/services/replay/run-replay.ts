/**
 * A replay: the events of a period are decided twice, and what differs is counted. Nothing is changed.
 *
 * Owns: the walk and its pauses. Leaves out: deciding (variant.ts), what people and outputs would have seen
 * (reached.ts), counting (domain/metrics/replay-tally.ts).
 *
 * 1. It walks piece by piece, each in a snapshot of its own: a long snapshot would keep the store from using pages
 *    again.
 * 2. Most events are answered by their bucket, so of these only the header is copied.
 * 3. Where messages wait for the shards, it rests three times as long as it works.
 */
import { must } from '../../assert.js'
import { fingerprintOf } from '../../domain/event/decision-points.js'
import { typesOf } from '../../domain/job/job-points.js'
import type { JobSettings } from '../../domain/job/job.js'
import { isLabel } from '../../domain/learn/consensus.js'
import { ReplayTally, type JudgedBy } from '../../domain/metrics/replay-tally.js'
import { BodyCodec } from '../../store/body-codec.js'
import type { Environment } from '../../store/environment.js'
import { HEADER_BYTES } from '../../store/record-header.js'
import type { ReplayReportRow } from '../../store/replay-row.js'
import { timeKey, timeOfKey } from '../../store/tables.js'
import { subjectOf } from '../../actor/event-table.js'
import { openModel } from '../../actor/job-model.js'
import { readStats } from '../../actor/job-stats.js'
import { modelIdOf } from '../../actor/model-id.js'
import { readRegistryRow } from '../../actor/models/registry.js'
import { readBallot } from '../../actor/votes/ballots.js'
import { JobAt } from '../explain/job-at.js'
import { TrainingSignals } from '../training/training-protocol.js'
import { taskOf } from '../training/training-task.js'
import { trainFrom } from '../training/training-thread.js'
import { votedSubjects } from '../training/voted-subjects.js'
import { PieceEvent } from './piece-event.js'
import type { ReplaySignals, ReplayTask } from './replay-protocol.js'
import { Outputs, Settling } from './reached.js'
import { storedDecision, Variant, type VariantModel } from './variant.js'

/** Events of one piece. */
const PIECE_EVENTS = 4_096
const REST_MS_MAX = 50
/** Buckets whose votes are remembered. */
const JUDGED_MAX = 500_000

/** @throws Error with a sentence for people. */
export function runReplay(environment: Environment, task: ReplayTask, signals: ReplaySignals): ReplayReportRow | null {
  const begun = performance.now()
  environment.refresh()
  const { job, terms } = task
  const at = new JobAt(job, task.dataDir, environment, new BodyCodec(environment))
  const own = terms.version === null ? trained(environment, task) : registered(at, terms.version)
  if (own === null) return null
  const after = new Variant(at, own)
  const before = terms.against === null ? null : new Variant(at, registered(at, terms.against))
  const outputs = new Outputs(task, at)
  const tally = new ReplayTally(job.labels.length, outputs.steps.length)
  const walk = new Walk({ environment, at, task, before, after, outputs, tally })
  let from = terms.fromMicros
  for (;;) {
    if (signals.isCancelled) return null
    const pieceBegun = performance.now()
    const next = walk.piece(from)
    if (next === null) break
    from = next
    signals.report(walk.doneAt(from))
    const tookMs = performance.now() - pieceBegun
    if (signals.isBusy) signals.rest(Math.min(REST_MS_MAX, 3 * tookMs))
  }
  if (tally.events === 0) throw new Error('there are no decided events in that period')
  return {
    figures: tally.figures(),
    outputs: outputs.steps.map(({ integrationId, role }) => ({ integrationId, role })),
    before: terms.against === null ? 'the stored decisions' : `the model ${modelIdOf(job.id, terms.against)}`,
    after:
      terms.version === null
        ? 'a model that was trained for the replay'
        : `the model ${modelIdOf(job.id, terms.version)}`,
    ...(terms.training.decisionPoints === undefined ? {} : { unseenPoints: after.unseenPoints }),
    seconds: (performance.now() - begun) / 1000,
  }
}

function registered(at: JobAt, version: number): VariantModel {
  const { environment, job } = at
  const id = modelIdOf(job.id, version)
  const row = must(readRegistryRow(environment, job.id, version), 'the model of a replay')
  const opened = at.model(version)
  if (opened === null) throw new Error(`the model ${id} is not kept any more`)
  const { fingerprint, throughSeq } = row
  const points = row.origin?.points ?? (fingerprint === at.fingerprint ? job.decisionPoints : null)
  if (points === null) throw new Error(`the decision points of ${id} are not known`)
  return { model: opened.model, version, points, fingerprint, throughSeq, subjects: null }
}

/** Null: it was cancelled. */
function trained(environment: Environment, { dataDir, job, terms, signals }: ReplayTask): VariantModel | null {
  const { decisionPoints = job.decisionPoints, ...training } = terms.training
  const shared = new TrainingSignals()
  const task = taskOf(dataDir, { ...job, decisionPoints }, training, shared.memory)
  const { model, throughSeq } = trainFrom(environment, task, shared)
  if (new Int32Array(signals)[1] === 1) return null
  return {
    model: openModel(model),
    version: 0,
    points: decisionPoints,
    fingerprint: fingerprintOf(decisionPoints, typesOf(job)),
    throughSeq,
    subjects: task.buckets ? votedSubjects(environment, task).subjects : null,
  }
}

interface WalkDeps {
  readonly environment: Environment
  readonly at: JobAt
  readonly task: ReplayTask
  /** Null: the stored decisions. */
  readonly before: Variant | null
  readonly after: Variant
  readonly outputs: Outputs
  readonly tally: ReplayTally
}

class Walk {
  readonly #deps: WalkDeps
  readonly #job: JobSettings
  readonly #settling: Settling
  /** Whole records are copied, where most events need theirs; else headers alone. */
  readonly #readsRecords: boolean
  readonly #heads = Buffer.allocUnsafe(PIECE_EVENTS * HEADER_BYTES)
  /** By subject, as long as no vote changes. */
  readonly #judged = new Map<string, JudgedBy | null>()
  #judgedAt = ''

  constructor(deps: WalkDeps) {
    const { environment, task, before, after, outputs } = deps
    this.#deps = deps
    this.#job = task.job
    this.#settling = new Settling(environment, task)
    this.#readsRecords = before?.readsRecords === true || after.readsRecords || outputs.readsRecords
  }

  /** Counts the events from that time on; returns where the next piece begins, or null at the end. */
  piece(from: number): number | null {
    const { environment, task } = this.#deps
    const { id } = this.#job
    environment.refresh()
    this.#forgetVotes()
    const range = { from: timeKey(id, from), to: timeKey(id, task.terms.toMicros) }
    let [seen, last] = [0, from]
    const taken: { readonly micros: number; readonly bytes: Buffer }[] = []
    environment.scan('events', range, (key, value) => {
      last = timeOfKey(key)
      taken.push({ micros: last, bytes: this.#copyOf(value, seen) })
      return ++seen < PIECE_EVENTS
    })
    for (const one of taken) this.#event(new PieceEvent(environment, id, one))
    return seen < PIECE_EVENTS ? null : last + 1
  }

  /** 0 to 1. */
  doneAt(micros: number): number {
    const { fromMicros, toMicros } = this.#deps.task.terms
    return Math.min(1, Math.max(0, (micros - fromMicros) / Math.max(1, toMicros - fromMicros)))
  }

  /** What is shown of a scan is gone after it. */
  #copyOf(value: Uint8Array, place: number): Buffer {
    if (this.#readsRecords) return Buffer.from(value)
    const at = place * HEADER_BYTES
    for (let byte = 0; byte < HEADER_BYTES; byte++) this.#heads[at + byte] = value[byte] as number
    return this.#heads.subarray(at, at + HEADER_BYTES)
  }

  /** A snapshot with other votes than the last one. */
  #forgetVotes(): void {
    const { environment } = this.#deps
    const {
      feedbackSeq,
      ballotStates,
      erasedMicros = 0,
    } = readStats(environment, this.#job.id, this.#job.labels.length)
    const now = `${feedbackSeq} ${ballotStates} ${erasedMicros}`
    if (now === this.#judgedAt && this.#judged.size < JUDGED_MAX) return
    this.#judgedAt = now
    this.#judged.clear()
  }

  #event(event: PieceEvent): void {
    const { before, after, tally, outputs } = this.#deps
    const { micros, header, bucket } = event
    if (header.pending) return
    const then = before === null ? storedDecision(header) : before.decide(event)
    const now = after.decide(event)
    const settled = [
      before === null ? header.autonomy === 'settled' : this.#settling.isSettled(then),
      this.#settling.isSettledSo(now),
    ] as const
    tally.add({
      micros,
      bucket,
      before: then,
      after: now,
      consensus: this.#consensusOf(event),
      queued: [!settled[0], !settled[1]],
    })
    if (outputs.steps.length === 0) return
    const word = (isSettled: boolean) => (isSettled ? 'settled' : 'review')
    const was = { ...then, autonomy: word(settled[0]) } as const
    outputs.see(tally, event, was, { ...now, autonomy: word(settled[1]) })
  }

  #consensusOf({ header, micros, bucket }: PieceEvent): JudgedBy | null {
    const { environment, before, after } = this.#deps
    const subject = subjectOf(header, micros)
    // An event without a bucket comes once.
    let judged = bucket === null ? undefined : this.#judged.get(bucket)
    if (judged === undefined) {
      const ballot = readBallot(environment, this.#job.id, subject)
      const isJudged = ballot !== null && isLabel(ballot.consensus)
      judged = isJudged
        ? { label: ballot.consensus, seen: before?.hasSeen(ballot) === true || after.hasSeen(ballot) }
        : null
      if (bucket !== null) this.#judged.set(bucket, judged)
    }
    return judged === null || before !== null || header.source !== 'knowledge_base' ? judged : { ...judged, seen: true }
  }
}
