/**
 * Stores the events of one webhook: all that can be, or its sender is told to send again.
 *
 * 1. Events that are refused do not keep the others away (S36). They are told by their place, in the answer and as a
 *    warning of the job.
 * 2. All events of a webhook are of one request: one whose id another one has gets an id of its own (S32).
 * 3. Counts are of events that are stored, not of items (S44).
 */
import {
  cutText,
  encodeOrigin,
  limits,
  Refusal,
  type EventView,
  type Finding,
  type InboundEventBody,
  type InboundEvents,
  type JobHandle,
  type RefusedPart,
  type Stored,
} from '../../../engine/index.js'
import type { App } from '../../app.js'
import { requestNumber } from '../event-origin.js'

const [EXAMPLE_CHARS, SHOWN_MAX] = [200, 100]

/** What became of a webhook. */
export interface StoredWebhook {
  /** Different events, in the job that has most of them. */
  readonly events: number
  /** Their ids, in the order of the sender. */
  readonly ids: readonly string[]
  /** By what became of them, in all jobs together. */
  readonly counts: Readonly<Record<Stored, number>>
  readonly refused: readonly RefusedPart[]
}

/** What became of one event. */
interface Taken {
  readonly eventId: string
  readonly stored: Stored
}

interface Origins {
  readonly once: Uint8Array
  readonly again: Uint8Array
}

function store(
  { service }: App,
  job: JobHandle,
  { id, bytes, hasVersions }: InboundEventBody,
  origins: Origins,
): Promise<Taken> {
  return new Promise((resolve, reject) => {
    if (bytes.length > limits.eventBytesMax)
      throw new Refusal('body_too_large', `an event has at most ${limits.eventBytesMax} bytes`)
    const origin = hasVersions ? origins.again : origins.once
    const ingested = ({ eventId }: EventView, stored: Stored): void => resolve({ eventId, stored })
    service.ingest(job, id, false, bytes, { ingested, refused: reject, origin })
  })
}

/**
 * Resolves when all events are on disk or refused. `source`: who sent them.
 * @throws Refusal a retryable one if there is any, since the sender then sends all of it again; the first one if
 * nothing could be stored.
 */
export async function storeAll(
  app: App,
  jobs: readonly JobHandle[],
  { events, refused, findings }: InboundEvents,
  source: string,
): Promise<StoredWebhook> {
  const request = requestNumber()
  const origins: Origins = {
    once: encodeOrigin({ request, source }),
    again: encodeOrigin({ request, source, hasVersions: true }),
  }
  const told: RefusedPart[] = [...refused]
  const ids = new Set<string>()
  const counts = { new: 0, replaced: 0, same: 0 }
  let most = 0
  let failure: Refusal | null = null
  for (const [at, taken] of (await Promise.all(jobs.map((job) => storeIn(app, job, events, origins)))).entries()) {
    const own = new Map<string, Stored>()
    const ofJob: RefusedPart[] = []
    for (const [n, one] of taken.entries()) {
      if (!(one instanceof Refusal)) {
        // The same event twice: what became of it first counts.
        if (!own.has(one.eventId)) own.set(one.eventId, one.stored)
        ids.add(one.eventId)
        continue
      }
      if (one.retryable) throw one
      failure ??= one
      const { place, bytes } = events[n]!
      ofJob.push({ place, message: one.message, example: exampleOf(bytes) })
    }
    for (const stored of own.values()) counts[stored]++
    most = Math.max(most, own.size)
    told.push(...ofJob)
    app.service.noteFindings(jobs[at]!, [...findings, ...refusedFinding([...refused, ...ofJob], source)])
  }
  if (failure !== null && ids.size === 0) throw failure
  return { events: most, ids: [...ids], counts, refused: told }
}

async function storeIn(
  app: App,
  job: JobHandle,
  events: readonly InboundEventBody[],
  origins: Origins,
): Promise<(Taken | Refusal)[]> {
  const taken = await Promise.allSettled(events.map((event) => store(app, job, event, origins)))
  return taken.map((one) => {
    if (one.status === 'fulfilled') return one.value
    if (one.reason instanceof Refusal) return one.reason
    throw one.reason
  })
}

function exampleOf(bytes: Uint8Array): string {
  return cutText(Buffer.from(bytes.subarray(0, 4 * EXAMPLE_CHARS)).toString('utf8'), EXAMPLE_CHARS)
}

function refusedFinding(refused: readonly RefusedPart[], source: string): Finding[] {
  const [first] = refused
  return first === undefined
    ? []
    : [{ kind: 'refused_part', field: source, count: refused.length, example: first.example }]
}

/** The field of an answer about parts that are not stored, as many as it needs to show; none if all are. */
export function refusedField(refused: readonly RefusedPart[]): object {
  if (refused.length === 0) return {}
  return {
    refused: refused
      .slice(0, SHOWN_MAX)
      .map(({ place, message }) => ({ loc: ['body', ...place.map(String)], msg: message, type: 'refused' })),
    refused_count: refused.length,
  }
}
