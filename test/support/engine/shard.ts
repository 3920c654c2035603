/** A shard and its mailbox on a store in memory, without threads. Everything else is as in the service. */
import { BucketMemory } from '../../../engine/actor/buckets/bucket-memory.js'
import { ModelMemory } from '../../../engine/actor/models/model-memory.js'
import type { JobSettings } from '../../../engine/domain/job/job.js'
import { defaultLabels } from '../../../engine/domain/job/labels.js'
import { labelMeanings } from '../../../engine/domain/job/label-roles.js'
import { objectiveOf } from '../../../engine/domain/job/objective.js'
import { hasBuckets, hasClusters } from '../../../engine/domain/job/job.js'
import { causeSettingsOf } from '../../../engine/domain/cause/settings.js'
import { DecisionPoints } from '../../../engine/domain/event/decision-points.js'
import { must } from '../../../engine/assert.js'
import { isRefusal } from '../../../engine/errors.js'
import { withAuthor } from '../../../engine/actor/message-author.js'
import { BucketCounts } from '../../../engine/actor/buckets/bucket-counts.js'
import { JobReader } from '../../../engine/services/read/job-reader.js'
import { readAppliedLog } from '../../../engine/actor/log/log-position.js'
import { LoggedTurns } from '../../../engine/runtime/log/logged-turns.js'
import { embeddedLog, type LoggedShard, type RecordLog } from '../../../engine/runtime/log/turn-log.js'
import type { RunTurn } from '../../../engine/runtime/turn/turn-contract.js'
import { LatestEvents } from '../../../engine/runtime/latest-events.js'
import { Mailbox } from '../../../engine/runtime/mailbox/mailbox.js'
import type { MessageKind } from '../../../engine/actor/message.js'
import { encodeNote } from '../../../engine/actor/notes.js'
import type { NoteInput } from '../../../engine/api/reprocess-service.js'
import { Shard } from '../../../engine/actor/shard.js'
import { encodeTaskCommand, type TaskCommand } from '../../../engine/actor/reprocess-tasks.js'
import { refusalExtra } from '../../../engine/actor/reply.js'
import { CommitFailed, type CommitElsewhere, type HandOver } from '../../../engine/actor/turn-store.js'
import { TrainingSignals } from '../../../engine/services/training/training-protocol.js'
import { trainFrom } from '../../../engine/services/training/training-thread.js'
import { refuseTurn, type TurnResult, type TurnTask } from '../../../engine/actor/turn-task.js'
import type { EventView, FeedbackInput } from '../../../engine/api/decision-service.js'
import { WriteBatch, type Environment } from '../../../engine/store/environment.js'
import { MemoryEnvironment } from '../../../engine/store/memory-store.js'
import type { ReprocessRow, ReprocessSelection } from '../../../engine/store/reprocess-row.js'
import { decodeBucket } from '../../../engine/store/bucket-row.js'
import { encodeModel } from '../../../engine/store/rows.js'
import { BodyCodec } from '../../../engine/store/body-codec.js'
import { HEADER_BYTES } from '../../../engine/store/record-header.js'
import { decodeContent } from '../../../engine/store/event-record.js'
import { jobOfKey, metaKey, sharedTables, shardTables } from '../../../engine/store/tables.js'
import { testAuthor } from '../author.js'
import { trainedOnce } from './trained.js'

export const sectionNames = ['service']
/** Events in one round of counts: few, so that rounds end. */
const usualUncountedEventsMax = 8
/** New buckets in one round of their index: few, as well. */
const unindexedBucketsMax = 5
/** Of a thread's memory for buckets: a dozen, so that buckets are forgotten and come again. */
const usualBucketBytesMax = 8_000

/** Of a shard: few, so that jobs are forgotten and come again. */
const actorsMax = { working: 2, resting: 1 }

/** The selection of a task that names every event. */
export const everything: ReprocessSelection = { dateField: '@timestamp', startDate: null, endDate: null, filters: [] }
const authoredKinds: readonly MessageKind[] = ['historic', 'feedback', 'override']

/** Settings of a job as the catalog makes them. */
export function jobSettings(more: Partial<JobSettings> = {}): JobSettings {
  const category = more.category ?? 'Decision intelligence'
  return {
    id: 1,
    revision: 1,
    shard: 0,
    title: 'a job',
    description: '',
    category,
    decisionPoints: ['host', 'user'],
    labels: defaultLabels(category),
    autoRetrain: null,
    advancedSettings: {},
    feedbackColumns: [],
    pipeline: [],
    status: 'STARTED',
    createdAt: '2026-01-01T00:00:00.000000Z',
    ...more,
  }
}

