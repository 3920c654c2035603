/**
 * Clean answers count in the order of their audits, not in the order in which people give them.
 *
 * Who answers what is easy first, and leaves what is to be escalated for later, would open a gate on a sample of easy
 * events. So a clean answer waits while an audit that is due in an earlier hour is not answered. Within one hour the
 * order is not known: an hour of audits is the most that can count too early. Failures never wait: to count them early
 * only makes a bound larger. After its deadline an audit fails, so nothing waits for longer.
 *
 * 1. The hours kept are those that a deadline may still lie in. Before them nothing is pending, so nothing waits.
 */

/** Audits of a gate whose deadlines are in one hour, and which were drawn in one week. */
export interface DueHour {
  /** Hours since 1970. */
  readonly hour: number
  /** The week of the gate in which they were drawn. */
  readonly week: number
  /** Answered with a label that is not protected, and counted. */
  readonly clean: number
  /** Not answered, and not late. */
  readonly pending: number
}

const HOUR_MICROS = 3_600_000_000

export function dueHour(micros: number): number {
  return Math.floor(micros / HOUR_MICROS)
}

/** A deadline counts as passed when it is looked at (bounds.ts): an hour more is time enough. */
function firstHour(nowMicros: number): number {
  return dueHour(nowMicros) - 1
}

/** The hours with audits added, or taken away with counts below 0, as of `nowMicros` (1). */
export function withDue(hours: readonly DueHour[], added: DueHour | null, nowMicros: number): readonly DueHour[] {
  const first = firstHour(nowMicros)
  const isOld = hours[0] !== undefined && hours[0].hour < first
  if (added === null || added.hour < first) return isOld ? hours.filter(({ hour }) => hour >= first) : hours
  const last = hours.at(-1)
  if (last !== undefined && !isOld && added.pending > 0 && last.hour === added.hour && last.week === added.week) {
    // Nearly every new audit is due in the latest hour.
    const next = hours.slice()
    next[next.length - 1] = { ...last, clean: last.clean + added.clean, pending: last.pending + added.pending }
    return next
  }
  const isSame = ({ hour, week }: DueHour): boolean => hour === added.hour && week === added.week
  const before = hours.find(isSame)
  const clean = (before?.clean ?? 0) + added.clean
  const pending = (before?.pending ?? 0) + added.pending
  const next = hours.filter((each) => each.hour >= first && !isSame(each))
  if (clean !== 0 || pending !== 0) next.push({ hour: added.hour, week: added.week, clean, pending })
  return next.sort((a, b) => a.hour - b.hour || a.week - b.week)
}

/** Clean answers that wait, of audits that were drawn in a week of the gate from `firstWeek` on. */
export function waitingOf(hours: readonly DueHour[], firstWeek: number): number {
  let held = Infinity
  for (const { hour, pending } of hours) if (pending > 0 && hour < held) held = hour
  let waiting = 0
  for (const { hour, week, clean } of hours) if (hour > held && week >= firstWeek) waiting += Math.max(0, clean)
  return waiting
}
