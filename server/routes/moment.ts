/** A moment as clients write it in a query, in the engine's microseconds. */
import { Refusal } from '../../engine/index.js'

const MOMENT = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d{2}:?\d{2})?$/i

/** Microseconds since 1970 UTC of an ISO 8601 text, or null: a date, or a date and a time, UTC where no offset is given. */
export function microsOf(text: string): number | null {
  const found = MOMENT.exec(text.trim())
  if (found === null) return null
  const [, date, time = '00:00', second = '00', fraction = '', offset = 'Z'] = found
  const zone = /^z$/i.test(offset) ? 'Z' : `${offset.slice(0, 3)}:${offset.slice(-2)}`
  const ms = Date.parse(`${date}T${time}:${second}${zone}`)
  return Number.isNaN(ms) ? null : ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6))
}

/** The moment in a parameter of the query. @throws Refusal invalid_body for a text that is none. */
export function momentOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const micros = microsOf(text)
  if (micros !== null && micros >= 0) return micros
  const issue = { loc: ['query', name], msg: 'must be a date and time in ISO 8601', type: 'datetime' }
  throw new Refusal('invalid_body', `${name}: must be a date and time in ISO 8601`, { issues: [issue] })
}
