/**
 * The tabs of this browser: one of them does what would be too much in all of them, and tells the others.
 *
 * 1. Browsers have locks over TLS and on the machine itself. Elsewhere a note in the storage stands in for one: it ends
 *    by itself where its tab does. Two tabs may have it for a moment, so what is done in turn may be done twice.
 */

/** This tab, among those of the browser. */
export const thisTab = crypto.getRandomValues(new Uint32Array(2)).join('-')

type Told = { readonly kind: string; readonly data: unknown }
type Listener = (data: never) => void

const channel = new BroadcastChannel('console')
const listeners = new Map<string, Set<Listener>>()

channel.addEventListener('message', ({ data }: MessageEvent<Told>) => {
  for (const listener of listeners.get(data.kind) ?? []) listener(data.data as never)
})

/** Tells the other tabs. */
export function tellTabs(kind: string, data: unknown): void {
  channel.postMessage({ kind, data } satisfies Told)
}

/** Called with what other tabs tell, until the returned function is. */
export function onTold<T>(kind: string, listener: (data: T) => void): () => void {
  const all = listeners.get(kind) ?? new Set()
  listeners.set(kind, all.add(listener as Listener))
  return () => void all.delete(listener as Listener)
}

const LEASE_MS = 4_000
const LOOK_MS = 250

interface Lease {
  readonly tab: string
  readonly untilMs: number
}

function leaseOf(key: string): Lease | null {
  const lease = JSON.parse(localStorage.getItem(key) ?? 'null') as Lease | null
  return lease !== null && lease.untilMs > Date.now() && lease.untilMs < Date.now() + 2 * LEASE_MS ? lease : null
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

async function withLease(key: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const take = (): void => localStorage.setItem(key, JSON.stringify({ tab: thisTab, untilMs: Date.now() + LEASE_MS }))
  const isMine = (): boolean => leaseOf(key)?.tab === thisTab
  for (;;) {
    if (leaseOf(key) === null) {
      take()
      // Another tab may have done so at the same time: the later one has it.
      await pause(LOOK_MS / 5)
      if (isMine()) break
    }
    await pause(LOOK_MS)
    signal.throwIfAborted()
  }
  const timer = setInterval(take, LEASE_MS / 4)
  try {
    await work()
  } finally {
    clearInterval(timer)
    if (isMine()) localStorage.removeItem(key)
  }
}

/** Does something in one tab at a time. Rejects if `signal` is aborted before it begins. */
export async function inTurn(name: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const { locks } = navigator as { readonly locks?: LockManager }
  if (locks !== undefined) await locks.request(name, { signal }, work)
  else await withLease(`turn ${name}`, signal, work)
}
