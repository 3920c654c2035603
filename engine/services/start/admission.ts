/** Whether the engine accepts changes: from its start until it is closed. */
import { Refusal } from '../../errors.js'

export class Admission {
  #isOpen = true
  #isSuspended = false

  /** False while the engine shuts down, or is suspended. */
  readonly accepting = (): boolean => this.#isOpen && !this.#isSuspended

  /** True from `end` on. */
  get hasEnded(): boolean {
    return !this.#isOpen
  }

  /** @throws Refusal draining, log_unavailable. */
  readonly mustAccept = (): void => {
    if (this.#isSuspended)
      throw new Refusal('log_unavailable', 'this node does not reach the cluster; try again', { retryAfterSeconds: 5 })
    if (!this.#isOpen) throw new Refusal('draining', 'the service is shutting down')
  }

  /** Changes are refused, because this node is not known to be the owner in its cluster. */
  suspend(): void {
    this.#isSuspended = true
  }

  /** To be called once: nothing more is accepted. */
  end(): void {
    this.#isOpen = false
  }
}
