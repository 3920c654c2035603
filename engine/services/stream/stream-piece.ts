/** One piece of a stream while it is written: its messages, and the position that moves with them. */
import { isoMicros } from '../../clock.js'
import type { MessageWriter } from './stream-messages.js'
import { positionText, type JobPlace, type StreamPosition } from './stream-position.js'

export class Piece {
  readonly position: StreamPosition
  readonly #writer: MessageWriter

  constructor(writer: MessageWriter, position: StreamPosition) {
    this.#writer = writer
    this.position = position
  }

  /** Written so far, about. */
  get bytes(): number {
    return this.#writer.length
  }

  /** The position says already what comes after the message. */
  add(type: string, data: object): void {
    this.#writer.add(type, positionText(this.position), data)
  }

  /** Changes up to a time are not kept any more, and some may not have been told of. */
  gap(jobId: number, throughMicros: number): void {
    const place = placeIn(this.position, jobId)
    place.change = throughMicros + 1
    place.changeEvent = 0
    const message =
      'Decisions that were made again before this time are no longer kept, and some may be missing here. ' +
      'List the events to see their decisions.'
    this.add('gap', { job_id: jobId, before: isoMicros(throughMicros + 1), message })
  }
}

/** The place in a job; one that was made after the stream began is read from there on. */
export function placeIn({ jobs, began }: StreamPosition, jobId: number): JobPlace {
  let place = jobs.get(jobId)
  if (place === undefined) jobs.set(jobId, (place = { event: began, change: began, changeEvent: 0, told: 0 }))
  return place
}
