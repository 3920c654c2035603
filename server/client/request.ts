/** From the parameters of an operation to a request. */
import { ServiceError } from './errors.js'
import type { Outgoing } from './transport.js'

/** Path, query and body of a call, by name. */
export type Params = Readonly<Record<string, unknown>>

/** A row of the table of operations: method, path, what the answer is, and whether a POST may be repeated. */
const ROW = /^(\w+) (\S+) ?([tb]?)(!?)$/

export interface Described extends Outgoing {
  /** `t`: text, `b`: bytes, else JSON. */
  readonly answer: string
}

/** @throws ServiceError invalid_parameter if a part of the path is missing or ill-formed, or leads elsewhere. */
export function requestOf(operation: string, row: string, { body, ...params }: Params): Described {
  const [, method, template, answer, mark] = ROW.exec(row) as unknown as [string, string, string, string, string]
  const query = new URLSearchParams()
  const names = new Set<string>()
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    names.add(name)
    const text = String(params[name] ?? '')
    if (text === '' || text === '.' || text === '..' || !text.isWellFormed())
      throw new ServiceError(`${operation}: ${name} is missing, or cannot be part of an address`, {
        code: 'invalid_parameter',
      })
    return encodeURIComponent(text)
  })
  for (const [name, value] of Object.entries(params)) {
    if (names.has(name)) continue
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) query.append(name, one instanceof Date ? one.toISOString() : String(one))
    }
  }
  return {
    operation,
    method,
    path: query.size === 0 ? path : `${path}?${query}`,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    isRepeatable: method !== 'POST' || mark !== '',
    answer,
  }
}
