/**
 * Events and votes on their way to their shard.
 *
 * Owns: the bounds of input. Leaves out: whether the caller may (engine.ts), what a message does (actor/).
 */
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'
import type { Finding } from '../domain/event/finding.js'
import type { JobSettings } from '../domain/job/job.js'
import type { FeedbackInput, IngestReceiver, VoteEffect } from '../api/decision-service.js'
import type { Author, JobHandle } from '../api/principal.js'
import { encodeFindingsMessage } from '../actor/findings.js'
import type { MessageKind } from '../actor/message.js'
import { encodeFeedback } from '../actor/votes/feedback.js'
import type { ReadableShards } from './read/job-reader.js'

export interface IntakeDeps {
  readonly shards: Pick<ReadableShards, 'post' | 'ask'>
  /** @throws Refusal job_not_found. */
  current(handle: JobHandle): JobSettings
  /** @throws Refusal. */
  mustAccept(): void
  /** Posts what the audit log is told of, and waits for its result. */
  ask(job: JobSettings, kind: MessageKind, eventId: string | null, body: Uint8Array): Promise<unknown>
}

export class Intake {
  readonly #deps: IntakeDeps

  constructor(deps: IntakeDeps) {
    this.#deps = deps
  }

  /** As in DecisionService. */
  // biome-ignore lint/complexity/useMaxParams: called for every event, so without an object for its arguments.
  ingest(
    handle: JobHandle,
    eventId: string | null,
    idInBody: boolean,
    body: Uint8Array,
    receiver: IngestReceiver,
  ): void {
    this.#deps.mustAccept()
    if (body.length > limits.eventBytesMax) {
      throw new Refusal('body_too_large', `an event may have at most ${limits.eventBytesMax} bytes`)
    }
    if (eventId !== null && Buffer.byteLength(eventId) > limits.eventIdBytesMax) {
      throw new Refusal('event_id_too_long', `an event id may have at most ${limits.eventIdBytesMax} bytes`)
    }
    const job = this.#deps.current(handle)
    this.#deps.shards.post({ job, kind: 'ingest', eventId, idInBody, body, origin: receiver.origin, receiver })
  }

  /** As in DecisionService. */
  async keepFindings(handle: JobHandle, findings: readonly Finding[]): Promise<void> {
    const { mustAccept, current, shards } = this.#deps
    mustAccept()
    await shards.ask(current(handle), 'findings', null, encodeFindingsMessage(findings))
  }

  /** As in DecisionService. */
  noteFindings(handle: JobHandle, findings: readonly Finding[]): void {
    if (findings.length === 0) return
    const { shards, current } = this.#deps
    try {
      shards.ask(current(handle), 'findings', null, encodeFindingsMessage(findings)).catch(() => {})
    } catch (error) {
      // The job is gone, or its mailbox is full.
      if (!(error instanceof Refusal)) throw error
    }
  }

  /** As in DecisionService. */
  async giveFeedback(handle: JobHandle, eventId: string, feedback: FeedbackInput, by: Author): Promise<VoteEffect> {
    const { mustAccept, current, ask } = this.#deps
    mustAccept()
    if (Buffer.byteLength(eventId) > limits.eventIdBytesMax) throw new Refusal('event_not_found', 'event not found')
    return (await ask(current(handle), 'feedback', eventId, encodeFeedback(feedback, by))) as VoteEffect
  }
}
