/**
 * What is requested before the page that shows it is there: by the first address, or by a key that leads to a view.
 *
 * 1. An answer is used once, and soon: a later one is requested anew.
 * 2. One that failed is forgotten. The page asks again, and shows what is wrong.
 */

const FRESH_MS = 5_000

interface Early {
  readonly answer: Promise<unknown>
  readonly controller: AbortController
  readonly atMs: number
}

const sent = new Map<string, Early>()

/** Asks now; whoever needs the same takes the answer. */
export function askEarly(key: string, ask: (signal: AbortSignal) => Promise<unknown>): void {
  const controller = new AbortController()
  const one: Early = { answer: ask(controller.signal), controller, atMs: performance.now() }
  sent.set(key, one)
  one.answer.catch(() => {
    if (sent.get(key) === one) sent.delete(key)
  })
}

/** What was requested early, or what `ask` answers. */
export function early<T>(key: string, signal: AbortSignal, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const one = sent.get(key)
  sent.delete(key)
  if (one === undefined || performance.now() - one.atMs > FRESH_MS) return ask(signal)
  signal.addEventListener('abort', () => one.controller.abort(), { once: true })
  return one.answer as Promise<T>
}
