/**
 * Cron expressions in a time zone: the only file that imports croner (D8). It uses neither a clock nor timers.
 *
 * Owns: which expressions are valid, and the next time of one. Leaves out: timers (schedule.ts), zones
 * (domain/job/time-zone.ts).
 *
 * 1. An expression names times on a wall. croner matches these, as if the wall were in UTC; the zone is applied here.
 * 2. Where the hour is fixed, a time on the wall is one time. When clocks are set forward and skip it, it is when they
 *    are set; several that are skipped are once. When clocks are set back and the wall shows it twice, it is the first.
 * 3. Where the hour is `*`, or `*` with a step, times are as often as the wall shows them: every half hour stays so.
 */
import { Cron } from 'croner'
import { offsetMs, UTC } from '../domain/job/time-zone.js'

/** Five fields, six with seconds in front, or a nickname such as `@daily`. */
const form = /^(@[a-z]+|\S+(\s+\S+){4,5})$/i
/** The wall shows a time twice, or skips it, within so many milliseconds. */
const CHANGE_MS_MAX = 3 * 3_600_000

/** Any time: it tells expressions that match some time from those that never do (30 February). */
const someTime = new Date(Date.UTC(2024, 0, 1))

/** An expression with its latest result in a zone: it matches no time between `fromMicros` and `nextMicros`. */
interface Parsed {
  readonly cron: Cron
  readonly isHourly: boolean
  fromMicros: number
  nextMicros: number
}

/** Parsed expressions by zone and text. Many jobs use the same few, and searching for the next time is slow. */
const parsed = new Map<string, Parsed>()
/** Expressions that are known to be valid. */
const faultless = new Set<string>()
const PARSED_MAX = 1_000

function parse(expression: string, zone: string): Parsed {
  const name = `${zone} ${expression}`
  const known = parsed.get(name)
  if (known !== undefined) return known
  const cron = new Cron(expression, { mode: '5-or-6-parts', timezone: UTC, paused: true })
  const hour = expression.split(/\s+/).at(-4) ?? ''
  const isHourly = hour.startsWith('*') || expression.toLowerCase() === '@hourly'
  const fresh = { cron, isHourly, fromMicros: Infinity, nextMicros: -Infinity }
  if (parsed.size >= PARSED_MAX) parsed.clear()
  parsed.set(name, fresh)
  return fresh
}

function faultOf(expression: string): string | null {
  if (!form.test(expression)) return 'must be a cron expression of five or six fields'
  try {
    return parse(expression, UTC).cron.nextRun(someTime) === null ? 'matches no time' : null
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

/** The first time after `afterMicros` at which the expression is due in a zone; null where there is none. */
export function nextTimeMicros(expression: string, afterMicros: number, zone: string = UTC): number | null {
  const known = parse(expression.trim(), zone)
  if (afterMicros >= known.fromMicros && afterMicros < known.nextMicros) return known.nextMicros
  const next = nextMs(known, Math.floor(afterMicros / 1000), zone)
  if (next === null) return null
  known.fromMicros = afterMicros
  known.nextMicros = next * 1000
  return known.nextMicros
}

function nextMs({ cron, isHourly }: Parsed, afterMs: number, zone: string): number | null {
  let offset = offsetMs(afterMs, zone)
  // Up to where the wall has shown all times, as milliseconds in UTC.
  let wall = afterMs + offset
  const before = offsetMs(afterMs - CHANGE_MS_MAX, zone)
  if (!isHourly && before > offset) {
    // Clocks were set back just now: the wall shows times again that it has shown.
    const shown = firstWithout(before, afterMs - CHANGE_MS_MAX, afterMs, zone) + before
    wall = Math.max(wall, shown - 1)
  }
  for (let from = afterMs; ; ) {
    const due = cron.nextRun(new Date(wall))?.getTime()
    if (due === undefined) return null
    const ms = due - offset
    if (offsetMs(ms, zone) === offset) return ms
    const change = firstWithout(offset, from, ms, zone)
    const after = offsetMs(change, zone)
    const isSkipped = due < change + after
    if (isSkipped && !isHourly) return change
    // Times that are skipped, or that were shown before clocks were set back, are none.
    wall = isHourly || isSkipped ? change + after - 1 : Math.max(change + after, change + offset) - 1
    offset = after
    from = change
  }
}

/** The first second in a span at which the offset is another. At its begin it is `offset`, at its end it is not. */
function firstWithout(offset: number, fromMs: number, toMs: number, zone: string): number {
  let [within, without] = [Math.floor(fromMs / 1_000), Math.ceil(toMs / 1_000)]
  while (without - within > 1) {
    const middle = Math.floor((within + without) / 2)
    if (offsetMs(middle * 1_000, zone) === offset) within = middle
    else without = middle
  }
  return without * 1_000
}
