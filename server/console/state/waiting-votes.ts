/**
 * Votes on their way to the service, as this browser keeps them: all tabs have the same ones.
 *
 * 1. Each is an entry of its own in the storage of the browser: tabs that vote at the same time lose nothing.
 * 2. They are in the order in which they were given.
 */
import { signal } from '@preact/signals'
import type { PickedBy } from '../../client/index.js'
import { store, stored } from './preferences.js'

/** A vote that waits, or the word that takes one back. */
export interface WaitingVote {
  readonly id: string
  readonly user: string
  readonly jobId: number
  readonly eventId: string
  /** What the event is called, for messages. */
  readonly title: string
  /** When it was given, by the clock of this machine, which all tabs share: for the order. */
  readonly atMs: number
  /** The same by the service's clock. */
  readonly saidMs: number
  /** What was voted; null: another vote is taken back. */
  readonly label: string | null
  /** What picked the event, where it was asked for. */
  readonly pickedBy?: PickedBy | undefined
  /** The id of the vote that is taken back. */
  readonly takesBack?: string
  /** It was sent once, at least: the service may have it. */
  readonly wasSent?: boolean
}

const PREFIX = 'vote '

/** What could not be stored: it ends with the tab. */
const unstored = new Map<string, WaitingVote>()

function storedKeys(): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX))
  } catch {
    // Private windows may refuse it.
    return []
  }
}

function read(): readonly WaitingVote[] {
  const found = new Map(unstored)
  for (const key of storedKeys()) {
    const vote = stored<WaitingVote | null>(key, null)
    if (vote !== null) found.set(vote.id, vote)
  }
  return [...found.values()].sort((a, b) => a.atMs - b.atMs || (a.id < b.id ? -1 : 1))
}

export const waitingVotes = signal(read())

/** What other tabs have written. */
export function lookAgain(): void {
  waitingVotes.value = read()
}

/** Writes votes down, or what has changed of them. */
export function keepVotes(votes: readonly WaitingVote[]): void {
  for (const vote of votes) {
    if (store(PREFIX + vote.id, vote)) unstored.delete(vote.id)
    else unstored.set(vote.id, vote)
  }
  lookAgain()
}

export function dropVote(id: string): void {
  unstored.delete(id)
  store(PREFIX + id, undefined)
  lookAgain()
}

addEventListener('storage', ({ key }) => {
  if (key === null || key.startsWith(PREFIX)) lookAgain()
})
