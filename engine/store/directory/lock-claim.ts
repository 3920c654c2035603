/**
 * Unix sockets in a directory as the sign of a living process, and the claim on replacing one that a dead process left.
 *
 * Leaves out: the lock itself (data-lock.ts).
 *
 * To replace a stale socket takes two steps. If two processes take them at once, the second may delete the new socket
 * of the first. So a process first makes a socket of its own, its claim, under a random name. Then it looks for claims
 * of others: of any two, the one that looks later finds the other. A stale claim may be deleted by anyone, as its name
 * is never used again.
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, unlinkSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const CLAIM = /^lock-[0-9a-f]{16}\.sock$/
/** The claim that is first in the alphabet waits this long for others, which give up at once. */
const GIVE_UP_MS = 2_000
const POLL_MS = 20

/** A claim in `folder`, to be closed after use; null if another process has one. */
export async function takeClaim(folder: string): Promise<Server | null> {
  const name = `lock-${randomBytes(8).toString('hex')}.sock`
  const own = await listen(`${folder}/${name}`)
  if (own === null) return null
  for (const other of readdirSync(folder)) {
    if (!CLAIM.test(other) || other === name) continue
    if (await isGone(`${folder}/${other}`, other > name ? GIVE_UP_MS : 0)) continue
    await close(own)
    return null
  }
  return own
}

/** True if nobody listens there after `waitMs` at most; deletes the socket then. */
async function isGone(path: string, waitMs: number): Promise<boolean> {
  for (let waited = 0; await answers(path); waited += POLL_MS) {
    if (waited >= waitMs) return false
    await sleep(POLL_MS)
  }
  removeStale(path)
  return true
}

/** A server on that name, or null if the name is taken. */
export function listen(
  name: string,
  connected: (socket: Socket) => void = (socket) => socket.destroy(),
): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true }, connected)
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    )
    server.listen(name, () => {
      server.unref()
      resolve(server)
    })
  })
}

/** True if a process listens there. A stopped one (SIGSTOP) counts, even if its queue of connections is full. */
export function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EAGAIN'))
  })
}

export function removeStale(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

export function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}
