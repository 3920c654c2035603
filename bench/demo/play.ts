/** Plays events into the service by NDJSON, and keeps its answers. */
import type { Client, EventAnswer } from '../harness/client.js'
import type { DemoEvent } from './stream.js'

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
}

/** An answer that is not a result for its event stops the demo. */
export async function play(
  { client, jobId }: PlayedTo,
  prefix: string,
  events: readonly DemoEvent[],
  onProgress: (share: number) => void,
): Promise<Played[]> {
  const played: Played[] = []
  function* lines(): Generator<string> {
    for (let i = 0; i < events.length; i++) {
      yield `{"job_id":${jobId},"event_id":"${prefix}-${i}","raw_body":${(events[i] as DemoEvent).json}}\n`
    }
  }
  const count = await client.bulk(lines(), (answer, i) => {
    if (answer.status === 'ERROR') throw new Error(`event ${prefix}-${i} was refused: ${answer.error}`)
    const event = events[i]
    if (event === undefined || answer.event_id !== `${prefix}-${i}`) {
      throw new Error(`answer ${i} is for ${answer.event_id}`)
    }
    played.push({ eventId: answer.event_id, event, answer })
    if ((i & 1023) === 0) onProgress(i / events.length)
  })
  if (count !== events.length) throw new Error(`${events.length} events were sent, ${count} were answered`)
  return played
}
