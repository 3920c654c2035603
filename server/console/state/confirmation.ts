/** What somebody has to confirm before it is done: it comes up above the page, one at a time. */
import { signal } from '@preact/signals'

export interface Confirmation {
  readonly title: string
  readonly text: string
  /** The words on the button. */
  readonly verb: string
  act(): Promise<unknown>
}

/** Null: there is nothing to confirm. */
export const confirmation = signal<Confirmation | null>(null)
