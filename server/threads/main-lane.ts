/**
 * The main thread's end of the lane of one HTTP thread: takes its requests, asks the engine, and writes the answers.
 *
 * Owns: the check of every request, lines that find no room. Leaves out: which requests come this way (hot-routes.ts),
 * HTTP, how answers reach the thread (lane-answers.ts).
 *
 * 1. The main thread alone decides: keys, scopes and jobs are checked here, with the state of the moment.
 * 2. A line of a stream that finds no room in its mailbox waits here, and the later lines of its stream behind it. It
 *    is never refused as busy, and the stream keeps its order. What waits is bounded by what a thread may have under
 *    way (thread-lane.ts).
 * 3. So many requests are taken in one go; then others have their time.
 */
import type { MessagePort } from 'node:worker_threads'
import { isRefusal, Refusal, type JobHandle, type Principal, type Scope } from '../../engine/index.js'
import type { App } from '../app.js'
import { stillAuthorized } from '../http/auth.js'
import { ownerOfRate } from '../http/rate-limit.js'
import { originOf } from '../routes/event-origin.js'
import { eventAnswer } from '../routes/events.js'
import { giveVote } from '../routes/feedback.js'
import type { ByteRing } from './byte-ring.js'
import { EventPasser, LaneAnswers } from './lane-answers.js'
import { asks, readAsk, tells, type Ask } from './records.js'
import type { SharedState } from './shared-state.js'
import type { KeyFacts } from './thread-lane.js'

const ASKS_AT_ONCE = 4_096
/** Milliseconds until lines without room are tried again. */
const RETRY_MS = 5

export class MainLane {
  readonly #app: App
  readonly #requests: ByteRing
  readonly #answers: LaneAnswers
  readonly #shared: SharedState
  /** Bodies that came beside the ring, in order. */
  readonly #large: Uint8Array[] = []
  readonly #keys = new Map<number, string>()
  /** Lines without room, by stream. */
  readonly #lines = new Map<number, Ask[]>()
  #linesTimer: NodeJS.Timeout | null = null
  #closed = false
  /** Whom the latest key and scope belong to, and the job of the latest event: they are often those of the next. */
  #lastCaller: { readonly key: number; readonly scope: Scope; readonly principal: Principal } | null = null
  #lastJob: { readonly principal: Principal; readonly id: number; readonly handle: JobHandle } | null = null

  // biome-ignore lint/complexity/useMaxParams: made once for each thread.
  constructor(app: App, requests: ByteRing, answers: ByteRing, port: MessagePort, shared: SharedState) {
    this.#app = app
    this.#requests = requests
    this.#answers = new LaneAnswers(answers, port)
    this.#shared = shared
  }

  /** A body has come beside the ring. */
  putLarge(body: Uint8Array): void {
    this.#large.push(body)
    this.take()
  }

  close(): void {
    this.#closed = true
    if (this.#linesTimer !== null) clearTimeout(this.#linesTimer)
    this.#answers.close()
  }

  /** Takes the requests that have come. */
  take(): void {
    const ring = this.#requests
    ring.woken()
    this.#forgetLast()
    for (let i = 0; i < ASKS_AT_ONCE && !this.#closed; i++) {
      const at = ring.peek()
      if (at < 0) return
      const ask = readAsk(ring.bytes, at, ring.length)
      if (!ask.isLarge) this.#serve(ask)
      else {
        const body = this.#large.shift()
        // It comes with a message that is on its way.
        if (body === undefined) return
        this.#serve({ ...ask, body })
      }
      ring.release()
    }
    setImmediate(() => this.take())
  }

  #serve(ask: Ask): void {
    try {
      this.#do(ask)
    } catch (error) {
      this.#refuse(ask.token, error)
    }
  }

