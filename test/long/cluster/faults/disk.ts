/**
 * A disk whose power can be cut: a file system in a file, through a loop device. A cut leaves what was written to the
 * device, and drops what was only in the kernel's memory.
 *
 * It needs root and Linux. A real disk may also drop what it has not flushed from its own memory; this one does not.
 */
import { mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lacks, tool } from './machine.js'

const BYTES = 512 * 1024 * 1024
/** The kernel writes by itself after so many seconds: longer than a test, so that a flush is what counts. */
const COMMIT_SECONDS = 300

export const lacksDisks = (folder: string): string | false =>
  lacks('disks whose power is cut', () => {
    const disk = new Disk(join(folder, 'probe'))
    disk.close()
  })

export class Disk {
  /** Where the file system is. */
  readonly path: string
  readonly #file: string

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true })
    this.#file = join(folder, 'disk.img')
    this.path = join(folder, 'mounted')
    mkdirSync(this.path, { recursive: true })
    writeFileSync(this.#file, '')
    truncateSync(this.#file, BYTES)
    tool('mkfs.ext4', '-q', '-E', 'lazy_itable_init=0,lazy_journal_init=0', this.#file)
    this.#mount()
  }

  /** What was not flushed is gone. No process may have a file open on it. */
  cutPower(): void {
    const rest = `${this.#file}.rest`
    tool('cp', '--sparse=always', this.#file, rest)
    tool('umount', this.path)
    renameSync(rest, this.#file)
    this.#mount()
  }

  close(): void {
    tool('umount', this.path)
    rmSync(this.#file)
  }

  #mount(): void {
    tool('mount', '-o', `loop,commit=${COMMIT_SECONDS}`, this.#file, this.path)
  }
}
