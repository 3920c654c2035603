/**
 * Collects the garbage of the calling thread. V8 does so by itself when a thread has been idle for some seconds, but
 * not in one that sleeps on a shared counter: its event loop stands still.
 *
 * 1. What lives is moved together. Else it lies spread over as many pages as there once were, and none of them can be
 *    given back.
 * 2. A thread that has made little since the last time goes without: a service with an event now and then would be
 *    collecting all the time.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes that a thread may have made since the last time. */
const WORTHWHILE = 1024 * 1024

let collect: (() => void) | null = null
let left = 0

function bytesNow(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics()
  return heap + external
}

/** Collects all garbage. */
export function collectGarbage(): void {
  if (collect === null) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  setFlagsFromString('--compact-on-every-full-gc')
  try {
    // With options it collects young objects only (Node.js 20).
    collect()
  } finally {
    setFlagsFromString('--no-compact-on-every-full-gc')
  }
  left = bytesNow()
}

/** Collects it where there may be some. */
export function collectAtRest(): void {
  if (bytesNow() - left >= WORTHWHILE) collectGarbage()
}
