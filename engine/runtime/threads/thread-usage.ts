/** What a thread says of itself when it is looked at. */
import { readlinkSync } from 'node:fs'
import { getHeapStatistics } from 'node:v8'

export interface ThreadUsage {
  /** As the kernel names it; null where it does not say (not Linux). */
  readonly tid: number | null
  /** Bytes of its heap, and of what that holds outside of itself. */
  readonly heapBytes: number
  readonly externalBytes: number
}

/** The thread that calls. */
export function readThreadUsage(): ThreadUsage {
  const { used_heap_size: heapBytes, external_memory: externalBytes } = getHeapStatistics()
  return { tid: ownTid(), heapBytes, externalBytes }
}

function ownTid(): number | null {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  } catch {
    return null
  }
}