/** What a message is made of; posting it promises its result. */
export interface Posting {
  readonly job: JobSettings
  readonly kind: MessageKind
  readonly eventId?: string | null
  readonly idInBody?: boolean
  readonly body?: Uint8Array | string
  readonly micros?: number
}

/** How far rows are behind depends on where turns end; their sum does not. */
function wholeBucket(environment: Environment, key: Uint8Array, value: Uint8Array): string {
  const { id, ...row } = decodeBucket(value)
  const name = Buffer.from(id).toString('latin1')
  return JSON.stringify([name, row, new BucketCounts(environment, jobOfKey(key)).of(name, row.number)])
}

/** What is in them depends on where turns end, and is shown with the buckets. */
const ofBuckets: readonly string[] = ['counts', 'bucket_ids', 'bucket_tail']

/** A turn that was handed over, to be committed as by another thread. */
class LaidDown {
  readonly place: number
  readonly #batch = new WriteBatch()
  readonly #environment: Environment
  /** Its outcome; null until there is one. */
  outcome: { readonly error: unknown } | 'committed' | null = null
  /** Called when it is committed. */
  whenCommitted: () => void = () => {}

  constructor(environment: Environment, place: number, batch: WriteBatch) {
    const packed = new Uint8Array(batch.packedBytes)
    batch.pack(packed, shardTables)
    this.#batch.unpack(packed, batch.size, shardTables)
    this.#environment = environment
    this.place = place
  }

  commit(): void {
    if (this.outcome !== null) return
    try {
      this.#environment.commit(this.#batch)
      this.outcome = 'committed'
      this.whenCommitted()
    } catch (error) {
      this.outcome = { error }
    }
  }
}

/** Accepts turns that are handed over. Commits them some time later, or when something waits for them. */
export class LateCommits implements HandOver {
  readonly #environment: Environment
  laid: LaidDown | null = null

  constructor(environment: Environment) {
    this.#environment = environment
  }