  #do(ask: Ask): void {
    const { kind, key, job, eventId, token } = ask
    switch (kind) {
      case asks.line:
        return this.#line(ask)
      case asks.event: {
        const principal = this.#caller(key, 'write:events')
        const handle = this.#job(principal, job)
        const passer = new EventPasser(this.#answers, token, handle, originOf(principal), true)
        return this.#app.service.ingest(handle, eventId, eventId === null, ask.body, passer)
      }
      case asks.get:
        return this.#answers.tell(
          tells.json,
          token,
          eventAnswer(this.#app, this.#caller(key, 'public'), String(job), eventId ?? ''),
        )
      case asks.vote:
        return this.#vote(ask)
      case asks.key:
        return this.#learn(key, Buffer.from(ask.body).toString())
      default:
        this.#keys.delete(key)
        this.#forgetLast()
    }
  }

  /** Its thread has counted the request (shared-rate.ts). @throws Refusal unauthorized, forbidden. */
  #caller(key: number, scope: Scope): Principal {
    const last = this.#lastCaller
    if (last !== null && last.key === key && last.scope === scope) return last.principal
    const principal = stillAuthorized({ key: this.#keys.get(key) ?? '' }, this.#app, scope)
    this.#lastCaller = { key, scope, principal }
    return principal
  }

  /** @throws Refusal job_not_found, input_disabled. */
  #job(principal: Principal, id: number): JobHandle {
    const last = this.#lastJob
    if (last !== null && last.principal === principal && last.id === id) return last.handle
    const handle = this.#app.service.jobForPosts(principal, id)
    this.#lastJob = { principal, id, handle }
    return handle
  }

  /** Nothing changes while requests are taken in one go, but afterwards. */
  #forgetLast(): void {
    this.#lastCaller = null
    this.#lastJob = null
  }

  #learn(key: number, secret: string): void {
    const principal = this.#app.service.authenticate(secret)
    if (principal === null) return this.#answers.tell(tells.key, key, Buffer.from('null'))
    this.#keys.set(key, secret)
    const place = this.#shared.placeOf(`${principal.kind} ${principal.name}`)
    const ratePlace = this.#shared.placeOf(ownerOfRate(principal))
    const facts: KeyFacts = { ...principal, scopes: [...principal.scopes], place, ratePlace }
    this.#answers.tell(tells.key, key, Buffer.from(JSON.stringify(facts)))
  }

  #vote({ token, key, job, eventId, body }: Ask): void {
    const principal = this.#caller(key, 'write:event_feedback')
    const vote = JSON.parse(Buffer.from(body).toString()) as Parameters<typeof giveVote>[3]
    giveVote(this.#app, principal, [String(job), eventId ?? ''], vote).then(
      (outcome) => this.#answers.tell(tells.json, token, Buffer.from(JSON.stringify(outcome))),
      (error: unknown) => this.#refuse(token, error),
    )
  }

  #line(ask: Ask): void {
    const waiting = this.#lines.get(ask.stream)
    if (waiting === undefined && this.#tryLine(ask)) return
    const kept = { ...ask, body: Buffer.from(ask.body) }
    if (waiting === undefined) this.#lines.set(ask.stream, [kept])
    else waiting.push(kept)
    this.#linesTimer ??= setTimeout(() => this.#tryLines(), RETRY_MS)
  }

  /** False if there is no room now. */
  #tryLine({ key, job, token, request, body }: Ask): boolean {
    try {
      const principal = this.#caller(key, 'write:events')
      const handle = this.#job(principal, job)
      const passer = new EventPasser(this.#answers, token, handle, originOf(principal, request), false)
      this.#app.service.ingest(handle, null, true, body, passer)
    } catch (error) {
      if (isRefusal(error, 'mailbox_full')) return false
      this.#refuse(token, error)
    }
    return true
  }

  #tryLines(): void {
    this.#linesTimer = null
    this.#forgetLast()
    for (const [stream, lines] of this.#lines) {
      let done = 0
      while (done < lines.length && this.#tryLine(lines[done]!)) done++
      if (done === lines.length) this.#lines.delete(stream)
      else lines.splice(0, done)
    }
    if (this.#lines.size > 0 && !this.#closed) this.#linesTimer = setTimeout(() => this.#tryLines(), RETRY_MS)
  }

  #refuse(token: number, error: unknown): void {
    if (isRefusal(error)) return this.#answers.refuse(token, error)
    this.#app.service.monitor.log('api').error('a request failed', { err: error })
    this.#answers.refuse(token, new Refusal('turn_failed', 'internal error'))
  }
}
