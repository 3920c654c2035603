/**
 * The lock on a data directory: one process at a time.
 *
 * Owns: taking and giving back. Leaves out: what is in the directory (data-dir.ts).
 *
 * A process that owns the directory listens on two Unix sockets. The first has an abstract name made of the directory's
 * device and inode: the kernel gives it to one process and takes it back when that one dies, so nothing is ever stale and
 * two that start at once cannot both have it. The second is a file in the directory, for processes in another network
 * namespace (containers that share a volume), where abstract names are not seen; a file that nobody listens on is left
 * over from a process that died, and is replaced by whoever has the turn (lock-turn.ts).
 */
import { statSync, openSync, closeSync } from 'node:fs'
import type { Server, Socket } from 'node:net'
import { isRefusal, Refusal } from '../../errors.js'
import { answerCall } from './directory-call.js'
import { answers, close, listen, removeStale, takeTurn } from './lock-turn.js'

export interface DataLock {
  /** Answers requests that come through the socket in the directory, from whoever may write there (directory-call.ts). */
  serve(answer: (request: string) => Promise<string>): void
  release(): Promise<void>
}

/** Rejects with Refusal data_dir_in_use, and data_dir_invalid where it may not be written. */
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
  // Socket paths are short (108 bytes); through the open directory any path fits.
  const directory = openSync(path, 'r')
  const folder = process.platform === 'linux' ? `/proc/self/fd/${directory}` : path
  const file = `${folder}/lock.sock`
  try {
    const turn = await takeTurn(folder)
    if (turn === null) throw inUse
    let answer: ((request: string) => Promise<string>) | null = null
    const serve = (socket: Socket): void => void (answer === null ? socket.destroy() : answerCall(socket, answer))
    const inDirectory = await replaceStale(file, serve).finally(() => close(turn))
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

/** Takes the place of a socket that nobody listens on; null where somebody does. Only in its turn. */
async function replaceStale(file: string, connected: (socket: Socket) => void): Promise<Server | null> {
  if (await answers(file)) return null
  removeStale(file)
  return await listen(file, connected)
}
