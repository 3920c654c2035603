/**
 * Requests with historic events, on the main thread: checked as a whole, brought to their shard, and stored in pieces,
 * so that no other job waits for more than a piece.
 *
 * Owns: the order of the steps, what a request waits for, requests that are sent again. Leaves out: the check
 * (run-check.ts), what a piece changes (actor/history.ts).
 *
 * 1. No state of a request is kept here: its row in the shard says what is left, and a restart goes on there. What was
 *    not completely on disk is dropped by the next start.
 * 2. One piece of a shard is under way at a time, and requests take turns.
 * 3. A request with the bytes of one that is not over is that one. It is over when a sender has been answered who was
 *    still there.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { epochMs } from '../../clock.js'
import { isRefusal, Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { HistoricOptions } from '../../api/decision-service.js'
import type { Author, JobHandle } from '../../api/principal.js'
import type { HistoryRow } from '../../store/history-row.js'
import { encodeHistoryCommand, type HistoryCommand } from '../../actor/history.js'
import { withAuthor } from '../../actor/message-author.js'
import type { AuditCollector } from '../audit/audit-collector.js'
import type { ReadableShards } from '../read/job-reader.js'
import { Line } from '../readers/line.js'
import { ReaderTasks, type ReaderTasksDeps } from '../readers/reader-tasks.js'
import type { HistoryCheck } from './run-check.js'

export interface HistoryDeps extends ReaderTasksDeps {
  readonly shards: Pick<ReadableShards, 'count' | 'reader'>
  readonly collector: Pick<AuditCollector, 'ask'>
  job(id: number): JobSettings | undefined
  /** @throws Refusal job_not_found. */
  current(handle: JobHandle): JobSettings
  /** @throws Refusal draining. */
  mustAccept(): void
  /** False while the engine shuts down. */
  accepting(): boolean
  failed(what: string, error: unknown): void
}

/** Who sends a request, and in which upload. */
type Sender = Pick<HistoryRow, 'by' | 'upload'>

/** Until a step that was refused is tried again. */
const FULL_RETRY_MS = 20
const FAILED_RETRY_MS = 2_000
/** How often the stored requests are looked through, and after which time one that is coming is dropped. */
const [SWEEP_MS, SWEPT_MS] = [30_000, 3_600_000]

