/**
 * What clients asked and were answered, and whether one place that does one thing at a time could have answered so.
 *
 * Owns: recorded operations, the check. Leaves out: who asks, and what goes wrong meanwhile.
 *
 * The check is linearizability, key by key (Herlihy and Wing 1990, theorem 1: a history is linearizable if that of each
 * object is). The search is that of Wing and Gong (1993) with the memory of Lowe (2017): a set of operations in effect
 * with the state behind them is tried once.
 */

/** The key does not exist; it exists and nobody has voted on it; the label of its last vote. */
export type KeyState = 'absent' | 'unvoted' | (string & {})

export type Action =
  | { readonly kind: 'post' }
  | { readonly kind: 'vote'; readonly label: string }
  /** The state that was read. A vote on what does not exist is a read, too. */
  | { readonly kind: 'read'; readonly state: KeyState }

export interface Operation {
  readonly key: string
  readonly client: string
  readonly action: Action
  /** Milliseconds, of one clock. */
  readonly beganMs: number
  /** Infinity where no clear answer came: it may have taken effect at any time since, or never. */
  readonly endedMs: number
}

/** More operations on one key would take too long to check. */
const OPERATIONS_MAX = 400

function after(state: KeyState, action: Action): KeyState | null {
  switch (action.kind) {
    case 'post':
      return state === 'absent' ? 'unvoted' : state
    case 'vote':
      return state === 'absent' ? null : action.label
    case 'read':
      return action.state === state ? state : null
  }
}

/**
 * The operations on one key that no order explains; null where one does. `ofAcknowledged`: reads need not agree on when
 * a write took effect, as long as it is not acknowledged. @throws RangeError over 400 operations.
 */
export function unexplained(operations: readonly Operation[], ofAcknowledged = false): readonly Operation[] | null {
  if (operations.length > OPERATIONS_MAX)
    throw new RangeError(`${operations.length} operations on one key; at most ${OPERATIONS_MAX} can be checked`)
  const all = operations
    .filter(({ action, endedMs }) => action.kind !== 'read' || endedMs < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.beganMs - b.beganMs)
  const isDone = new Uint8Array(all.length)
  const tried = new Set<string>()
  const clear = all.filter(({ endedMs }) => endedMs < Number.POSITIVE_INFINITY).length
  // Steps that led here, each with the next candidate to try. Histories are longer than calls are deep.
  const steps: { at: number; before: KeyState; next: number }[] = []
  let [state, done, next]: [KeyState, number, number] = ['absent', 0, 0]
  for (;;) {
    if (done === clear) return null
    const at = nextCandidate(all, isDone, next, ofAcknowledged)
    if (at === null) {
      const step = steps.pop()
      if (step === undefined) return all
      isDone[step.at] = 0
      if ((all[step.at] as Operation).endedMs < Number.POSITIVE_INFINITY) done--
      state = step.before
      next = step.next
      continue
    }
    next = at + 1
    const one = all[at] as Operation
    const then = after(state, one.action)
    if (then === null) continue
    isDone[at] = 1
    const isNew = remember(tried, isDone, then)
    isDone[at] = 0
    if (!isNew) continue
    steps.push({ at, before: state, next })
    isDone[at] = 1
    if (one.endedMs < Number.POSITIVE_INFINITY) done++
    state = then
    next = 0
  }
}

/**
 * The first operation from `from` on that may take effect now: none that is not in effect ended before it began.
 * `ofAcknowledged`: no write, where it is a read.
 */
function nextCandidate(
  all: readonly Operation[],
  isDone: Uint8Array,
  from: number,
  ofAcknowledged: boolean,
): number | null {
  let [firstEnd, firstWriteEnd] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let at = firstOpen(isDone); at < all.length; at++) {
    const { beganMs, endedMs, action } = all[at] as Operation
    if (beganMs > (ofAcknowledged ? firstWriteEnd : firstEnd)) return null
    if (isDone[at] === 1) continue
    if (at >= from && (beganMs <= firstEnd || action.kind === 'read')) return at
    firstEnd = Math.min(firstEnd, endedMs)
    if (action.kind !== 'read') firstWriteEnd = Math.min(firstWriteEnd, endedMs)
  }
  return null
}

/** All before it are in effect. */
function firstOpen(isDone: Uint8Array): number {
  const at = isDone.indexOf(0)
  return at < 0 ? isDone.length : at
}

/** False where this was tried before. */
function remember(tried: Set<string>, isDone: Uint8Array, state: KeyState): boolean {
  const first = firstOpen(isDone)
  const ahead = isDone.subarray(first, isDone.lastIndexOf(1) + 1).join('')
  const key = `${first} ${ahead} ${state}`
  if (tried.has(key)) return false
  tried.add(key)
  return true
}

/** Collects operations of many clients; a key at a time is checked. */
export class History {
  readonly #byKey = new Map<string, Operation[]>()

  get operations(): number {
    let count = 0
    for (const all of this.#byKey.values()) count += all.length
    return count
  }

  get keys(): readonly string[] {
    return [...this.#byKey.keys()]
  }

  add(operation: Operation): void {
    const all = this.#byKey.get(operation.key)
    if (all === undefined) this.#byKey.set(operation.key, [operation])
    else all.push(operation)
  }

  of(key: string): readonly Operation[] {
    return this.#byKey.get(key) ?? []
  }

  /** A line for each key whose answers no order explains, with its operations. As in `unexplained`. */
  faults(ofAcknowledged = false): string[] {
    const faults: string[] = []
    for (const [key, all] of this.#byKey) {
      // What is explained in the strict way is explained in the other one, too, and that one takes longer.
      const rest = unexplained(all) === null ? null : unexplained(all, ofAcknowledged)
      if (rest !== null) faults.push(`${key}:\n${rest.map(lineOf).join('\n')}`)
    }
    return faults
  }
}

function lineOf({ client, action, beganMs, endedMs }: Operation): string {
  const what = action.kind === 'vote' ? action.label : action.kind === 'read' ? action.state : ''
  const end = endedMs < Number.POSITIVE_INFINITY ? endedMs.toFixed(1) : 'no clear answer'
  return `  ${beganMs.toFixed(1)} to ${end}: ${client} ${action.kind} ${what}`
}
