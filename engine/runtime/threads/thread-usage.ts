/** The processor time and the memory of threads. What the kernel counts is not known without /proc (not Linux). */
import { readFileSync, readlinkSync } from 'node:fs'
import { getHeapStatistics } from 'node:v8'

/** What a thread reads about itself. */
export interface ThreadUsage {
  /** The kernel's id of the thread, or null. */
  readonly tid: number | null
  /** Bytes of its heap, and of what the heap holds outside of it. */
  readonly heapBytes: number
  readonly externalBytes: number
}

/** Milliseconds of one tick in /proc: USER_HZ is 100 on every Linux that Node.js runs on. */
const TICK_MS = 10
/** Places of the fields after the name, which may contain anything but ends with the last parenthesis. */
const [USER_AT, SYSTEM_AT] = [11, 12]

/** The usage of the calling thread. */
export function readThreadUsage(): ThreadUsage {
  const { used_heap_size: heapBytes, external_memory: externalBytes } = getHeapStatistics()
  return { tid: ownTid(), heapBytes, externalBytes }
}

/** Milliseconds that a thread of this process has run, or null. */
export function threadMs(tid: number): number | null {
  try {
    const stat = readFileSync(`/proc/self/task/${tid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[USER_AT]) + Number(fields[SYSTEM_AT])) * TICK_MS
  } catch {
    return null
  }
}

function ownTid(): number | null {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  } catch {
    return null
  }
}
