/** Mailboxes that are held: one holder after the other, because a mailbox is held once at a time. */
import type { Mailbox } from './mailbox.js'

export class Holds {
  /** By mailbox: settles when it is not held any more. */
  readonly #over = new Map<Mailbox, Promise<unknown>>()

  /** Does `work` while no turn of these mailboxes is under way. Messages that arrive meanwhile wait. */
  during<T>(mailboxes: readonly Mailbox[], work: () => Promise<T>): Promise<T> {
    const before = Promise.all(mailboxes.map((mailbox) => this.#over.get(mailbox)))
    const result = before.then(async () => {
      await Promise.all(mailboxes.map((mailbox) => mailbox.hold()))
      try {
        return await work()
      } finally {
        for (const mailbox of mailboxes) mailbox.release()
      }
    })
    const over = result.catch(() => {})
    for (const mailbox of mailboxes) this.#over.set(mailbox, over)
    return result
  }
}
