/** How full one mailbox is, and who waits until nothing is left in it. */
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'

export class Occupancy {
  /** Messages that wait or run, and their bytes. */
  messages = 0
  bytes = 0
  #waiting: (() => void)[] = []

  /** Counts one more message. @throws Refusal mailbox_full. */
  admit(bytes: number): void {
    if (this.messages >= limits.mailboxMessagesMax || this.bytes + bytes > limits.mailboxBytesMax) {
      throw new Refusal('mailbox_full', 'too many messages are waiting; try again shortly')
    }
    this.messages++
    this.bytes += bytes
  }

  /** They are over, or as good as that. */
  release(messages: number, bytes: number): void {
    this.messages -= messages
    this.bytes -= bytes
  }

  /** Resolves when nothing waits and nothing is under way. */
  async whenIdle(): Promise<void> {
    if (this.messages > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** What was under way has been told. */
  tell(): void {
    if (this.messages > 0) return
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
