/**
 * How many connections may stop being read until they are answered.
 *
 * What the client sends next then waits in the kernel: another request is served after the answer, and a half-closed
 * connection still gets its answer. The native idle timeout does not run meanwhile.
 *
 * To stop and start reading takes several system calls, a fifth of a request. So up to 1,000 connections a second stop.
 * Beyond that rate none does: a further request, or a half-close, closes the connection, as uWebSockets.js does.
 */

/** How many connections may stop in a window. */
const STOPS_MAX = 100
const WINDOW_MS = 100

/** Counts connections that ask to stop. */
export class ReadStops {
  #windowMs = 0
  #requests = 0
  /** The window before had more requests than may stop. */
  #isBusy = false

  /** True if one more connection may stop being read now. */
  may(nowMs: number): boolean {
    const ageMs = nowMs - this.#windowMs
    if (ageMs >= WINDOW_MS) {
      this.#isBusy = this.#requests > STOPS_MAX && ageMs < 2 * WINDOW_MS
      this.#windowMs = nowMs
      this.#requests = 0
    }
    return ++this.#requests <= STOPS_MAX && !this.#isBusy
  }
}

/** Those of this thread. */
export const readStops = new ReadStops()
