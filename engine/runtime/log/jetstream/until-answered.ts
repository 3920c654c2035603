/** Waiting for servers that are choosing a new leader. */
import { LogUnavailable } from '../turn-log.js'
import { UnfitForLog } from './cluster-check.js'

/** Milliseconds between two tries. */
export const RETRY_MS = 50

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

export function unavailable(error: unknown): LogUnavailable {
  return new LogUnavailable(`the NATS servers do not answer: ${(error as Error).message}`)
}

/** Does the work, again and again until it succeeds. Rejects with LogUnavailable after `limitMs`. */
export async function untilAnswered<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
  for (const end = performance.now() + limitMs; ; ) {
    try {
      return await work()
    } catch (error) {
      if (error instanceof UnfitForLog) throw error
      if (performance.now() > end) throw unavailable(error)
      await pause(RETRY_MS)
    }
  }
}
