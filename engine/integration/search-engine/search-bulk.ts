/** Bulk requests to a search engine: one request for many documents, a fate for each of them. */
import type { Fate } from '../contract.js'
import { HttpFailure, type HttpAnswer } from '../http/http-client.js'
import { fateOf } from '../http/http-kind.js'
import { documentIn, reasonOf, type SearchClient } from './search-client.js'

/** What an answer that is not good means for each of `count` events; null for a good one. */
export function fatesOfAll(answer: HttpAnswer, count: number): Fate[] | null {
  const fate = fateOf(answer)
  if (fate.fate === 'delivered') return null
  // A request that is too large, or not understood, says nothing about any one of many events.
  const each: Fate =
    fate.fate === 'refused' && count > 1 ? { fate: 'failed', reason: fate.reason, suspect: true } : fate
  return new Array<Fate>(count).fill(each)
}

/** Sends the lines of `count` actions; a fate for each. @throws HttpFailure, HostRefused. */
export async function sendBulk(
  client: SearchClient,
  lines: string,
  count: number,
  signal: AbortSignal,
): Promise<Fate[]> {
  const answer = await client.send('POST', '/_bulk?filter_path=errors,items.*.status,items.*.error', lines, signal)
  return fatesOfAll(answer, count) ?? fatesIn(documentIn(answer), count)
}

function fatesIn({ errors, items }: Record<string, unknown>, count: number): Fate[] {
  if (errors === false) return new Array<Fate>(count).fill({ fate: 'delivered' })
  if (!Array.isArray(items) || items.length !== count)
    throw new HttpFailure('an answer that does not tell of every document')
  return items.map((item: unknown): Fate => {
    // { index: ... } or { update: ... }
    const [told] = Object.values((item ?? {}) as Record<string, unknown>)
    const { status, error } = (told ?? {}) as { status?: number; error?: unknown }
    if (status !== undefined && status >= 200 && status < 300) return { fate: 'delivered' }
    const reason = `${status ?? 'no status'}: ${reasonOf(error)}`
    if (status === 429 || status === 503) return { fate: 'failed', reason, suspect: false }
    // 409: somebody else writes the same document.
    const isForGood = status !== undefined && status >= 400 && status < 500 && status !== 409
    return isForGood ? { fate: 'refused', reason } : { fate: 'failed', reason, suspect: true }
  })
}
