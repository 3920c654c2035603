/** Plays events into the service by NDJSON, and keeps its answers. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, EventAnswer } from '../harness/client.js'
import type { DemoEvent } from './stream.js'

/** Milliseconds before lines without an answer are sent again. */
const AGAIN_MS = 500

/** A played event, and the service's first answer to it. */
export interface Played {
  readonly eventId: string
  readonly event: DemoEvent
  readonly answer: EventAnswer
}

/** The service and job that events are played to. */
export interface PlayedTo {
  readonly client: Client
  readonly jobId: number
  /** Lines without an answer are sent again, so often: their ids make this safe. Absent: not at all. */
  readonly attempts?: number
}

/** An answer that is not a result for its event stops the demo. */
export async function play(
  { client, jobId, attempts = 1 }: PlayedTo,
  prefix: string,
  events: readonly DemoEvent[],
  onProgress: (share: number) => void,
): Promise<Played[]> {
  const played: Played[] = []
  function* lines(from: number): Generator<string> {
    for (let i = from; i < events.length; i++) {
      yield `{"job_id":${jobId},"event_id":"${prefix}-${i}","raw_body":${(events[i] as DemoEvent).json}}\n`
    }
  }
  const take = (answer: EventAnswer, i: number): void => {
    if (answer.status === 'ERROR') throw new Error(`event ${prefix}-${i} was refused: ${answer.error}`)
    const event = events[i]
    if (event === undefined || answer.event_id !== `${prefix}-${i}`) {
      throw new Error(`answer ${i} is for ${answer.event_id}`)
    }
    played.push({ eventId: answer.event_id, event, answer })
    if ((i & 1023) === 0) onProgress(i / events.length)
  }
  for (let attempt = 1; played.length < events.length; attempt++) {
    const from = played.length
    try {
      await client.bulk(lines(from), (answer, at) => take(answer, from + at))
      if (attempt >= attempts && played.length < events.length)
        throw new Error(`${events.length} events were sent, ${played.length} were answered`)
    } catch (error) {
      if (attempt >= attempts) throw error
      await sleep(AGAIN_MS)
    }
  }
  return played
}
