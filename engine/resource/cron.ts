/** Cron expressions, in UTC: the one home of croner (design D8). Knows no clock; asks nothing of timers. */
import { Cron } from 'croner'

/** Five or six fields (the sixth is seconds, in front), or a nickname such as `@daily`. */
const form = /^(@[a-z]+|\S+(\s+\S+){4,5})$/i

/** Only to tell an expression that comes again from one that never does (30 February). */
const someTime = new Date(Date.UTC(2024, 0, 1))

/** Parsed expressions; the same few are used by many jobs. */
const parsed = new Map<string, Cron>()
const PARSED_MAX = 1_000

function parse(expression: string): Cron {
  const known = parsed.get(expression)
  if (known !== undefined) return known
  const cron = new Cron(expression, { mode: '5-or-6-parts', timezone: 'UTC', paused: true })
  if (parsed.size >= PARSED_MAX) parsed.clear()
  parsed.set(expression, cron)
  return cron
}

/** Why the text is no cron expression, or null. */
export function cronFault(expression: string): string | null {
  if (!form.test(expression.trim())) return 'must be a cron expression of five or six fields'
  try {
    return parse(expression.trim()).nextRun(someTime) === null ? 'never comes' : null
  } catch {
    return 'is not a valid cron expression'
  }
}

/** The first time after `afterMicros` that the expression names, in microseconds, or null where none comes. */
export function nextTimeMicros(expression: string, afterMicros: number): number | null {
  const next = parse(expression.trim()).nextRun(new Date(Math.floor(afterMicros / 1000)))
  return next === null ? null : next.getTime() * 1000
}
