/**
 * `POST /api/v1/events/_bulk`: event lines in, result lines out, both without end.
 *
 * Owns: flow control. Leaves out: splitting into lines (line-source.ts), the order of results (result-lines.ts).
 *
 * 1. A bad line affects no other line: it gets its own result line.
 * 2. Input pauses if too many lines are under way (fair-window.ts), the client does not read, the mailbox is full, or
 *    the caller is over its rate. A line without room is kept and retried; it is never refused as busy. Input also
 *    waits while other streams have their share of the thread (thread-rounds.ts), and, at a standby of a cluster, while
 *    the job of a line may be known elsewhere.
 * 3. A drain ends the stream: lines under way are answered, no more are taken.
 * 4. A key that is revoked or loses its scope ends the stream too, with a line that says so.
 * 5. When the client disconnects, everything is released. Events that were already ingested are stored.
 */
import { isRefusal, limits, Refusal, type Principal } from '../../../engine/index.js'
import type { App } from '../../app.js'
import { noRoomForBodies } from '../../http/body.js'
import type { Exchange } from '../../http/exchange.js'
import { noRoom, tooLong, type Skipped } from '../../http/ndjson.js'
import { ndjson } from '../../http/reply.js'
import { originOf, uploadNumber } from '../event-origin.js'
import { isOfJob, jobIdOf, untilKnown } from '../job-reference.js'
import { LineSource } from './line-source.js'
import { LineSlot, ResultLines } from './result-lines.js'
import { workOf, type RoundShare } from './round-share.js'

/** Milliseconds until a line without room is tried again; between two questions after jobs that are not known here. */
const [RETRY_MS, ASK_MS] = [5, 250]

class BulkStream {
  readonly #exchange: Exchange
  readonly #app: App
  readonly #principal: Principal
  readonly #key: string
  #lockedOut = false
  readonly #share: RoundShare
  readonly #source: LineSource
  readonly #lines: ResultLines
  readonly #offDrain: () => void
  /** The line that found no room, and whether the caller's rate has counted it. */
  #kept: Buffer | null = null
  #counted = false
  /** It is being asked whether a job is known elsewhere; when that was answered last, milliseconds. */
  #isAsking = false
  #askedMs = Number.NEGATIVE_INFINITY
  #retry: NodeJS.Timeout | null = null
  #finished = false

  constructor(exchange: Exchange, app: App, principal: Principal) {
    this.#exchange = exchange
    this.#app = app
    this.#principal = principal
    this.#key = exchange.key
    const owner = `${principal.kind} ${principal.name}`
    this.#share = app.rounds.join(owner, {
      take: () => this.#pump(),
      read: () => this.#source.read(),
      rest: () => this.#source.rest(),
    })
    const origin = originOf(principal, uploadNumber(exchange, principal))
    this.#lines = new ResultLines(exchange, app.window, owner, origin, { moved: () => this.#pump() })
    this.#source = new LineSource(exchange, this.#share, {
      more: () => this.#pump(),
      gone: () => this.#finish(),
    })
    this.#offDrain = app.onDrain(() => this.#drain())
  }

  begin(): void {
    this.#exchange.onBody(this.#source)
    this.#exchange.beginStream('200 OK', ndjson)
  }

  /** Takes lines while there is room; ends the answer when there are no more. */
  #pump(): void {
    if (this.#finished) return
    if (!this.#lockedOut && this.#app.service.authenticate(this.#key)?.scopes.has('write:events') !== true) {
      this.#lockedOut = true
      return this.#drain()
    }
    const share = this.#share.linesLeft
    let { room } = this.#lines
    let left = share
    let line: Buffer | Skipped | null = null
    for (; room > 0 && left > 0; room--) {
      line = this.#kept ?? this.#source.next()
      if (line === null || !this.#take(line)) break
      this.#kept = null
      left -= typeof line === 'symbol' ? 1 : workOf(line.length)
    }
    this.#share.spend(share - left)
    if (room <= 0) this.#source.stop()
    else if (left <= 0) this.#waitForRound()
    else if (line === null) this.#wantMore()
    else this.#waitForMailbox(line as Buffer)
  }

  /** Others have their share of the thread first. */
  #waitForRound(): void {
    this.#source.stop()
    this.#share.waitToTake()
  }

  #wantMore(): void {
    this.#source.start()
    if (!this.#source.done || this.#lines.underWay > 0) return
    if (this.#source.broken) {
      this.#exchange.write('{"status":"ERROR","status_code":400,"error":"the body is not valid gzip"}\n')
    }
    if (this.#lockedOut) {
      this.#exchange.write(
        '{"status":"ERROR","status_code":401,"error":"the key no longer works; no later line was taken"}\n',
      )
    }
    this.#finish()
    this.#exchange.endStream()
  }

  /** False if there is no room now: the mailbox is full, or the caller is over its rate. */
  #take(line: Buffer | Skipped): boolean {
    const { rateLimit } = this.#app
    if (rateLimit !== null && typeof line !== 'symbol' && !this.#counted) {
      if (!rateLimit.tryTake(this.#principal)) return false
      this.#counted = true
    }
    if (!this.#ingest(line)) return false
    this.#counted = false
    return true
  }

  /** True while it is not clear whether a job is known elsewhere that is not known here. */
  #mayBeKnown(refusal: unknown): boolean {
    if (!isOfJob(refusal)) return false
    if (this.#isAsking || performance.now() - this.#askedMs < ASK_MS) return this.#isAsking
    const known = untilKnown(this.#app, refusal)
    if (known === null) return false
    this.#isAsking = true
    void known.then(() => {
      this.#isAsking = false
      this.#askedMs = performance.now()
    })
    return true
  }

  /** False if the mailbox is full, or its job may be known soon. */
  #ingest(line: Buffer | Skipped): boolean {
    let jobId: number | null = null
    try {
      if (line === tooLong)
        throw new Refusal('body_too_large', `the line is over the limit of ${limits.eventBytesMax} bytes`)
      if (line === noRoom) throw noRoomForBodies()
      jobId = jobIdOf(line)
      const job = this.#app.service.jobForPosts(this.#principal, jobId)
      const slot = new LineSlot(this.#lines, jobId)
      this.#app.service.ingest(job, null, true, line, slot)
      this.#lines.add(slot)
      return true
    } catch (error) {
      if (isRefusal(error, 'mailbox_full') || this.#mayBeKnown(error)) return false
      if (!isRefusal(error)) throw error
      const slot = new LineSlot(this.#lines, jobId)
      this.#lines.add(slot)
      slot.refused(error)
      return true
    }
  }

  #waitForMailbox(line: Buffer): void {
    if (this.#kept === null) this.#kept = Buffer.from(line)
    this.#source.stop()
    if (this.#retry !== null) return
    this.#retry = setTimeout(() => {
      this.#retry = null
      this.#pump()
    }, RETRY_MS)
  }

  #drain(): void {
    this.#kept = null
    this.#source.start()
    this.#source.close()
    this.#pump()
  }

  #finish(): void {
    this.#finished = true
    this.#kept = null
    this.#offDrain()
    this.#source.close()
    this.#lines.close()
    if (this.#retry !== null) clearTimeout(this.#retry)
  }
}

/** Serves the stream. */
export function postEventLines(exchange: Exchange, _params: readonly string[], app: App, principal: Principal): void {
  new BulkStream(exchange, app, principal).begin()
}
