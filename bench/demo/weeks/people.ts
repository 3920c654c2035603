/**
 * The simulated analysts: they answer with the truth all that is in the queue, and cannot see what is an audit.
 *
 * Owns: reading the queue, votes, the number of clicks. A click is one vote on one event.
 */
import type { Client } from '../../harness/client.js'
import { forEachAtOnce } from '../analyst.js'

interface QueuePage {
  readonly events: readonly { readonly event_id: string; readonly ingest_timestamp: string }[]
  readonly next: string | null
}

const AT_ONCE = 16
const PAGE = 200
const people = ['ann', 'bob'] as const

export class People {
  readonly #client: Client
  readonly #jobId: number
  readonly #labelOf: (eventId: string) => string
  clicks = 0

  /** `labelOf`: the true label of an event. */
  constructor(client: Client, jobId: number, labelOf: (eventId: string) => string) {
    this.#client = client
    this.#jobId = jobId
    this.#labelOf = labelOf
  }

  /** Answers these events, before there is a queue. */
  async answer(eventIds: readonly string[]): Promise<void> {
    await this.#vote(eventIds, people[0])
  }

  /** Answers what is in the queue from that time on. What is asked of a second person, the other one answers. */
  async answerQueue(since: string): Promise<void> {
    for (const person of people) await this.#vote(await this.#queue(since), person)
  }

  async #vote(eventIds: readonly string[], person: string): Promise<void> {
    await forEachAtOnce(eventIds, AT_ONCE, async (id) => {
      await this.#client.feedback(this.#jobId, id, person, this.#labelOf(id))
      this.clicks++
    })
  }

  async #queue(since: string): Promise<string[]> {
    const ids: string[] = []
    for (let after = ''; ; ) {
      const path = `/api/v2/jobs/${this.#jobId}/queue?size=${PAGE}${after}`
      const { events, next } = (await this.#client.ask('GET', path)) as QueuePage
      const recent = events.filter((event) => event.ingest_timestamp >= since)
      ids.push(...recent.map((event) => event.event_id))
      if (next === null || recent.length < events.length) return ids
      after = `&after=${next}`
    }
  }
}
