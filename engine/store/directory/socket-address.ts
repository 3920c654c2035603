/**
 * Where the sockets of a data directory are (data-lock.ts). Each system has other names for sockets.
 *
 * | system  | the kernel's own name                        | files in the directory                        |
 * |---------|----------------------------------------------|-----------------------------------------------|
 * | Linux   | an abstract name                             | through the open directory, so any path fits  |
 * | Windows | a pipe; it serves the calls, too             | none: sockets are no files                    |
 * | others  | none                                         | by the shorter of two paths: about 100 bytes  |
 */
import { statSync } from 'node:fs'
import { relative } from 'node:path'

/** The name that only one process can have, made of the directory's device and inode; null if there is none. */
export function kernelName(dataDir: string, platform: NodeJS.Platform = process.platform): string | null {
  if (platform !== 'linux' && platform !== 'win32') return null
  const { dev, ino } = statSync(dataDir, { bigint: true })
  return `${platform === 'linux' ? '\0' : '\\\\.\\pipe\\'}decision-service-${dev}-${ino}`
}

/** The path for sockets in the directory, which is open as `directory`; null if sockets are no files. */
export function socketFolder(
  dataDir: string,
  directory: number,
  platform: NodeJS.Platform = process.platform,
): string | null {
  if (platform === 'win32') return null
  if (platform === 'linux') return `/proc/self/fd/${directory}`
  const near = relative(process.cwd(), dataDir) || '.'
  return near.length < dataDir.length ? near : dataDir
}

/** The socket on which the owner of the directory answers calls. */
export function ownerSocket(dataDir: string, directory: number): string {
  const folder = socketFolder(dataDir, directory)
  return folder === null ? kernelName(dataDir)! : `${folder}/lock.sock`
}
