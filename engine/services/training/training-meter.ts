/** How trainings ended, since the start. */
import { Histogram } from '../../domain/metrics/histogram.js'
import type { TrainingRow } from './training-log.js'

/** Seconds. */
const bounds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600] as const

export class TrainingMeter {
  finished = 0
  failed = 0
  readonly seconds = new Histogram(bounds)

  ended({ state, startMicros, finishMicros }: TrainingRow): void {
    if (state === 'RETRAIN_FAILED') this.failed++
    else this.finished++
    if (startMicros !== null && finishMicros !== null) this.seconds.add((finishMicros - startMicros) / 1e6)
  }
}
