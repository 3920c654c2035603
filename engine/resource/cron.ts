/** Cron expressions in UTC: the only file that imports croner (D8). It uses neither a clock nor timers. */
import { Cron } from 'croner'

/** Five fields, six with seconds in front, or a nickname such as `@daily`. */
const form = /^(@[a-z]+|\S+(\s+\S+){4,5})$/i

/** Any time: it tells expressions that match some time from those that never do (30 February). */
const someTime = new Date(Date.UTC(2024, 0, 1))

/** An expression with its latest result: it matches no time between `fromMicros` and `nextMicros`. */
interface Parsed {
  readonly cron: Cron
  fromMicros: number
  nextMicros: number
}

/** Parsed expressions. Many jobs use the same few, and searching for the next time is slow. */
const parsed = new Map<string, Parsed>()
/** Expressions that are known to be valid. */
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
    return parse(expression).cron.nextRun(someTime) === null ? 'matches no time' : null
  } catch {
    return 'is not a valid cron expression'
  }
}

/** Why the text is not a usable cron expression, or null. */
export function cronFault(expression: string): string | null {
  const trimmed = expression.trim()
  if (faultless.has(trimmed)) return null
  const fault = faultOf(trimmed)
  if (faultless.size >= PARSED_MAX) faultless.clear()
  if (fault === null) faultless.add(trimmed)
  return fault
}

/** The first time after `afterMicros` that the expression matches, in microseconds; null where there is none. */
export function nextTimeMicros(expression: string, afterMicros: number): number | null {
  const known = parse(expression.trim())
  if (afterMicros >= known.fromMicros && afterMicros < known.nextMicros) return known.nextMicros
  const next = known.cron.nextRun(new Date(Math.floor(afterMicros / 1000)))
  if (next === null) return null
  known.fromMicros = afterMicros
  known.nextMicros = next.getTime() * 1000
  return known.nextMicros
}
