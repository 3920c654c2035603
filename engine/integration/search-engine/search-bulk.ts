/** Bulk requests to a search engine: one request for many documents, with an outcome for each. */
import type { Outcome } from '../contract.js'
import { HttpFailure, type HttpAnswer } from '../http/http-client.js'
import { outcomeOf } from '../http/http-kind.js'
import { documentIn, reasonOf, type SearchClient } from './search-client.js'

/** The outcomes of `count` events if the request as a whole failed; null if it succeeded. */
export function outcomesOfAll(answer: HttpAnswer, count: number): Outcome[] | null {
  const outcome = outcomeOf(answer)
  if (outcome.outcome === 'delivered') return null
  // If a request with many events is too large or invalid, the cause may be any of them.
  const each: Outcome =
    outcome.outcome === 'refused' && count > 1 ? { outcome: 'failed', reason: outcome.reason, suspect: true } : outcome
  return new Array<Outcome>(count).fill(each)
}

/** Actions on documents, as the lines of a bulk request. */
export interface BulkActions {
  readonly lines: string
  readonly count: number
  /** They may be about several indices: what one index refuses another may take. */
  readonly hasOwnIndex: boolean
}

/** Sends actions. Returns an outcome for each. @throws HttpFailure, HostRefused. */
export async function sendBulk(
  client: SearchClient,
  { lines, count, hasOwnIndex }: BulkActions,
  signal: AbortSignal,
): Promise<Outcome[]> {
  const answer = await client.send({
    path: '/_bulk?filter_path=errors,items.*.status,items.*.error',
    body: lines,
    signal,
  })
  return outcomesOfAll(answer, count) ?? outcomesIn(documentIn(answer), count, hasOwnIndex)
}

function outcomesIn({ errors, items }: Record<string, unknown>, count: number, hasOwnIndex: boolean): Outcome[] {
  if (errors === false) return new Array<Outcome>(count).fill({ outcome: 'delivered' })
  if (!Array.isArray(items) || items.length !== count) throw new HttpFailure('the answer does not cover every document')
  return items.map((item: unknown): Outcome => {
    // { index: ... } or { update: ... }
    const [result] = Object.values((item ?? {}) as Record<string, unknown>)
    const { status, error } = (result ?? {}) as { status?: number; error?: unknown }
    if (status !== undefined && status >= 200 && status < 300) return { outcome: 'delivered' }
    const reason = `${status ?? 'no status'}: ${reasonOf(error)}`
    // A block passes: the disk of the engine is full, say.
    if (status === 429 || status === 503 || typeOf(error) === 'cluster_block_exception')
      return { outcome: 'failed', reason, suspect: false }
    // The index is closed to us, or is not there.
    if (status === 401 || status === 403 || typeOf(error) === 'index_not_found_exception')
      return hasOwnIndex
        ? { outcome: 'failed', reason, suspect: true }
        : { outcome: 'failed', reason, suspect: false, lasting: status === 401 ? 'for_good' : 'set_up' }
    // 409: another client writes the same document.
    const isPermanent = status !== undefined && status >= 400 && status < 500 && status !== 409
    return isPermanent ? { outcome: 'refused', reason } : { outcome: 'failed', reason, suspect: true }
  })
}

function typeOf(error: unknown): unknown {
  return (error as { readonly type?: unknown } | null | undefined)?.type
}
