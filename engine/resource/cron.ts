/** Cron expressions, in UTC: the one home of croner (D8). Knows no clock; asks nothing of timers. */
import { Cron } from 'croner'

/** Five or six fields (the sixth is seconds, in front), or a nickname such as `@daily`. */
const form = /^(@[a-z]+|\S+(\s+\S+){4,5})$/i

/** Only to tell an expression that comes again from one that never does (30 February). */
const someTime = new Date(Date.UTC(2024, 0, 1))

/** An expression, and its last answer: between `fromMicros` and `nextMicros` there is no other time. */
interface Parsed {
  readonly cron: Cron
  fromMicros: number
  nextMicros: number
}

/** Parsed expressions; the same few are used by many jobs, and to look for the next time takes a while. */
const parsed = new Map<string, Parsed>()
/** Expressions that were found to be without fault. */
const faultless = new Set<string>()
const PARSED_MAX = 1_000

function parse(expression: string): Parsed {
  const known = parsed.get(expression)
  if (known !== undefined) return known
  const cron = new Cron(expression, { mode: '5-or-6-parts', timezone: 'UTC', paused: true })
  const fresh = { cron, fromMicros: Infinity, nextMicros: -Infinity }
  if (parsed.size >= PARSED_MAX) parsed.clear()
  parsed.set(expression, fresh)
  return fresh
}

function faultOf(expression: string): string | null {
  if (!form.test(expression)) return 'must be a cron expression of five or six fields'
  try {
    return parse(expression).cron.nextRun(someTime) === null ? 'never comes' : null
  } catch {
    return 'is not a valid cron expression'
  }
}

/** Why the text is no cron expression, or null. */
export function cronFault(expression: string): string | null {
  const trimmed = expression.trim()
  if (faultless.has(trimmed)) return null
  const fault = faultOf(trimmed)
  if (faultless.size >= PARSED_MAX) faultless.clear()
  if (fault === null) faultless.add(trimmed)
  return fault
}

/** The first time after `afterMicros` that the expression names, in microseconds, or null where none comes. */
export function nextTimeMicros(expression: string, afterMicros: number): number | null {
  const known = parse(expression.trim())
  if (afterMicros >= known.fromMicros && afterMicros < known.nextMicros) return known.nextMicros
  const next = known.cron.nextRun(new Date(Math.floor(afterMicros / 1000)))
  if (next === null) return null
  known.fromMicros = afterMicros
  known.nextMicros = next.getTime() * 1000
  return known.nextMicros
}
