/** Number, sizes and durations of the turns of one shard, since the start. */
import { limits } from '../../limits.js'
import { Histogram, secondsBounds } from '../../domain/metrics/histogram.js'

/** The measurements of one turn. */
export interface TurnFacts {
  readonly messages: number
  /** Seconds from its start to its answer on the main thread, and those of them in the flushed commit. */
  readonly seconds: number
  readonly flushSeconds: number
}

const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, limits.turnMessagesMax] as const

export class TurnMeter {
  turns = 0
  messages = 0
  failed = 0
  readonly sizes = new Histogram(sizes)
  readonly seconds = new Histogram(secondsBounds)
  readonly flushSeconds = new Histogram(secondsBounds)

  add({ messages, seconds, flushSeconds }: TurnFacts): void {
    this.turns++
    this.messages += messages
    this.sizes.add(messages)
    this.seconds.add(seconds)
    if (flushSeconds > 0) this.flushSeconds.add(flushSeconds)
  }
}
