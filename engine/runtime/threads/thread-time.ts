/** The processor time of threads, as the kernel counts it. Where there is no /proc (not Linux), it is not known. */
import { readFileSync } from 'node:fs'

/** Milliseconds of one tick of the kernel's clock as /proc tells it: USER_HZ is 100 on every Linux that Node runs on. */
const TICK_MS = 10
/** Places behind the name, which may hold anything but ends with the last parenthesis. */
const [USER_AT, SYSTEM_AT] = [11, 12]

/** Milliseconds that a thread of this process has run, or null. */
export function threadMs(tid: number): number | null {
  try {
    const stat = readFileSync(`/proc/self/task/${tid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[USER_AT]) + Number(fields[SYSTEM_AT])) * TICK_MS
  } catch {
    return null
  }
}
