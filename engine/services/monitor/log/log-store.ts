/**
 * The log on disk: files of JSON lines in the data directory.
 *
 * Owns: the files and their rotation. Leaves out: what is logged (log.ts), reading the files (log-files.ts).
 *
 * | file               | what                                     |
 * |--------------------|------------------------------------------|
 * | logs/service.log   | the newest lines                         |
 * | logs/service.N.log | older ones, the higher N the older       |
 *
 * 1. There are at most limits.logFilesMax files, each of at most limits.logFileBytesMax and one flush.
 * 2. A full disk or a missing directory harms only the log: lines are dropped and counted.
 * 3. Lines are collected for a moment and written together; `flush` writes them at once.
 */
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '../../../limits.js'

/** The directory of the log in a data directory. */
export function logDirectory(dataDir: string): string {
  return join(dataDir, 'logs')
}

/** The path of a log file; number 0 has the newest lines. */
export function logFile(dataDir: string, number: number): string {
  return join(logDirectory(dataDir), number === 0 ? 'service.log' : `service.${number}.log`)
}

/** Collected lines are written from this many characters on. */
const COLLECTED_CHARS_MAX = 64 * 1024

export class LogStore {
  readonly #dataDir: string
  readonly #fileBytesMax: number
  #file: number | null = null
  #bytes = 0
  #lines: string[] = []
  #chars = 0
  #timer: NodeJS.Timeout | null = null
  #closed = false
  /** Lines that could not be written. */
  dropped = 0

  constructor(dataDir: string, fileBytesMax: number = limits.logFileBytesMax) {
    this.#dataDir = dataDir
    this.#fileBytesMax = fileBytesMax
  }

  /** Adds a line, newline included. */
  write(line: string): void {
    if (this.#closed) return
    this.#lines.push(line)
    this.#chars += line.length
    if (this.#chars >= COLLECTED_CHARS_MAX) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), limits.logFlushMs).unref()
  }

  /** Writes the collected lines. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const lines = this.#lines
    if (lines.length === 0) return
    this.#lines = []
    this.#chars = 0
    try {
      const bytes = Buffer.from(lines.join(''), 'utf8')
      this.#file ??= this.#open()
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at)
      this.#bytes += bytes.length
      if (this.#bytes >= this.#fileBytesMax) this.#rotate()
    } catch {
      this.dropped += lines.length
      this.#giveUp()
    }
  }

  close(): void {
    this.flush()
    this.#closed = true
    this.#giveUp()
  }

  #open(): number {
    mkdirSync(logDirectory(this.#dataDir), { recursive: true, mode: 0o700 })
    const file = openSync(logFile(this.#dataDir, 0), 'a', 0o600)
    this.#bytes = fstatSync(file).size
    return file
  }

  #rotate(): void {
    this.#giveUp()
    rmSync(logFile(this.#dataDir, limits.logFilesMax - 1), { force: true })
    for (let number = limits.logFilesMax - 2; number >= 0; number--) {
      try {
        renameSync(logFile(this.#dataDir, number), logFile(this.#dataDir, number + 1))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      }
    }
  }

  #giveUp(): void {
    if (this.#file === null) return
    const file = this.#file
    this.#file = null
    try {
      closeSync(file)
    } catch {
      // A network disk may fail here; nothing depends on it.
    }
  }
}
