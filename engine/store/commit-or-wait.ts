/** A commit of what may wait: figures and notes that are written again later, whole. */
import { isRefusal } from '../errors.js'
import type { Environment, WriteBatch } from './environment.js'

/** False where the store takes nothing now, as on a full disk: nothing has changed, and a later commit may succeed. */
export function commitOrWait(environment: Pick<Environment, 'commit'>, batch: WriteBatch): boolean {
  try {
    environment.commit(batch)
    return true
  } catch (error) {
    if (!isRefusal(error)) throw error
    return false
  }
}
