/**
 * What occasional threads tell of their memory. They cannot be asked: while a task runs, they answer nothing.
 *
 * Owns: the message, and how often a thread sends it. Leaves out: who adds the figures up (threads.ts).
 */
import { parentPort, threadId } from 'node:worker_threads'
import { readThreadUsage } from './thread-usage.js'

/** What a thread sends. */
export interface MemoryReport {
  readonly thread: number
  readonly memoryBytes: number
}

export function isMemoryReport(message: unknown): message is MemoryReport {
  return typeof message === 'object' && message !== null && 'memoryBytes' in message && 'thread' in message
}

/** Milliseconds between two reports. */
const EVERY_MS = 1_000

let reportedMs = Number.NEGATIVE_INFINITY

/** Reports the memory of the calling thread, if the last report is old enough. Does nothing on the main thread. */
export function reportMemory(): void {
  const nowMs = performance.now()
  if (parentPort === null || nowMs - reportedMs < EVERY_MS) return
  reportedMs = nowMs
  const { heapBytes, externalBytes } = readThreadUsage()
  parentPort.postMessage({ thread: threadId, memoryBytes: heapBytes + externalBytes } satisfies MemoryReport)
}
