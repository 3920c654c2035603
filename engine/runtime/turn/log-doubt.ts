/**
 * Whether the log of its shard has a turn, as far as its mailbox knows.
 *
 * 1. As long as the shard stays, a turn is recognised by its times when it runs again. When the shard goes to another
 *    process, a turn that the log may have is looked for there first. What is known first counts: what is known later
 *    may be behind the turn.
 */
import type { TurnResult, Unresolved } from '../../actor/turn-task.js'

export class LogDoubt {
  /** The log may have it, from an earlier run; true where no more is known. */
  #mayBeLogged: Unresolved | true | null = null
  #unresolved: Unresolved | null = null
  /** The log has it, under the times of its messages. */
  isLogged = false

  get isThere(): boolean {
    return this.#mayBeLogged !== null || this.#unresolved !== null
  }

  /** It was turned away. */
  away({ mayBeLogged, unresolved }: Pick<TurnResult, 'mayBeLogged' | 'unresolved'>): void {
    if (this.isLogged) return
    this.#unresolved ??= unresolved ?? null
    this.#mayBeLogged ??= mayBeLogged ?? null
  }

  /** Its shard goes to another process. False where it could be applied there a second time. */
  mayMove(): boolean {
    if (this.#mayBeLogged === true) return false
    this.#unresolved ??= this.#mayBeLogged
    this.#mayBeLogged = null
    return true
  }

  /** What whoever runs it has to know. */
  get ofTask(): { readonly unresolved?: Unresolved; readonly isLogged?: true } {
    if (this.isLogged) return { isLogged: true }
    return this.#unresolved === null ? {} : { unresolved: this.#unresolved }
  }

  /** There is none any more. */
  clear(): void {
    this.#mayBeLogged = this.#unresolved = null
    this.isLogged = false
  }

  /** The same as of another turn, whose messages it has. */
  take(other: LogDoubt): void {
    this.#mayBeLogged = other.#mayBeLogged
    this.#unresolved = other.#unresolved
    this.isLogged = other.isLogged
  }
}
