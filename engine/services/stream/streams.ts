/**
 * Streams, on the main thread: who listens, and when to read for whom.
 *
 * Owns: the listeners, the pace. Leaves out: reading (stream-reader.ts, on a thread of low priority), sockets
 * (server/routes/stream/).
 *
 * 1. A listener is at a position in the store. Nothing is queued for it: what it has not got is read when it can take
 *    it. So one that does not read costs a piece of memory, and loses nothing.
 * 2. Listeners that ask for the same are read for together, and those at the same position get the same bytes.
 *    Positions are read in one snapshot, so all that get to the end are at the same position then.
 * 3. While the service takes events in, streams get a small share of the time of both threads. They fall behind, then,
 *    and catch up afterwards.
 */
import { performance } from 'node:perf_hooks'
import { isRefusal, Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { Principal } from '../../api/principal.js'
import type { StreamListener, StreamQuery, StreamsService, StreamSubscription } from '../../api/live/stream-service.js'
import type { IngestClock } from '../../runtime/ingest-clock.js'
import type { AuditLog } from '../audit/audit-log.js'
import { selectJobs, type JobSelector } from '../query/selected-jobs.js'
import type { QueriedJob } from '../query/query-protocol.js'
import type { ReadableShards } from '../read/job-reader.js'
import { isRefused } from '../readers/task-frame.js'
import { channelOf, removeMember, wait, type Channel, type ChannelMember } from './stream-channel.js'
import { parsePosition } from './stream-position.js'
import type { StreamThread } from './stream-threads.js'

export interface StreamsDeps {
  readonly dataDir: string
  readonly serviceNames: readonly string[]
  readonly resources: JobSelector
  readonly shards: Pick<ReadableShards, 'commits' | 'messages'>
  readonly auditLog: Pick<AuditLog, 'head'>
  readonly thread: Pick<StreamThread, 'run'>
  readonly clock: Pick<IngestClock, 'nowMicros'>
  failed(what: string, error: unknown): void
}

/** How often the shards are looked at. */
const LOOK_MS = 25
/** The service counts as busy for so long after a commit. */
const BUSY_MS = 100
/** While the service is busy: rest for so many times as long as the work took, on the main and on the stream thread. */
const MAIN_REST = 24
const THREAD_REST = 12
/** Positions that one task reads from. */
const POSITIONS_MAX = 16
/** Before a read that failed is tried again. */
const RETRY_MS = 1_000

export class Streams implements StreamsService {
  readonly #deps: StreamsDeps
  readonly #channels = new Map<string, Channel>()
  /** Channels to read for, the one that waits longest first. */
  readonly #due = new Set<Channel>()
  #isReading = false
  #timer: NodeJS.Timeout | null = null
  #beats: NodeJS.Timeout | null = null
  #seen = ''
  #busyUntilMs = 0
  #isClosed = false
  listeners = 0

  constructor(deps: StreamsDeps) {
    this.#deps = deps
  }

  open(principal: Principal, query: StreamQuery, listener: StreamListener): StreamSubscription {
    if (this.#isClosed) throw draining()
    if (query.after !== undefined && parsePosition(query.after) === null)
      throw new Refusal('invalid_cursor', 'the id of the last message is not one that a stream has given')
    if (this.listeners >= limits.streamsMax)
      throw new Refusal('streams_busy', `${limits.streamsMax} streams are open already; try again later`)
    const made = channelOf(principal, query)
    const channel = this.#channels.get(made.key) ?? made
    this.#jobsOf(channel)
    const member: ChannelMember = { listener, position: query.after ?? '', isOpen: true }
    channel.members.add(member)
    this.#channels.set(channel.key, channel)
    this.listeners++
    this.#start()
    wait(channel, member)
    this.#read(channel)
    return {
      ready: () => {
        if (!member.isOpen) return
        wait(channel, member)
        this.#read(channel)
      },
      close: () => this.#leave(channel, member),
    }
  }

  /** Ends all streams. */
  close(): void {
    this.#isClosed = true
    for (const channel of [...this.#channels.values()]) this.#end(channel, draining())
  }

  /** @throws Refusal job_not_found, query_too_large. */
  #jobsOf({ principal, query }: Channel): QueriedJob[] {
    const jobs = selectJobs(this.#deps.resources, principal, query)
    if (jobs.length <= limits.streamJobsMax) return jobs
    throw new Refusal('query_too_large', `a stream is about ${limits.streamJobsMax} jobs at most; name them`)
  }

  #leave(channel: Channel, member: ChannelMember): void {
    if (!member.isOpen) return
    member.isOpen = false
    this.listeners--
    removeMember(channel, member)
    if (channel.members.size > 0) return
    this.#channels.delete(channel.key)
    this.#due.delete(channel)
    if (this.#channels.size === 0) this.#stop()
  }

  #end(channel: Channel, reason: Refusal): void {
    for (const member of [...channel.members]) {
      this.#leave(channel, member)
      member.listener.ended(reason)
    }
  }

  #start(): void {
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref()
    this.#beats ??= setInterval(() => this.#beat(), limits.streamBeatMs).unref()
  }

  #stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    if (this.#beats !== null) clearInterval(this.#beats)
    this.#timer = this.#beats = null
  }

  #beat(): void {
    for (const { members } of this.#channels.values())
      for (const member of members) if (member.position !== '') member.listener.beat(member.position)
  }

  /** Has all channels read for when something was committed. */
  #look(): void {
    const { shards, auditLog } = this.#deps
    const now = `${shards.commits.join()} ${auditLog.head().count}`
    if (now === this.#seen) return
    this.#seen = now
    this.#busyUntilMs = performance.now() + BUSY_MS
    for (const channel of this.#channels.values()) this.#read(channel)
  }

  #read(channel: Channel): void {
    this.#due.add(channel)
    if (!this.#isReading) void this.#readAll()
  }

  async #readAll(): Promise<void> {
    this.#isReading = true
    for (const channel of this.#due) {
      this.#due.delete(channel)
      await pause(await this.#readFor(channel))
    }
    this.#isReading = false
  }

  /** Reads for the listeners of a channel. Resolves with how long to rest, milliseconds. */
  async #readFor(channel: Channel): Promise<number> {
    const { dataDir, serviceNames, thread, clock, failed } = this.#deps
    const positions = [...channel.waiting.keys()].slice(0, POSITIONS_MAX)
    if (positions.length === 0) return 0
    try {
      const { types, filters, query } = channel
      const jobs = this.#jobsOf(channel)
      const nowMicros = clock.nowMicros()
      const task = { dataDir, serviceNames, jobs, types, filters, form: query.form, positions, nowMicros }
      const result = await thread.run(task)
      if (isRefused(result)) throw new Refusal(result.refused.code, result.refused.message, result.refused.context)
      const beganMs = performance.now()
      let more = channel.waiting.size > positions.length
      for (const [at, piece] of result.pieces.entries()) {
        this.#deliver(channel, positions[at] as string, piece)
        more ||= piece.more
      }
      if (more && channel.members.size > 0) this.#due.add(channel)
      const endMs = performance.now()
      const isBusy = endMs < this.#busyUntilMs || this.#deps.shards.messages > 0
      return isBusy ? Math.max(MAIN_REST * (endMs - beganMs), THREAD_REST * result.tookMs) : 0
    } catch (error) {
      if (isRefusal(error)) this.#end(channel, error)
      else if (!this.#isClosed) {
        failed('reading for streams', error)
        if (channel.members.size > 0) this.#due.add(channel)
        return RETRY_MS
      }
      return 0
    }
  }

  #deliver(channel: Channel, from: string, { messages, next }: { messages: Uint8Array; next: string }): void {
    const group = channel.waiting.get(from)
    if (group === undefined) return
    channel.waiting.delete(from)
    for (const member of group) {
      if (!member.isOpen) continue
      member.position = next
      const goesOn = messages.length === 0 || member.listener.take(messages)
      if (goesOn && member.isOpen) wait(channel, member)
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => (ms < 1 ? setImmediate(resolve) : setTimeout(resolve, ms)))
}

function draining(): Refusal {
  return new Refusal('draining', 'the service is shutting down')
}
