/**
 * Runs tasks of votes by filter, one after another.
 *
 * Owns: the pieces, the pauses, what a vote did. Leaves out: requests (vote-tasks.ts), which events match (lists/).
 *
 * 1. A task goes through the list of its events piece by piece. After each piece its place is written, so a restart
 *    goes on there. A vote of a piece that was begun before is counted once.
 * 2. Taking back undoes what is still as the task left it. A vote that was changed since stays.
 * 3. Its votes have the time of the request, so a vote that the analyst gives while the task runs stands.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isRefusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { FeedbackInput, VoteEffect } from '../../api/decision-service.js'
import { encodeFeedback } from '../../actor/votes/feedback.js'
import type { AuditCollector } from '../audit/audit-collector.js'
import { WriteBatch } from '../../store/environment.js'
import type { EventVoteRef, OwnVote } from '../lists/run-refs.js'
import type { TaskVote, VoteTaskLog, VoteTaskRow } from './vote-task-log.js'

export interface RunnerDeps {
  readonly log: VoteTaskLog
  readonly collector: Pick<AuditCollector, 'ask'>
  /** Messages that wait or run. */
  waiting(): number
  nowMicros(): number
  job(id: number): JobSettings | undefined
  /** The next events of a task, and the votes of its analyst on them. */
  refs(job: JobSettings, row: VoteTaskRow): Promise<{ refs: readonly EventVoteRef[]; next: string | null }>
  /** The votes of an analyst on events, as they are now. */
  ownVotes(job: JobSettings, analyst: string, times: readonly number[]): Promise<readonly OwnVote[]>
  accepting(): boolean
  failed(what: string, error: unknown): void
}

type Outcome = 'done' | 'superseded' | 'gone' | 'failed'

/** Votes that are under way at once. A vote takes many times as long as an event, and other jobs wait for all. */
const AT_ONCE = 64
const PAUSE_MS = 5
const RETRY_MS = 50
const FAILED_RETRY_MS = 1_000

export class VoteTaskRunner {
  readonly #deps: RunnerDeps
  #running: Promise<void> | null = null
  #isAgain = false

  constructor(deps: RunnerDeps) {
    this.#deps = deps
  }

  /** There is something to do. */
  wake(): void {
    this.#isAgain = true
    this.#running ??= this.#run().finally(() => (this.#running = null))
  }

  async close(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#isAgain && this.#deps.accepting()) {
      this.#isAgain = false
      for (let row = this.#next(); row !== undefined && this.#deps.accepting(); row = this.#next()) {
        try {
          if (row.state === 'running') await this.#vote(row)
          else await this.#takeBack(row)
        } catch (error) {
          if (!this.#deps.accepting()) return
          const isOver = (!isRefusal(error) || !error.retryable) && this.#fail(row, error)
          if (!isOver) await sleep(FAILED_RETRY_MS, undefined, { ref: false })
        }
        if (this.#deps.waiting() > 0) await sleep(PAUSE_MS, undefined, { ref: false })
      }
    }
  }

  /** The oldest task that is not over. */
  #next(): VoteTaskRow | undefined {
    const { log } = this.#deps
    const open = log.jobIds().flatMap((id) => log.ofJob(id))
    return open.filter(({ state }) => state === 'running' || state === 'undoing').sort((a, b) => a.id - b.id)[0]
  }