export class HistoryRequests {
  readonly #deps: HistoryDeps
  readonly #tasks: ReaderTasks
  /** A check takes memory, so there is one at a time. */
  readonly #checks = new Line()
  /** By shard. */
  readonly #pieces = new Map<number, Line>()
  /** Requests on their way into their shard, by job and hash. */
  readonly #coming = new Map<string, Promise<HistoryRow>>()
  /** Requests that are being stored, by job and id. */
  readonly #running = new Map<string, Promise<void>>()
  /** Requests whose senders have their answer, until their rows are gone, by job and id. */
  readonly #answered = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor(deps: HistoryDeps) {
    this.#deps = deps
    this.#tasks = new ReaderTasks(deps)
  }

  /** As in DecisionService. */
  async take(handle: JobHandle, body: Uint8Array, by: Author, how: HistoricOptions = {}): Promise<number> {
    const { mustAccept, current, collector } = this.#deps
    mustAccept()
    const job = current(handle)
    if (body.length <= limits.historicMessageBytesMax)
      return (await collector.ask(job, 'historic', null, withAuthor(by, body, how.upload))) as number
    const row = await this.#bring(job, by, await this.#check(job, body), how.upload)
    await this.#store(job, row)
    // Without an answer the sender may send it again: then it is recognised.
    if (how.gone?.aborted !== true) this.#end(job, row)
    return row.events
  }

  /** Goes on with what the last process has not finished, and from then on with what other nodes have not. */
  takeUp(): void {
    this.#sweep(0)
    this.#timer = setInterval(() => this.#sweep(SWEPT_MS), SWEEP_MS).unref()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#tasks.close()
  }

  /** Drops what has been coming for longer than that: whoever sent it has gone. */
  #sweep(comingMs: number): void {
    const { shards } = this.#deps
    for (let shard = 0; shard < shards.count; shard++) {
      for (const jobId of shards.reader(shard).historyJobs()) {
        const job = this.#deps.job(jobId)
        if (job === undefined) continue
        for (const row of shards.reader(shard).history(jobId)) {
          if (row.state === 'running') this.#goOn(job, row)
          else if (isOlder(row, row.state === 'coming' ? comingMs : limits.historicKnownMs))
            this.#ask(job, row, { op: 'end', id: row.id }).catch((error: unknown) => this.#failed(error))
        }
      }
    }
  }

  #check(job: JobSettings, bytes: Uint8Array): Promise<HistoryCheck> {
    return this.#checks.after(async () => {
      const { checked } = await this.#tasks.ask(
        'historicRequest',
        { bytes, job: { id: job.id, labels: job.labels } },
        limits.queryMsMax,
      )
      return checked
    })
  }

  /** Brings a request into its shard, or finds it there. */
  #bring(job: JobSettings, by: Author, checked: HistoryCheck, upload = 0): Promise<HistoryRow> {
    const name = `${job.id} ${checked.hash}`
    const coming = this.#coming.get(name)
    if (coming !== undefined) return coming
    const known = this.#deps.shards
      .reader(job.shard)
      .history(job.id)
      .find((row) => row.hash === checked.hash && row.state !== 'coming' && this.#isKnown(job, row))
    if (known !== undefined) return Promise.resolve(known)
    const brought = this.#bringParts(job, { by, upload }, checked).finally(() => this.#coming.delete(name))
    this.#coming.set(name, brought)
    return brought
  }

  /** The same bytes after an answer are another request, even before the row of the first is gone. */
  #isKnown(job: JobSettings, row: HistoryRow): boolean {
    return !isOlder(row, limits.historicKnownMs) && !this.#answered.has(nameOf(job, row))
  }

  #end(job: JobSettings, row: HistoryRow): void {
    const name = nameOf(job, row)
    this.#answered.add(name)
    this.#ask(job, row, { op: 'end', id: row.id })
      .catch(() => {})
      .finally(() => this.#answered.delete(name))
  }

  async #bringParts(job: JobSettings, sender: Sender, { hash, events, odd, parts }: HistoryCheck): Promise<HistoryRow> {
    let row: HistoryRow | null = null
    let at = 0
    try {
      while (at < parts.length) {
        const some = someOf(parts, at)
        const bytes = some.map(({ length }) => length)
        row = await this.#ask(
          job,
          sender,
          row === null
            ? { op: 'begin', hash, labels: job.labels, events, parts: parts.length, odd, bytes }
            : { op: 'more', id: row.id, from: at + 1, bytes },
          some,
        )
        // Another owner of the catalog has begun.
        if (row === null) throw new Refusal('not_ready', 'the request was dropped on its way; send it again')
        at += some.length
      }
      return row as HistoryRow
    } catch (error) {
      // The next start drops it, where this cannot.
      if (row !== null) this.#ask(job, sender, { op: 'end', id: row.id }).catch(() => {})
      throw error
    }
  }

  /** Resolves when all events of the request are stored. */
  #store(job: JobSettings, row: HistoryRow): Promise<void> {
    if (row.state === 'done') return Promise.resolve()
    const name = nameOf(job, row)
    let running = this.#running.get(name)
    if (running === undefined) {
      running = this.#storePieces(job, row).finally(() => this.#running.delete(name))
      this.#running.set(name, running)
      running.catch((error: unknown) => this.#again(row, job, error))
    }
    return running.catch((error: unknown) => {
      if (!isRefusal(error) || error.code === 'job_not_found') throw error
      const kept =
        'the service has the whole request and stores the rest by itself; the same request again waits for it'
      throw new Refusal(error.code, error.message, { ...error.context, details: kept })
    })
  }

  /** Without anybody who waits. */
  #goOn(job: JobSettings, row: HistoryRow): void {
    this.#store(job, row).catch(() => {})
  }

  async #storePieces(job: JobSettings, request: HistoryRow): Promise<void> {
    const { id, parts, next } = request
    let line = this.#pieces.get(job.shard)
    if (line === undefined) this.#pieces.set(job.shard, (line = new Line()))
    for (let part = next; part <= parts; ) {
      const row = await line.after(() => this.#ask(this.#deps.current(job), request, { op: 'piece', id, part }))
      if (row === null) throw new Refusal('job_not_found', 'the job was deleted')
      part = row.next
    }
  }

  /** A request is stored as soon as that is possible again. */
  #again(row: HistoryRow, { id }: JobSettings, error: unknown): void {
    const { accepting, job } = this.#deps
    if (!accepting() || job(id) === undefined) return
    if (!isRefusal(error) || !error.retryable) return this.#failed(error)
    const retry = (): void => {
      const [now, present] = [job(id), this.#present(id, row.id)]
      if (accepting() && now !== undefined && present?.state === 'running') this.#goOn(now, present)
    }
    setTimeout(retry, FAILED_RETRY_MS).unref()
  }

  #present(jobId: number, id: number): HistoryRow | undefined {
    const job = this.#deps.job(jobId)
    if (job === undefined) return undefined
    return this.#deps.shards
      .reader(job.shard)
      .history(jobId)
      .find((row) => row.id === id)
  }

  #failed(error: unknown): void {
    if (this.#deps.accepting())
      this.#deps.failed('historic events are not all stored yet; the next start goes on with them', error)
  }

  /** A full mailbox is no reason to stop in the middle. */
  async #ask(
    job: JobSettings,
    { by, upload }: Sender,
    command: HistoryCommand,
    texts: readonly Uint8Array[] = [],
  ): Promise<HistoryRow | null> {
    const body = encodeHistoryCommand(by, command, texts, upload)
    for (;;) {
      try {
        return (await this.#deps.collector.ask(job, 'history', null, body)) as HistoryRow | null
      } catch (error) {
        if (!isRefusal(error, 'mailbox_full') || !this.#deps.accepting()) throw error
        await sleep(FULL_RETRY_MS, undefined, { ref: false })
      }
    }
  }
}

function nameOf(job: JobSettings, row: HistoryRow): string {
  return `${job.id} ${row.id}`
}

function isOlder({ id }: HistoryRow, ms: number): boolean {
  return id / 1_000 <= epochMs() - ms
}

/** So many parts from that place on as go into one message. */
function someOf(parts: readonly Uint8Array[], from: number): readonly Uint8Array[] {
  let [to, bytes] = [from, 0]
  while (to < parts.length && (to === from || bytes + (parts[to] as Uint8Array).length <= limits.historicPieceBytesMax))
    bytes += (parts[to++] as Uint8Array).length
  return parts.slice(from, to)
}
