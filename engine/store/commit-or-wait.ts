/** A commit that may fail: of figures and notes that are written again later in full. */
import { isRefusal } from '../errors.js'
import type { Environment, WriteBatch } from './environment.js'

/** False if the store refused the commit, for example on a full disk. Nothing has changed; a later one may succeed. */
export function commitOrWait(environment: Pick<Environment, 'commit'>, batch: WriteBatch): boolean {
  try {
    environment.commit(batch)
    return true
  } catch (error) {
    if (!isRefusal(error)) throw error
    return false
  }
}
