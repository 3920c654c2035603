/**
 * A simulated analyst: reads events back through the API, and labels the ones most worth labelling.
 *
 * Without a model: the largest buckets without a label, and a few rare ones. With a model: half of the votes go to the
 * least confident decisions, outliers first, and half to the largest buckets. One vote a bucket. The vote is the
 * event's truth.
 */
import type { Client } from '../harness/client.js'
import { Random } from '../streams/random.js'
import type { Played } from './play.js'

/** An outlier is ranked as if its decision were this much less confident. */
const outlierDoubt = 40

/** Events that the analyst reads in one round. */
const lookedThrough = 4_000
const requestsAtOnce = 16

interface Bucket {
  readonly id: string
  readonly first: Played
  events: number
  /** The confidence of its least confident event, less the deduction for an outlier. */
  confidence: number
  decided: boolean
}

interface ExportAnswer {
  readonly service_event: { readonly service?: { readonly bucket_id?: string } }
}

/** Runs an asynchronous step for each item, a few at a time, started in order. */
export async function forEachAtOnce<T>(
  items: readonly T[],
  atOnce: number,
  step: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < items.length) await step(items[next++] as T)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
}

export class Analyst {
  readonly #client: Client
  readonly #jobId: number
  readonly #labels: readonly string[]
  readonly #random: Random
  readonly #labelledBuckets = new Set<string>()
  votes = 0

  constructor(client: Client, jobId: number, labels: readonly string[], seed: number) {
    this.#client = client
    this.#jobId = jobId
    this.#labels = labels
    this.#random = new Random(seed)
  }

  /** Gives up to `votes` votes on played events; returns their number. */
  async review(played: readonly Played[], votes: number, onProgress: (share: number) => void): Promise<number> {
    const buckets = await this.#look(played)
    const bySize = [...buckets].sort((a, b) => b.events - a.events || a.confidence - b.confidence)
    const decided = buckets.some((bucket) => bucket.decided)
    const special = decided ? [...buckets].sort((a, b) => a.confidence - b.confidence) : [...bySize].reverse()
    const specialShare = decided ? 0.5 : 0.3
    const chosen = new Set<Bucket>(bySize.slice(0, Math.round(votes * (1 - specialShare))))
    for (const bucket of special) if (chosen.size < votes) chosen.add(bucket)
    let given = 0
    await forEachAtOnce([...chosen], requestsAtOnce, async ({ id, first }) => {
      const label = this.#labels[first.event.truth] as string
      await this.#client.feedback(this.#jobId, first.eventId, 'analyst', label)
      this.#labelledBuckets.add(id)
      onProgress(++given / chosen.size)
    })
    this.votes += given
    return given
  }

  /** Reads a sample back and groups it by bucket, without the labelled ones. */
  async #look(played: readonly Played[]): Promise<Bucket[]> {
    const sample: Played[] = [...played]
    while (sample.length > lookedThrough) {
      sample[this.#random.below(sample.length)] = sample.at(-1) as Played
      sample.pop()
    }
    const found: (string | null)[] = new Array<string | null>(sample.length).fill(null)
    await forEachAtOnce([...sample.keys()], requestsAtOnce, async (i) => {
      const { eventId } = sample[i] as Played
      const path = `/api/v1/events/${this.#jobId}/${eventId}/export`
      const { service_event } = (await this.#client.ask('GET', path)) as ExportAnswer
      found[i] = service_event.service?.bucket_id ?? eventId
    })
    const buckets = new Map<string, Bucket>()
    sample.forEach((event, i) => {
      const id = found[i] as string
      if (this.#labelledBuckets.has(id)) return
      const bucket = buckets.get(id)
      const { confidence_score, outlier } = event.answer
      const confidence = confidence_score - (outlier ? outlierDoubt : 0)
      if (bucket === undefined) {
        buckets.set(id, { id, first: event, events: 1, confidence, decided: event.answer.result !== '' })
      } else {
        bucket.events++
        bucket.confidence = Math.min(bucket.confidence, confidence)
      }
    })
    return [...buckets.values()]
  }
}
