/**
 * `wait=true` on the POST of an event: the answer has the decision, if there is one within `eventWaitMs`.
 *
 * An event is mostly decided in the turn that stores it, and then nothing waits. One that is enriched, or whose job is
 * stopped, is looked for again with growing pauses. After the time the answer is the usual one.
 */
import { isoMicros, isRefusal, limits, type EventView, type JobHandle } from '../../engine/index.js'
import type { App } from '../app.js'
import { replyError } from '../http/error-reply.js'
import type { Exchange } from '../http/exchange.js'
import { json, replyJson } from '../http/reply.js'
import { ingestedBytes } from './event-wire.js'

const FIRST_PAUSE_MS = 20

/** Answers the POST of a stored event. */
export function answerWhenDecided(exchange: Exchange, app: App, job: JobHandle, stored: EventView): void {
  const untilMs = performance.now() + limits.eventWaitMs
  const look = (view: EventView | null, pauseMs: number): void => {
    if (view?.status === 'OK') return replyJson(exchange, 201, decided(view, app.emptyErrorMessage))
    const leftMs = untilMs - performance.now()
    if (view === null || leftMs <= 0)
      return exchange.reply('201 Created', json, ingestedBytes(stored, app.emptyErrorMessage))
    setTimeout(
      () => {
        try {
          look(now(app, job, stored), 2 * pauseMs)
        } catch (error) {
          replyError(exchange, error)
        }
      },
      Math.min(pauseMs, leftMs),
    )
  }
  look(stored, FIRST_PAUSE_MS)
}

/** The event as it is now; null where it was deleted or replaced. */
function now({ service }: App, job: JobHandle, { eventId, ingestMicros }: EventView): EventView | null {
  try {
    const view = service.event(job, eventId)
    return view.ingestMicros === ingestMicros ? view : null
  } catch (error) {
    if (isRefusal(error, 'event_not_found') || isRefusal(error, 'job_not_found')) return null
    throw error
  }
}

function decided(view: EventView, emptyErrorMessage: boolean): unknown {
  return {
    event_id: view.eventId,
    job_id: view.jobId,
    ingest_timestamp: isoMicros(view.ingestMicros),
    status: view.status,
    result: view.result,
    result_label: view.resultLabel,
    error_message: view.errorMessage ?? (emptyErrorMessage ? '' : null),
    knowledge_base_state: view.bucketState,
    ...(view.autonomy === 'none' ? {} : { autonomy: view.autonomy }),
    bucket_state: view.bucketState,
    outlier: view.outlier,
    confidence_score: view.confidenceScore,
  }
}
