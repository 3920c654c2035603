/**
 * Collects the garbage of the calling thread. V8 does so by itself when a thread has been idle for some seconds, but
 * not in one that sleeps on a shared counter: its event loop stands still.
 *
 * 1. What lives is moved together. Else it lies spread over as many pages as there once were, and none of them can be
 *    given back.
 * 2. A thread that has made little since the last time goes without: a service with an event now and then would be
 *    collecting all the time.
 * 3. The room for young objects goes back, too. V8 gives it back where it collects as a last resort, for which nobody
 *    can ask in Node.js 20. There it goes back in a full collection of a thread that makes little, and V8 judges by the
 *    latest ten collections: under 1 kB a millisecond between them.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes that a thread may have made since the last time. */
const WORTHWHILE = 1024 * 1024

/**
 * Collections until those that V8 judges by, ten, show nothing made: the first ones move what lives to the old objects,
 * which counts. And the time between two of them.
 */
const COLLECTIONS = 14
const PAUSE_MS = 1
const pause = new Int32Array(new SharedArrayBuffer(4))

/** With options, V8 in Node.js 20 collects young objects only. */
type Collect = (options?: { readonly type: 'minor' | 'major'; readonly flavor?: 'last-resort' }) => void

const knowsLastResort = Number.parseInt(process.versions.v8, 10) >= 12

let collect: Collect | null = null
let left = 0

function bytesNow(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics()
  return heap + external
}

function collector(): Collect {
  if (collect !== null) return collect
  setFlagsFromString('--expose-gc')
  return (collect = runInNewContext('gc') as Collect)
}

/** Collects all garbage. */
export function collectGarbage(): void {
  setFlagsFromString('--compact-on-every-full-gc')
  try {
    if (knowsLastResort) collector()({ type: 'major', flavor: 'last-resort' })
    else collector()()
  } finally {
    setFlagsFromString('--no-compact-on-every-full-gc')
  }
  left = bytesNow()
}

/** Makes V8 take the thread for one that makes little (3). */
function showIdle(): void {
  const young = { type: 'minor' } as const
  for (let i = 0; i < COLLECTIONS; i++) {
    collector()(young)
    Atomics.wait(pause, 0, 0, PAUSE_MS)
  }
}

/** Collects it where there may be some, and gives back the room for young objects (3). Takes some 20 ms. */
export function collectAtRest(): void {
  if (bytesNow() - left < WORTHWHILE) return
  if (!knowsLastResort) showIdle()
  collectGarbage()
}
