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

/** Sends the lines of `count` actions. Returns an outcome for each. @throws HttpFailure, HostRefused. */
export async function sendBulk(
  client: SearchClient,
  lines: string,
  count: number,
  signal: AbortSignal,
): Promise<Outcome[]> {
  const answer = await client.send({
    path: '/_bulk?filter_path=errors,items.*.status,items.*.error',
    body: lines,
    signal,
  })
  return outcomesOfAll(answer, count) ?? outcomesIn(documentIn(answer), count)
}

function outcomesIn({ errors, items }: Record<string, unknown>, count: number): Outcome[] {
  if (errors === false) return new Array<Outcome>(count).fill({ outcome: 'delivered' })
  if (!Array.isArray(items) || items.length !== count) throw new HttpFailure('the answer does not cover every document')
  return items.map((item: unknown): Outcome => {
    // { index: ... } or { update: ... }
    const [result] = Object.values((item ?? {}) as Record<string, unknown>)
    const { status, error } = (result ?? {}) as { status?: number; error?: unknown }
    if (status !== undefined && status >= 200 && status < 300) return { outcome: 'delivered' }
    const reason = `${status ?? 'no status'}: ${reasonOf(error)}`
    if (status === 429 || status === 503) return { outcome: 'failed', reason, suspect: false }
    // 409: another client writes the same document.
    const isPermanent = status !== undefined && status >= 400 && status < 500 && status !== 409
    return isPermanent ? { outcome: 'refused', reason } : { outcome: 'failed', reason, suspect: true }
  })
}