  offer(_: number, place: number, batch: WriteBatch): CommitElsewhere {
    this.wait()
    const laid = (this.laid = new LaidDown(this.#environment, place, batch))
    return {
      isOver: () => laid.outcome !== null,
      settle: () => {
        laid.commit()
        if (laid.outcome !== 'committed') throw new CommitFailed()
      },
    }
  }

  wait(): void {
    this.laid?.commit()
  }
}

export class TestShard<E extends Environment = MemoryEnvironment> {
  readonly environment: E
  readonly failures: unknown[] = []
  /** Runs a turn. A test may replace it to let turns fail. */
  run: (task: TurnTask) => TurnResult
  mailbox: Mailbox
  /**
   * Rounds of the event loop until a turn that was handed over is committed; negative: none is handed over. A test may
   * replace it.
   */
  commitRounds: () => number = () => 1
  readonly lateCommits: LateCommits
  /** What the main thread remembers; a test compares it with the stored events. */
  latest = this.#noneYet()
  /** The writer of its log; null where the store is the log. */
  logged: LoggedTurns | null = null
  readonly #log: RecordLog | null
  #writers = 0
  #writer: string | null = null
  readonly #uncountedEventsMax: number
  readonly #bucketBytesMax: number
  #shard: Shard
  #micros = 1_700_000_000_000_000

  constructor(
    environment: E = new MemoryEnvironment(shardTables) as Environment as E,
    uncountedEventsMax = usualUncountedEventsMax,
    bucketBytesMax = usualBucketBytesMax,
    log: RecordLog | null = null,
  ) {
    this.#log = log
    this.environment = environment
    this.#uncountedEventsMax = uncountedEventsMax
    this.#bucketBytesMax = bucketBytesMax
    this.lateCommits = new LateCommits(environment)
    this.#shard = this.#newShard()
    this.run = (task) => this.#shard.run(task)
    this.mailbox = this.#openMailbox()
  }

  /** The shard runs the turn; for a test's own `run`. */
  runTurn(task: TurnTask): TurnResult {
    return this.#shard.run(task)
  }

  /** Another thread takes over; the mailbox does not know. */
  replaceThread(): void {
    this.#shard = this.#newShard()
  }

  #newShard(): Shard {
    return new Shard(this.environment, sectionNames, {
      uncountedEventsMax: this.#uncountedEventsMax,
      unindexedBucketsMax,
      handOver: this.lateCommits,
      memory: new BucketMemory(this.#bucketBytesMax),
      // Room for one model: that of a job goes when another job needs its own.
      models: new ModelMemory(1),
      actorsMax,
    })
  }

  /** The thread of the next turn dies, before or after its commit. The result tells whether it has. */
  dieOnce(when: 'before' | 'after'): { happened: boolean } {
    const death = { happened: false }
    this.run = (task) => {
      if (death.happened) return this.runTurn(task)
      death.happened = true
      if (when === 'after') this.runTurn(task)
      this.replaceThread()
      throw new Error('the thread died')
    }
    return death
  }

  /** Its thread has had nothing to do for a while. Only where nothing is under way. */
  rest(): void {
    this.#shard.rest()
  }

  /** Another process takes over. */
  restart(): void {
    this.replaceThread()
    this.latest = this.#noneYet()
    this.mailbox = this.#openMailbox()
  }

  /** The next `count` times. */
  take(count = 1): number {
    const micros = this.#micros
    this.#micros += count
    return micros
  }

  post(posting: Posting): Promise<unknown> {
    const { job, kind, eventId = null, idInBody = false, body = '', micros = this.take() } = posting
    const plain = typeof body === 'string' ? Buffer.from(body) : body
    const bytes = authoredKinds.includes(kind) ? withAuthor(testAuthor, plain) : plain
    return new Promise((resolve, reject) => {
      const receiver =
        kind === 'ingest' ? { ingested: resolve, refused: reject } : { resolved: resolve, refused: reject }
      this.mailbox.post({ job, kind, eventId, idInBody, body: bytes, receiver }, micros)
    })
  }

  ingest(job: JobSettings, rawBody: unknown, eventId: string | null = null): Promise<EventView> {
    return this.post({
      job,
      kind: 'ingest',
      eventId,
      body: JSON.stringify({ job_id: job.id, raw_body: rawBody }),
    }) as Promise<EventView>
  }

  feedback(job: JobSettings, eventId: string, analyst: string, label: string): Promise<unknown> {
    return this.vote(job, eventId, { analyst, label })
  }

  /** Feedback with everything that an analyst may add. */
  vote(job: JobSettings, eventId: string, input: Partial<FeedbackInput>): Promise<unknown> {
    return this.post({ job, kind: 'feedback', eventId, body: JSON.stringify(input) })
  }

  override(job: JobSettings, target: { eventId?: string; bucketId?: string }, label: string | null): Promise<unknown> {
    const { eventId = null, bucketId = null } = target
    return this.post({ job, kind: 'override', eventId, body: JSON.stringify({ label, bucketId }) })
  }

  historic(job: JobSettings, document: unknown): Promise<unknown> {
    return this.post({ job, kind: 'historic', body: JSON.stringify(document), micros: this.take(10_000) })
  }

  /** Resumes until nothing waits, as the engine does. */
  async resume(job: JobSettings): Promise<number> {
    let messages = 0
    for (;;) {
      messages++
      if (!((await this.post({ job, kind: 'resume' })) as { more: boolean }).more) return messages
    }
  }

  async purge(job: JobSettings): Promise<number> {
    let messages = 0
    for (;;) {
      messages++
      if (!((await this.post({ job, kind: 'purge' })) as { more: boolean }).more) return messages
    }
  }

  note(job: JobSettings, eventId: string, notes: unknown, more: Partial<NoteInput> = {}): Promise<unknown> {
    const note = {
      notes,
      savedObjects: null,
      author: 'agent',
      workflowName: null,
      workflowId: null,
      sessionId: null,
      ...more,
    }
    return this.post({ job, kind: 'note', eventId, body: encodeNote(note) })
  }

  task(job: JobSettings, order: TaskCommand): Promise<ReprocessRow | null> {
    return this.post({ job, kind: 'task', body: encodeTaskCommand(order) }) as Promise<ReprocessRow | null>
  }

  /** Trains from what is stored now; returns the bytes of an install message. */
  train(job: JobSettings, version: number): Uint8Array {
    const { id: jobId, decisionPoints: points, category } = job
    const cause = { cause: causeSettingsOf(job), byRole: labelMeanings(job.labels).byRole }
    const task = {
      dataDir: '',
      shard: 0,
      jobId,
      points,
      labels: job.labels.map(({ name }) => name),
      buckets: hasBuckets(category),
      ...(hasClusters(category) ? cause : {}),
      seed: version,
      objective: objectiveOf(job),
    }
    return trainedOnce(this.environment, task, () => {
      const signals = { signals: new SharedArrayBuffer(0) }
      const result = trainFrom(this.environment, { ...task, ...signals }, new TrainingSignals())
      const { fingerprint } = new DecisionPoints(points)
      const { throughSeq, summary, referenceMicros } = result
      const row = { version, throughSeq, trainedMicros: 0, fingerprint, summary, referenceMicros }
      return encodeModel(row, result.model)
    })
  }

  install(job: JobSettings, model: Uint8Array): Promise<unknown> {
    return this.post({ job, kind: 'install', body: model })
  }

  reader(): JobReader {
    return new JobReader(this.environment)
  }

  view(job: JobSettings, eventId: string): EventView {
    return this.reader().event(job, eventId)
  }

  /**
   * Every row of the store, `table key value` in hexadecimal, with counts as their sums; of one job if `jobId` is
   * given.
   */
  rows(jobId?: number): string[] {
    const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
    const own = jobId === undefined ? '' : jobId.toString(16).padStart(8, '0')
    const codec = new BodyCodec(this.environment)
    // Which texts have become words depends on when the shard was opened; the texts do not.
    const shown = (table: string, key: Uint8Array, value: Uint8Array): string => {
      if (table === 'buckets') return wholeBucket(this.environment, key, value)
      if (table !== 'events') return hex(value)
      const { body, extras, clientId } = decodeContent(value)
      return `${hex(value.subarray(0, HEADER_BYTES))} ${JSON.stringify([codec.decode(body), extras, clientId])}`
    }
    return shardTables.flatMap((table) => {
      if (table === 'words' || ofBuckets.includes(table) || (jobId !== undefined && sharedTables.includes(table)))
        return []
      return [...this.environment.range(table, {})]
        .map(({ key, value }) => `${table} ${hex(key)} ${shown(table, key, value)}`)
        .filter((row) => !row.startsWith(`meta ${hex(metaKey('counted_through'))}`))
        .filter((row) => jobId === undefined || row.startsWith(`${table} ${own}`))
    })
  }

  #noneYet(): LatestEvents {
    return new LatestEvents((job, micros) => this.reader().hasIdsAhead(job.id, micros))
  }

  #openMailbox(): Mailbox {
    return new Mailbox({
      shard: 0,
      run: this.#throughLog(async (task, decided) => {
        await new Promise((resolve) => setImmediate(resolve))
        const rounds = this.commitRounds()
        const result = this.run({ ...task, handsOver: rounds >= 0 })
        return result.handedOver === true ? await this.#commitLater(task, result, rounds, decided) : result
      }),
      events: {
        committed: (_, { changed }) => changed.forEach((jobId) => this.latest.forget(jobId)),
        added: (...event) => this.latest.keep(...event),
        failed: (_, error) => this.failures.push(error),
      },
      takeTimes: (count) => this.take(count),
      followsMin: 0,
    })
  }

  /** From here on it writes to its log under this name. */
  beginAs(writer: string): void {
    this.#writer = writer
    this.restart()
  }

  #throughLog(run: RunTurn): RunTurn {
    if (this.#log === null) return embeddedLog.runner({ ...this.asLogged(run) })
    const writer = this.#writer ?? (++this.#writers).toString(16).padStart(16, '0')
    this.logged = new LoggedTurns({ ...this.asLogged(run), log: this.#log, writer })
    return this.logged.run
  }

  /** As a writer or a follower of its log sees it. */
  asLogged(run: RunTurn = async (task) => this.runTurn(task)): LoggedShard {
    return {
      shard: 0,
      run,
      applied: () => readAppliedLog(this.environment),
      failed: (what, error) => this.failures.push({ what, error }),
    }
  }

  async #commitLater(task: TurnTask, result: TurnResult, rounds: number, decided: () => void): Promise<TurnResult> {
    const laid = must(this.lateCommits.laid, 'what was', 'laid down')
    decided()
    for (let round = 0; round < rounds; round++) await new Promise((resolve) => setImmediate(resolve))
    laid.commit()
    if (laid.outcome === 'committed') return { ...result, flushMs: 0 }
    const { error } = laid.outcome as { error: unknown }
    if (!isRefusal(error)) throw error
    return { ...refuseTurn(task, refusalExtra(error)), beginsAnew: true }
  }
}
