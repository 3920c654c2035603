/** Whether the engine accepts changes: from its start until it is closed. */
import { Refusal } from '../../errors.js'

export class Admission {
  #isOpen = true

  /** False while the engine shuts down. */
  readonly accepting = (): boolean => this.#isOpen

  /** @throws Refusal draining. */
  readonly mustAccept = (): void => {
    if (!this.#isOpen) throw new Refusal('draining', 'the service is shutting down')
  }

  /** To be called once: nothing more is accepted. */
  end(): void {
    this.#isOpen = false
  }
}
