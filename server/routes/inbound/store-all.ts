/** Stores the events of one webhook: all of them, or its sender is told to send again. */
import { limits, Refusal, type EventView, type InboundEventBody, type JobHandle } from '../../../engine/index.js'
import type { App } from '../../app.js'

export interface WebhookEvent extends InboundEventBody {
  readonly job: JobHandle
}

function store({ service }: App, { job, id, bytes }: WebhookEvent): Promise<EventView> {
  return new Promise((resolve, reject) => {
    if (bytes.length > limits.eventBytesMax)
      throw new Refusal('body_too_large', `an event has at most ${limits.eventBytesMax} bytes`)
    service.ingest(job, id, false, bytes, { ingested: resolve, refused: reject })
  })
}

/**
 * Resolves when all events are on disk. Where one is refused, the others are stored all the same.
 * @throws Refusal a retryable one if there is any, since the sender then sends all of it again; else the first.
 */
export async function storeAll(app: App, events: readonly WebhookEvent[]): Promise<EventView[]> {
  const taken = await Promise.allSettled(events.map((event) => store(app, event)))
  const failures = taken.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  const first = failures.find((error) => error instanceof Refusal && error.retryable) ?? failures[0]
  if (first !== undefined) throw first
  return taken.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}
