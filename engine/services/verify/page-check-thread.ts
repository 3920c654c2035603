/**
 * The entry of the thread that checks pages while the service runs; it exists only as long as it has some to check.
 *
 * 1. It rests longer than it works: a disk knows no priorities.
 */
import { existsSync } from 'node:fs'
import { LiveWalk, type LiveDamage } from '../../store/pages/live-walk.js'

export interface PageCheckTask {
  readonly paths: readonly string[]
  /** One number: not 0 where it is to end. */
  readonly end: SharedArrayBuffer
}

/** The first damage, with the place of its file in `paths`; null: there is none, or it was to end. */
export type PageCheckResult = (LiveDamage & { readonly file: number }) | null

const WORK_MS = 5
const REST_MS = 15
/** How often damage has to be read, and the pause between. */
const DAMAGED_TIMES = 4
const AGAIN_MS = 50

export default function checkPages({ paths, end: memory }: PageCheckTask): PageCheckResult {
  const end = new Int32Array(memory)
  const rest = (ms: number): boolean => Atomics.wait(end, 0, 0, ms) === 'timed-out'
  for (const [file, path] of paths.entries()) {
    if (!existsSync(path)) continue
    const damage = firstLiveDamage(new LiveWalk(path), rest)
    if (damage === 'ended') return null
    if (damage !== null) return { ...damage, file }
  }
  return null
}

/** `rest`: waits so many milliseconds; false where the check is to end. */
export function firstLiveDamage(
  walk: Pick<LiveWalk, 'step'>,
  rest: (ms: number) => boolean,
): LiveDamage | 'ended' | null {
  let [damaged, begun] = [0, performance.now()]
  for (;;) {
    const found = walk.step()
    if (found === 'end') return null
    if (found === 'checked') damaged = 0
    if (typeof found === 'object' && ++damaged === DAMAGED_TIMES) return found
    if (typeof found === 'object' && !rest(AGAIN_MS)) return 'ended'
    if (found !== 'moved' && performance.now() - begun < WORK_MS) continue
    if (!rest(REST_MS)) return 'ended'
    begun = performance.now()
  }
}
