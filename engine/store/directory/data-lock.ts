/**
 * The lock on a data directory: one process at a time.
 *
 * Owns: taking and releasing it. Leaves out: what is in the directory (data-dir.ts).
 *
 * A process that owns the directory listens on two Unix sockets:
 *
 * 1. One has an abstract name made of the directory's device and inode. The kernel gives the name to one process only,
 *    and frees it when that process dies. So it is never stale.
 * 2. The other is a file in the directory. Processes in another network namespace see only this one (containers that
 *    share a volume). If nothing listens on it, its process died, and the process with the claim replaces it
 *    (lock-claim.ts).
 */
import { closeSync, openSync, statSync } from 'node:fs'
import type { Server, Socket } from 'node:net'
import { isRefusal, Refusal } from '../../errors.js'
import { answerCall } from './directory-call.js'
import { answers, close, listen, removeStale, takeClaim } from './lock-claim.js'

export interface DataLock {
  /**
   * Answers requests through the socket in the directory; all who may write there may send them (directory-call.ts).
   */
  serve(answer: (request: string) => Promise<string>): void
  release(): Promise<void>
}

/** Rejects with Refusal data_dir_in_use, or data_dir_invalid if the directory cannot be written. */
export async function lockDataDir(path: string): Promise<DataLock> {
  try {
    return await takeLock(path)
  } catch (error) {
    if (isRefusal(error)) throw error
    const why = (error as Error).message.replace(/\/proc\/self\/fd\/\d+/, path)
    throw new Refusal('data_dir_invalid', `the data directory ${path} cannot be locked: ${why}`)
  }
}

async function takeLock(path: string): Promise<DataLock> {
  const { dev, ino } = statSync(path)
  const inUse = new Refusal('data_dir_in_use', `the data directory ${path} is in use by another process`)
  const named = process.platform === 'linux' ? await listen(`\0decision-service-${dev}-${ino}`) : undefined
  if (named === null) throw inUse
  // A socket's path has at most 108 bytes. Through the open directory any path fits.
  const directory = openSync(path, 'r')
  const folder = process.platform === 'linux' ? `/proc/self/fd/${directory}` : path
  const file = `${folder}/lock.sock`
  try {
    const claim = await takeClaim(folder)
    if (claim === null) throw inUse
    let answer: ((request: string) => Promise<string>) | null = null
    const serve = (socket: Socket): void => void (answer === null ? socket.destroy() : answerCall(socket, answer))
    const inDirectory = await replaceStale(file, serve).finally(() => close(claim))
    if (inDirectory === null) throw inUse
    return {
      serve(given) {
        answer = given
      },
      async release() {
        await Promise.all([close(inDirectory), named === undefined ? undefined : close(named)])
        closeSync(directory)
      },
    }
  } catch (error) {
    closeSync(directory)
    if (named !== undefined) await close(named)
    throw error
  }
}

/** Replaces a socket that nothing listens on; null if something does. The caller has the claim. */
async function replaceStale(file: string, connected: (socket: Socket) => void): Promise<Server | null> {
  if (await answers(file)) return null
  removeStale(file)
  return await listen(file, connected)
}
