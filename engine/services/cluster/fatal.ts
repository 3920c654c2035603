/** Which failures end a node: those that come again however often it begins. */
import { isRefusal } from '../../errors.js'
import { LogGap, LogPurged, LogUnavailable } from '../../runtime/log/turn-log.js'

/** True where trying again cannot help. */
export function isFatal(error: unknown): boolean {
  if (error instanceof LogUnavailable) return false
  if (isRefusal(error)) return !error.retryable && error.code !== 'data_dir_in_use'
  // What was purged is restored from a snapshot.
  if (error instanceof LogGap) return !(error instanceof LogPurged)
  return /has format/.test((error as Error).message)
}