  /** Ends a task that has failed. False where the store takes nothing now: it is tried again. */
  #fail(row: VoteTaskRow, error: unknown): boolean {
    this.#deps.failed('votes by filter', error)
    const message = isRefusal(error) ? error.message : 'it failed for a reason that is in the log'
    try {
      this.#end(row, { state: 'failed', message })
      return true
    } catch (again) {
      if (!isRefusal(again)) throw again
      return false
    }
  }

  /** Writes the end of a task; where it was ended or taken back meanwhile, that stands. */
  #end(row: VoteTaskRow, change: Partial<VoteTaskRow>): void {
    const finishedMicros = this.#deps.nowMicros()
    this.#deps.log.change(row, (now) => (now.state === row.state ? { ...now, ...change, finishedMicros } : null))
  }

  async #vote(row: VoteTaskRow): Promise<void> {
    const { log } = this.#deps
    const job = this.#deps.job(row.jobId)
    if (job === undefined) return this.#end(row, { state: 'cancelled', message: 'the job was deleted' })
    const { refs, next } = await this.#deps.refs(job, row)
    const isRunning = (): boolean => log.one(row.jobId, row.id)?.state === 'running'
    if (!isRunning()) return
    const counts = { voted: 0, unchanged: 0, superseded: 0, gone: 0, failed: 0 }
    const wanted: EventVoteRef[] = []
    const before = new WriteBatch()
    for (const ref of refs) {
      const isKnown = log.hasVote(row, ref.eventMicros)
      if (ref.label !== row.label) wanted.push(ref)
      else if (isKnown) counts.voted++
      else counts.unchanged++
      if (!isKnown && ref.label !== row.label)
        log.putVote(before, row, { eventMicros: ref.eventMicros, eventId: ref.eventId, before: ref.label })
    }
    if (before.size > 0) log.change(row, (now) => now, before)
    const vote = { label: job.labels[row.label]?.id ?? null, votedMicros: row.id }
    const outcomes = await this.#each(wanted, isRunning, (ref) => this.#cast(job, row, ref.eventId, vote))
    const after = new WriteBatch()
    for (const [at, { eventMicros }] of wanted.entries()) {
      const outcome = outcomes[at]
      if (outcome !== undefined) counts[outcome === 'done' ? 'voted' : outcome]++
      if (outcome !== 'done') log.deleteVote(after, row, eventMicros)
    }
    const finishedMicros = this.#deps.nowMicros()
    // Ended or taken back meanwhile: what was done is counted all the same.
    log.change(
      row,
      (now) => ({
        ...now,
        cursor: next,
        voted: now.voted + counts.voted,
        unchanged: now.unchanged + counts.unchanged,
        superseded: now.superseded + counts.superseded,
        gone: now.gone + counts.gone,
        failed: now.failed + counts.failed,
        ...(next === null && now.state === 'running' ? { state: 'finished', finishedMicros } : {}),
      }),
      after,
    )
  }

  async #takeBack(row: VoteTaskRow): Promise<void> {
    const { log } = this.#deps
    const job = this.#deps.job(row.jobId)
    if (job === undefined) return this.#end(row, { state: 'failed', message: 'the job was deleted' })
    const votes = log.votes(row, limits.voteTaskPiece)
    if (votes.length === 0) return this.#end(row, { state: 'undone' })
    const times = votes.map(({ eventMicros }) => eventMicros)
    const present = await this.#deps.ownVotes(job, row.analyst, times)
    const isOurs = (at: number): boolean => present[at]?.label === row.label && present[at]?.atMicros === row.id
    const isBack = (vote: TaskVote, at: number): boolean => (present[at]?.label ?? null) === vote.before
    const ours = votes.filter((_, at) => isOurs(at))
    const back = { label: null, takesBack: { votedMicros: row.id } }
    const isThere = (): boolean => log.one(row.jobId, row.id) !== undefined
    const outcomes = await this.#each(ours, isThere, ({ eventId }) => this.#cast(job, row, eventId, back))
    const undone = outcomes.filter((outcome) => outcome === 'done').length
    const already = votes.filter((vote, at) => !isOurs(at) && isBack(vote, at)).length
    const takenBack = undone + already
    const batch = new WriteBatch()
    for (const { eventMicros } of votes) log.deleteVote(batch, row, eventMicros)
    const kept = votes.length - takenBack
    log.change(row, (now) => ({ ...now, takenBack: now.takenBack + takenBack, kept: now.kept + kept }), batch)
  }

  /** The outcome of each item, in order, as far as `mayGoOn` let it come. */
  async #each<T>(items: readonly T[], mayGoOn: () => boolean, work: (item: T) => Promise<Outcome>): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    for (let at = 0; at < items.length && mayGoOn(); at += AT_ONCE)
      outcomes.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))))
    return outcomes
  }

  /** Gives a vote, or takes one back. */
  async #cast(
    job: JobSettings,
    { analyst, closingNotes, by }: VoteTaskRow,
    eventId: string,
    what: Pick<FeedbackInput, 'label' | 'votedMicros' | 'takesBack'>,
  ): Promise<Outcome> {
    const notes = what.label === null || closingNotes === undefined ? {} : { closingNotes }
    const body = encodeFeedback({ analyst, ...what, ...notes }, by)
    for (;;) {
      try {
        const effect = (await this.#deps.collector.ask(job, 'feedback', eventId, body)) as VoteEffect | null
        return effect?.applied === false ? 'superseded' : 'done'
      } catch (error) {
        if (isRefusal(error, 'event_not_found') || isRefusal(error, 'vote_not_found')) return 'gone'
        if (!isRefusal(error) || !error.retryable) return 'failed'
        if (!this.#deps.accepting()) throw error
        await sleep(RETRY_MS, undefined, { ref: false })
      }
    }
  }
}
