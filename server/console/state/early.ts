/**
 * What is requested before the page that shows it is there: by the first address, or by a key that leads to a view.
 *
 * 1. An answer is used once, and soon: a later one is requested anew.
 * 2. One that failed is forgotten. The page asks again, and shows what is wrong.
 */

import type { FirstAnswer } from '../first-requests.js'

const FRESH_MS = 5_000

interface Early {
  readonly answer: Promise<unknown>
  readonly controller: AbortController
  readonly atMs: number
}

const sent = new Map<string, Early>()

function keep(key: string, answer: Promise<unknown>, controller: AbortController): void {
  const one: Early = { answer, controller, atMs: performance.now() }
  sent.set(key, one)
  answer.catch(() => {
    if (sent.get(key) === one) sent.delete(key)
  })
}

function isFresh(one: Early | undefined): one is Early {
  return one !== undefined && performance.now() - one.atMs <= FRESH_MS
}

/** Asks now, unless that has been done; whoever needs the same takes the answer. */
export function askEarly(key: string, ask: (signal: AbortSignal) => Promise<unknown>): void {
  if (isFresh(sent.get(key))) return
  const controller = new AbortController()
  keep(key, ask(controller.signal), controller)
}

/** What was requested early, or what `ask` answers. */
export function early<T>(key: string, signal: AbortSignal, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const one = sent.get(key)
  sent.delete(key)
  if (!isFresh(one)) return ask(signal)
  signal.addEventListener('abort', () => one.controller.abort(), { once: true })
  // What failed before it was taken is forgotten already; this one failed on its way.
  return (one.answer as Promise<T>).catch((error: unknown) => {
    if (signal.aborted) throw error
    return ask(signal)
  })
}

/** What the first script of the page has asked (first.ts). */
const page = globalThis as { firstAnswer?: FirstAnswer | null }
const { firstAnswer } = page
if (firstAnswer == null) page.firstAnswer = null
else keep(firstAnswer.key, firstAnswer.answer, new AbortController())
