/**
 * The journal of what this person did in this tab, with one way back, and short messages about it.
 *
 * 1. A step is in the journal from the press on, whether or not the service has answered: the latest one is taken back
 *    first, whatever the network does. It stays undoable after its message is gone, up to fifty steps.
 * 2. Votes outlive the page: they can be taken back after it was loaded again. Other steps end with it.
 * 3. What was done is said on the foot of the page, where it covers nothing. A later message takes its place.
 * 4. A failure stays until it is closed. The same one is said once.
 */
import { signal } from '@preact/signals'
import { t } from '../texts.js'
import { messageOf, session } from './api.js'

/** What was done. */
export interface Step {
  /** Takes it back, and says so. */
  back(): Promise<unknown>
  /** What the tab keeps of it: its kind (`keepKind`), and what that needs. Absent: nothing. */
  readonly kept?: Kept
}

interface Kept {
  readonly kind: string
  readonly data: unknown
}

export interface Said {
  readonly id: number
  readonly text: string
  /** What it says was done, where that can be taken back. */
  readonly step: Step | null
}

const STORED = 'journal'
const STEPS_MAX = 50
const SHOWN_MS = 8_000
const FAILURES_MAX = 3

const steps: Step[] = []

/** Writes down what the tab keeps of the steps. */
function storeSteps(): void {
  const kept = steps.flatMap((step) => (step.kept === undefined ? [] : [step.kept]))
  try {
    sessionStorage.setItem(STORED, JSON.stringify({ user: session.peek()?.name ?? '', kept }))
  } catch {
    // They end with the page.
  }
}

/** How a kept step is made anew, by its kind. */
const kinds = new Map<string, (data: never) => Step>()

export function keepKind<T>(kind: string, stepOf: (data: T) => Step): void {
  kinds.set(kind, stepOf)
}

/** Brings back the steps that the tab has kept, for the person who is signed in. */
export function reviveSteps(): void {
  try {
    const stored = JSON.parse(sessionStorage.getItem(STORED) ?? '{}') as { user?: string; kept?: readonly Kept[] }
    if (stored.user !== session.peek()?.name) return
    steps.unshift(...(stored.kept ?? []).flatMap(({ kind, data }) => kinds.get(kind)?.(data as never) ?? []))
  } catch {
    // What is damaged is forgotten.
  }
}

/** Writes a step down. */
export function done(step: Step): void {
  steps.push(step)
  if (steps.length > STEPS_MAX) steps.shift()
  storeSteps()
}

/** What was done last; null: a while ago. */
export const said = signal<Said | null>(null)
export const failures = signal<readonly Said[]>([])
let made = 0

export function close(id: number): void {
  if (said.value?.id === id) said.value = null
  failures.value = failures.value.filter((one) => one.id !== id)
}

/** Says what was done. `back` takes it back, if it can be; a step is in the journal already. */
export function say(text: string, back: Step | (() => Promise<unknown>) | null = null): void {
  const step = typeof back === 'function' ? { back } : back
  if (typeof back === 'function' && step !== null) done(step)
  const one = { id: ++made, text, step }
  said.value = one
  setTimeout(() => close(one.id), SHOWN_MS)
}

/** Says what failed. */
export function fail(error: unknown): void {
  const text = messageOf(error)
  const others = failures.value.filter((one) => one.text !== text)
  failures.value = [...others.slice(1 - FAILURES_MAX), { id: ++made, text, step: null }]
}

/** Runs what may fail, and says so. True if it did not. */
export async function attempt(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run()
    return true
  } catch (error) {
    fail(error)
    return false
  }
}

function forget(step: Step): void {
  const at = steps.indexOf(step)
  if (at >= 0) steps.splice(at, 1)
  if (said.value?.step === step) said.value = null
  storeSteps()
}

/** Does something that is in the journal from now on, and says it when it is done. True if it did not fail. */
export async function act(
  run: () => Promise<unknown>,
  /** Null: nothing was done after all. */
  text: string | (() => string | null),
  back: () => Promise<unknown>,
): Promise<boolean> {
  const running = attempt(run)
  const step: Step = {
    // What is under way is taken back when it has ended.
    back: async () => ((await running) ? back() : undefined),
  }
  done(step)
  const isDone = await running
  const told = typeof text === 'string' ? text : isDone ? text() : null
  if (!isDone || told === null) forget(step)
  else if (steps.includes(step)) say(told, step)
  return isDone
}

/** Takes the step back, or the latest one. */
export async function undo(step: Step | undefined = steps.at(-1)): Promise<void> {
  if (step === undefined) return say(t('undo.none'))
  forget(step)
  await attempt(() => step.back())
}
