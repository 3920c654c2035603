/** Rows of events, as columns side by side that grow. */
export class EventRows {
  /** Rows from the first look on, in the order of time; else from before it, in reverse. */
  readonly isLater: boolean
  times = new Float64Array(1_024)
  /** The events' own times, or those of their arrival. */
  own = new Float64Array(1_024)
  buckets = new Int32Array(1_024)
  /** The label's place from 1, 0 for none, times eight, and the flags. */
  codes = new Uint16Array(1_024)
  confidences = new Uint16Array(1_024)
  length = 0

  constructor(isLater: boolean) {
    this.isLater = isLater
  }

  /** Adds a row without more than its times. */
  add(micros: number, ownMicros: number): void {
    if (this.length === this.times.length) this.#grow()
    this.times[this.length] = micros
    this.own[this.length] = ownMicros
    this.set(this.length++, 0, 0, 0)
  }

  set(at: number, bucket: number, code: number, confidence: number): void {
    this.buckets[at] = bucket
    this.codes[at] = code
    this.confidences[at] = confidence
  }

  #grow(): void {
    const length = 2 * this.times.length
    const times = new Float64Array(length)
    times.set(this.times)
    const own = new Float64Array(length)
    own.set(this.own)
    const buckets = new Int32Array(length)
    buckets.set(this.buckets)
    const [codes, confidences] = [new Uint16Array(length), new Uint16Array(length)]
    codes.set(this.codes)
    confidences.set(this.confidences)
    Object.assign(this, { times, own, buckets, codes, confidences })
  }
}
