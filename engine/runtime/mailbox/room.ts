/** How much waits or runs in one mailbox, and its bounds. */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'

export class Room {
  #messages = 0
  #bytes = 0
  readonly #whenEmpty: (() => void)[] = []

  get messages(): number {
    return this.#messages
  }

  get bytes(): number {
    return this.#bytes
  }

  /** A message of so many bytes comes. @throws Refusal mailbox_full. */
  take(bytes: number): void {
    if (this.#messages >= limits.mailboxMessagesMax || this.#bytes + bytes > limits.mailboxBytesMax)
      throw new Refusal('mailbox_full', 'too many messages are waiting; try again shortly')
    this.#messages++
    this.#bytes += bytes
  }

  /** So many messages are over. */
  free(messages: number, bytes: number): void {
    this.#messages -= messages
    this.#bytes -= bytes
  }

  /** Resolves when no message waits or runs. */
  async whenEmpty(): Promise<void> {
    if (this.#messages > 0) await new Promise<void>((resolve) => this.#whenEmpty.push(resolve))
  }

  /** Tells those that wait for it, where it is empty. */
  tellEmpty(): void {
    if (this.#messages === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve()
  }
}
