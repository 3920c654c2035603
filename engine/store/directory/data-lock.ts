/**
 * The lock on a data directory: one process at a time.
 *
 * Owns: taking and releasing it. Leaves out: what is in the directory (data-dir.ts).
 *
 * On Linux a process that owns the directory listens on two Unix sockets. Windows has only the first, macOS only the
 * second (socket-address.ts).
 *
 * 1. One has a name made of the directory's device and inode. The kernel gives the name to one process only, and frees
 *    it when that process dies. So it is never stale.
 * 2. The other is a file in the directory. Processes in another network namespace see only this one (containers that
 *    share a volume). If nothing listens on it, its process died, and the process with the claim replaces it
 *    (lock-claim.ts).
 */
import { closeSync, openSync } from 'node:fs'
import type { Server, Socket } from 'node:net'
import { isRefusal, Refusal } from '../../errors.js'
import { answerCall } from './directory-call.js'
import { answers, close, listen, removeStale, takeClaim } from './lock-claim.js'
import { kernelName, socketFolder } from './socket-address.js'

export interface DataLock {
  /**
   * Answers requests through the socket in the directory; all who may write there may send them (directory-call.ts).
   */
  serve(answer: (request: string) => Promise<string>): void
  release(): Promise<void>
}

/** Rejects with Refusal data_dir_in_use, or data_dir_invalid if the directory cannot be written. */
export async function lockDataDir(path: string, platform: NodeJS.Platform = process.platform): Promise<DataLock> {
  try {
    return await takeLock(path, platform)
  } catch (error) {
    if (isRefusal(error)) throw error
    const why = (error as Error).message.replace(/\/proc\/self\/fd\/\d+/, path)
    throw new Refusal('data_dir_invalid', `the data directory ${path} cannot be locked: ${why}`)
  }
}

async function takeLock(path: string, platform: NodeJS.Platform): Promise<DataLock> {
  const inUse = new Refusal('data_dir_in_use', `the data directory ${path} is in use by another process`)
  let answer: ((request: string) => Promise<string>) | null = null
  const called = (socket: Socket): void => void (answer === null ? socket.destroy() : answerCall(socket, answer))
  const name = kernelName(path, platform)
  const named = name === null ? undefined : await listen(name, called)
  if (named === null) throw inUse
  const directory = openSync(path, 'r')
  try {
    const inDirectory = await listenIn(socketFolder(path, directory, platform), called)
    if (inDirectory === null) throw inUse
    return {
      serve(given) {
        answer = given
      },
      async release() {
        for (const server of [inDirectory, named]) if (server !== undefined) await close(server)
        closeSync(directory)
      },
    }
  } catch (error) {
    closeSync(directory)
    if (named !== undefined) await close(named)
    throw error
  }
}

/** The socket in the directory; undefined if sockets are no files, null if another process has it. */
async function listenIn(folder: string | null, called: (socket: Socket) => void): Promise<Server | null | undefined> {
  if (folder === null) return undefined
  const claim = await takeClaim(folder)
  if (claim === null) return null
  return await replaceStale(`${folder}/lock.sock`, called).finally(() => close(claim))
}

/** Replaces a socket that nothing listens on; null if something does. The caller has the claim. */
async function replaceStale(file: string, connected: (socket: Socket) => void): Promise<Server | null> {
  if (await answers(file)) return null
  removeStale(file)
  return await listen(file, connected)
}
