/**
 * Working hours: when people are there, as a text that people write, in a zone.
 *
 *     mon-thu 08:00-17:30, fri 08:00-15:00, not 2026-12-24
 *
 * Owns: reading the text, and arithmetic with working time. Leaves out: what is counted in it (deadlines, watchdogs).
 *
 * 1. A span that ends at or before its begin ends on the next day: `mon-fri 22:00-06:00`.
 * 2. The zone decides, so a change of the clock shortens or lengthens a night, and no working day moves.
 * 3. A day that is left out has no span that begins on it.
 */
import { dayText, firstInstantOf, instantsOf, timeZoneOf, wallTimeOf, type WallTime } from './time-zone.js'

const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
const DAY_MINUTES = 1_440
const DAY_MS = 86_400_000
/** Spans and days left out of one text. */
const PARTS_MAX = 400
/** How far ahead a deadline is looked for, days. */
const DAYS_MAX = 3_660

/** A span of each week: minutes since the begin of its day. */
interface Span {
  readonly weekday: number
  readonly from: number
  /** More than a day where it ends on the next one. */
  readonly until: number
}

export interface WorkingHours {
  readonly spans: readonly Span[]
  /** `2026-12-24`. */
  readonly without: ReadonlySet<string>
  readonly zone: string
}

const EXAMPLE = 'such as "mon-fri 08:00-18:00, not 2026-12-24"'

/** Why a text names no working hours, or null. */
export function workingHoursFault(text: string): string | null {
  const read = readHours(text)
  return typeof read === 'string' ? read : null
}

/** The working hours that a text names; null for an empty text, or one that names none. */
export function workingHoursOf(text: string, zone: string): WorkingHours | null {
  if (text.trim() === '') return null
  const read = readHours(text)
  return typeof read === 'string' ? null : { ...read, zone }
}

function readHours(text: string): Omit<WorkingHours, 'zone'> | string {
  const parts = text
    .split(/[,;\n]/)
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== '')
  if (parts.length > PARTS_MAX) return `must have at most ${PARTS_MAX} parts`
  const spans: Span[] = []
  const without = new Set<string>()
  for (const part of parts) {
    const left = /^not (\d{4}-\d\d-\d\d)$/.exec(part)?.[1]
    if (left !== undefined) {
      if (!isDay(left)) return `has a day that does not exist: ${left}`
      without.add(left)
      continue
    }
    const read = spansIn(part)
    if (typeof read === 'string') return read
    spans.push(...read)
  }
  return spans.length === 0 ? `must have at least one span, ${EXAMPLE}` : { spans, without }
}

function isDay(text: string): boolean {
  const ms = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}

function spansIn(part: string): Span[] | string {
  const match = /^([a-z]+)(?:\s*-\s*([a-z]+))?\s+(\d\d?):(\d\d)\s*-\s*(\d\d?):(\d\d)$/.exec(part)
  if (match === null) return `must be spans of days and times, ${EXAMPLE}`
  const [, first = '', last = first, h1, m1, h2, m2] = match
  const [begin, end] = [dayOf(first), dayOf(last)]
  if (begin < 0 || end < 0) return `has an unknown day: ${begin < 0 ? first : last}`
  const [from, to] = [Number(h1) * 60 + Number(m1), Number(h2) * 60 + Number(m2)]
  if (Number(m1) > 59 || Number(m2) > 59 || from >= DAY_MINUTES || to > DAY_MINUTES)
    return `has a time that does not exist: ${part}`
  const until = to > from ? to : to + DAY_MINUTES
  const count = ((end - begin + 7) % 7) + 1
  return Array.from({ length: count }, (_, at) => ({ weekday: (begin + at) % 7, from, until }))
}

/** The number of a day by its English name or the first three letters; -1 for none. */
function dayOf(name: string): number {
  const full = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
  return dayNames.findIndex((short, at) => name === short || name === full[at])
}

/** The spans that end after an instant, in the order of their begins, for at most DAYS_MAX days. Milliseconds. */
function* spansAfter({ spans, without, zone }: WorkingHours, ms: number): Iterable<readonly [number, number]> {
  const wall = wallTimeOf(ms, zone)
  const noon = Date.UTC(wall.year, wall.month - 1, wall.day, 12)
  for (let day = -1; day <= DAYS_MAX; day++) {
    const date = new Date(noon + day * DAY_MS)
    const of: WallTime = {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: 0,
      minute: 0,
      second: 0,
    }
    if (without.has(dayText(of))) continue
    const own = spans.filter(({ weekday }) => weekday === date.getUTCDay()).sort((a, b) => a.from - b.from)
    for (const { from, until } of own) {
      const begin = firstInstantOf({ ...of, minute: from }, zone)
      const end = instantsOf({ ...of, minute: until }, zone).at(-1) ?? firstInstantOf({ ...of, minute: until }, zone)
      if (end > ms) yield [begin, end]
    }
  }
}

/** The spans after an instant, without overlaps. */
function* mergedAfter(hours: WorkingHours, ms: number): Iterable<readonly [number, number]> {
  let through = ms
  for (const [begin, end] of spansAfter(hours, ms)) {
    if (end <= through) continue
    yield [Math.max(begin, through), end]
    through = end
  }
}

/** Whether an instant is in working hours. Milliseconds since 1970. */
export function isWorking(hours: WorkingHours, ms: number): boolean {
  for (const [begin] of mergedAfter(hours, ms)) return begin <= ms
  return false
}

/** The working time between two instants, milliseconds. */
export function workingMsBetween(hours: WorkingHours, fromMs: number, untilMs: number): number {
  let sum = 0
  for (const [begin, end] of mergedAfter(hours, fromMs)) {
    if (begin >= untilMs) break
    sum += Math.min(end, untilMs) - begin
  }
  return sum
}

/** When so much working time has passed since an instant. Without a time in DAYS_MAX days: after these. */
export function afterWorkingMs(hours: WorkingHours, fromMs: number, workingMs: number): number {
  let left = workingMs
  for (const [begin, end] of mergedAfter(hours, fromMs)) {
    if (end - begin >= left) return begin + left
    left -= end - begin
  }
  return fromMs + DAYS_MAX * DAY_MS
}

/** When people are there, as the service is set up: a zone, and working hours or ''. */
export interface PeopleHours {
  readonly timeZone: string
  readonly workingHours: string
}

/** The working hours of a job as texts: its own (advanced_settings), or those of the service. */
export function peopleHoursOf(advancedSettings: Readonly<Record<string, unknown>>, service: PeopleHours): PeopleHours {
  const own = advancedSettings.working_hours
  return {
    timeZone: timeZoneOf(advancedSettings, service.timeZone),
    workingHours: typeof own === 'string' && own.trim() !== '' ? own : service.workingHours,
  }
}

/** Three working days of average length, in whole hours: what people mean by 72 hours. */
export function threeWorkingDaysHours({ spans }: WorkingHours): number {
  const days = new Set(spans.map(({ weekday }) => weekday)).size
  const minutes = spans.reduce((sum, { from, until }) => sum + until - from, 0)
  return Math.max(1, Math.round((3 * minutes) / days / 60))
}
