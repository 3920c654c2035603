/** Pages of an operation that lists something, one after the other. */
import { lists, type Lists } from '#client-operations'
import type { Params } from './request.js'

/** Items on a page, where the caller does not say. */
const SIZE = 100

type Fields = Readonly<Record<string, unknown>>

/** The items of a page. */
export function itemsOf(name: keyof Lists, page: unknown): readonly unknown[] {
  return (page as Record<string, readonly unknown[]>)[lists[name].items] ?? []
}

/**
 * Pages from the one in the parameters on. A list with `next` is followed by it; another one is counted. `ask` sends
 * the operation.
 */
export async function* pagesOf(
  name: keyof Lists,
  params: Params,
  ask: (params: Params) => Promise<unknown>,
): AsyncGenerator<unknown, void, void> {
  const { inBody } = lists[name]
  const given = (inBody ? (params.body ?? {}) : params) as Fields
  const size = Number(given.size ?? SIZE)
  let at: Fields = { size }
  for (let number = Number(given.page ?? 0); ; number++) {
    const fields = { ...given, ...at }
    const page = (await ask(inBody ? { ...params, body: fields } : fields)) as Fields
    yield page
    const { next, total_count, total_count_is_exact = true } = page
    if (next !== undefined) {
      if (next === null) return
      at = { size, page: undefined, after: next }
      continue
    }
    const seen = (number + 1) * size
    if (itemsOf(name, page).length < Math.max(1, size) || (total_count_is_exact && seen >= Number(total_count))) return
    at = { size, page: number + 1 }
  }
}
