/**
 * Unix sockets in a directory as the sign of a process that lives; and which of several that start at once may put its own in the place of
 * one that a dead process has left.
 *
 * Leaves out: the lock itself (data-lock.ts).
 *
 * Putting one in the place of another is two steps, and of two processes that take them at once the second takes away the socket of the
 * first. So whoever wants to makes a socket under a name of its own, and looks for others of the kind after that: of any two, the one
 * that looks later finds the earlier. Names are by chance, so what was left over under one can be taken away by anybody.
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, unlinkSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const TURN = /^lock-[0-9a-f]{16}\.sock$/
/** How long the one that comes first in the alphabet waits for the others to go: they do at once. */
const GO_MS = 2_000
const LOOK_MS = 20

/** A turn in `folder`, to be closed when it is over; null where somebody else has one. */
export async function takeTurn(folder: string): Promise<Server | null> {
  const name = `lock-${randomBytes(8).toString('hex')}.sock`
  const own = await listen(`${folder}/${name}`)
  if (own === null) return null
  for (const other of readdirSync(folder)) {
    if (!TURN.test(other) || other === name || (await goes(`${folder}/${other}`, other > name ? GO_MS : 0))) continue
    await close(own)
    return null
  }
  return own
}

/** Nobody listens there, or no more after a while. */
async function goes(path: string, waitMs: number): Promise<boolean> {
  for (let waited = 0; await answers(path); waited += LOOK_MS) {
    if (waited >= waitMs) return false
    await sleep(LOOK_MS)
  }
  removeStale(path)
  return true
}

/** A server on that name, or null where somebody has it. */
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

/** Somebody listens there; one that has stopped to take connections (SIGSTOP) and has many of them waiting, too. */
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
