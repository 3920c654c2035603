/** Dates and times in queries, as microseconds. */
import { Refusal } from '../../engine/index.js'

const MOMENT = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d{2}:?\d{2})?$/i

/** Microseconds since 1970 UTC, or null if the text is no ISO 8601 date, or date and time; UTC without an offset. */
export function microsOf(text: string): number | null {
  const found = MOMENT.exec(text.trim())
  if (found === null) return null
  const [, date, time = '00:00', second = '00', fraction = '', offset = 'Z'] = found
  const zone = /^z$/i.test(offset) ? 'Z' : `${offset.slice(0, 3)}:${offset.slice(-2)}`
  const ms = Date.parse(`${date}T${time}:${second}${zone}`)
  return Number.isNaN(ms) ? null : ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6))
}

/** The time in a query parameter. @throws Refusal invalid_body if it is not ISO 8601. */
export function momentOf(
  name: string,
  text: string | undefined,
  where: 'query' | 'body' = 'query',
): number | undefined {
  if (text === undefined) return undefined
  const micros = microsOf(text)
  if (micros !== null && micros >= 0) return micros
  const issue = { loc: [where, name], msg: 'must be a date and time in ISO 8601', type: 'datetime' }
  throw new Refusal('invalid_body', `${name}: must be a date and time in ISO 8601`, { issues: [issue] })
}
