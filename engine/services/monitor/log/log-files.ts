/**
 * Reads the log back: its files as they are at one moment, oldest line first.
 *
 * Owns: reading, and which lines are a container's. Leaves out: writing (log-store.ts), packing (zip.ts).
 *
 * 1. All files are opened before the first byte is read, so rotation meanwhile changes nothing.
 * 2. Files are read in pieces and lines are never parsed: an export needs little memory, however long the log is.
 */
import { open, type FileHandle } from 'node:fs/promises'
import { basename } from 'node:path'
import { limits } from '../../../limits.js'
import type { ContainerName } from '../../../api/container-service.js'
import type { LogFile } from '../../../api/monitor-service.js'
import { logFile } from './log-store.js'

const PIECE_BYTES = 64 * 1024
const NEWLINE = 10
/** A line's component and container come before its message, within these bytes. Text behind them may be anything. */
const BINDINGS_AT_MAX = 256

/** All files, oldest first. The caller closes each. */
export async function openLog(dataDir: string): Promise<LogFile[]> {
  const files: LogFile[] = []
  for (let number = limits.logFilesMax - 1; number >= 0; number--) {
    const path = logFile(dataDir, number)
    try {
      const handle = await open(path, 'r')
      const { size } = await handle.stat()
      files.push({
        name: basename(path),
        content: read(handle, size),
        close: () => handle.close(),
      })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue
      await Promise.all(files.map((file) => file.close()))
      throw error
    }
  }
  return files
}

/** The lines of one container, as a file. */
export function logFileOf(files: readonly LogFile[], name: ContainerName): LogFile {
  return {
    name: `${name.component}-${name.container}.log`,
    content: linesOf(files, name),
    close: async () => void (await Promise.all(files.map((file) => file.close()))),
  }
}

async function* linesOf(files: readonly LogFile[], { component, container }: ContainerName): AsyncGenerator<Buffer> {
  const binding = Buffer.from(`"component":${JSON.stringify(component)},"container":${JSON.stringify(container)}`)
  let rest: Buffer = Buffer.alloc(0)
  for (const { content } of files) {
    for await (const piece of content) {
      const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
      const kept: Buffer[] = []
      let at = 0
      for (let end = bytes.indexOf(NEWLINE, at); end >= 0; end = bytes.indexOf(NEWLINE, at)) {
        const line = bytes.subarray(at, end + 1)
        const found = line.subarray(0, BINDINGS_AT_MAX).indexOf(binding)
        if (found >= 0) kept.push(line)
        at = end + 1
      }
      rest = bytes.subarray(at)
      if (kept.length > 0) yield Buffer.concat(kept)
    }
  }
}

async function* read(handle: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; ) {
    const { bytesRead, buffer } = await handle.read(
      Buffer.allocUnsafe(Math.min(PIECE_BYTES, size - at)),
      0,
      undefined,
      at,
    )
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
