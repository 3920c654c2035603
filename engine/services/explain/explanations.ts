/**
 * The service of explanations, on the main thread. The work is done on reader threads.
 *
 * Leaves out: the answers (explained-event.ts, what-if.ts, similar-events.ts).
 *
 * 1. Bodies that wait for a thread, or are with one, have a bound together.
 */
import type { EventExplanation, ExplanationService, SimilarEvents, WhatIf } from '../../api/explanation-service.js'
import type { ComputedDecision } from '../../api/models/computed-decision.js'
import type { JobHandle } from '../../api/principal.js'
import type { JobSettings } from '../../domain/job/job.js'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { ReaderTasks, type ReaderTasksDeps } from '../readers/reader-tasks.js'
import type { Explained, ExplainQuery } from './explain-protocol.js'

export interface ExplanationsDeps extends ReaderTasksDeps {
  /** The job as it is now. @throws Refusal job_not_found. */
  current(job: JobHandle): JobSettings
}

export class Explanations implements ExplanationService {
  readonly #deps: ExplanationsDeps
  readonly #tasks: ReaderTasks
  #bodyBytes = 0

  constructor(deps: ExplanationsDeps) {
    this.#deps = deps
    this.#tasks = new ReaderTasks(deps)
  }

  async event(handle: JobHandle, eventId: string, gone: AbortSignal): Promise<EventExplanation> {
    return (await this.#ask(handle, { kind: 'event', eventId }, gone)) as EventExplanation
  }

  async computed(handle: JobHandle, eventId: string, gone: AbortSignal): Promise<ComputedDecision> {
    return (await this.#ask(handle, { kind: 'computed', eventId }, gone)) as ComputedDecision
  }

  async similar(handle: JobHandle, eventId: string, count: number, gone: AbortSignal): Promise<SimilarEvents> {
    return (await this.#ask(handle, { kind: 'similar', eventId, count }, gone)) as SimilarEvents
  }

  async decide(handle: JobHandle, body: Uint8Array, gone: AbortSignal): Promise<WhatIf> {
    if (body.length > limits.eventBytesMax)
      throw new Refusal('body_too_large', `an event may have at most ${limits.eventBytesMax} bytes`)
    if (this.#bodyBytes + body.length > limits.whatIfBytesMax)
      throw new Refusal('queries_busy', 'too many bodies are waiting to be decided; try again shortly')
    this.#bodyBytes += body.length
    try {
      return (await this.#ask(handle, { kind: 'body', body }, gone)) as WhatIf
    } finally {
      this.#bodyBytes -= body.length
    }
  }

  /** Gives up running work, and refuses new work. */
  close(): void {
    this.#tasks.close()
  }

  async #ask(handle: JobHandle, query: ExplainQuery, gone: AbortSignal): Promise<Explained['answer']> {
    const job = this.#deps.current(handle)
    const { answer } = await this.#tasks.ask('explanation', { job, query }, limits.queryMsMax, gone)
    return answer
  }
}
