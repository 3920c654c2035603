/**
 * Makes failed writes of the native library harmless.
 *
 * When the system refuses to write pages, lmdb 3.5 reports it in two unsafe ways (mdb_page_flush and mdb_strerror in
 * its mdb.c):
 *
 * 1. It writes a message of up to 125 bytes into memory of 100 bytes. The damage ends the process then or later. The
 *    message's format is a constant of the library. Here it gets an earlier end in the memory of this process, so that
 *    the message fits. The file of the library is not changed.
 * 2. It keeps the message in one variable for all threads. A thread that takes the message while another reads it ends
 *    the process. So commits that may fail are made one at a time (`oneAtATime`).
 *
 * Owns: both. Leaves out: noticing beforehand that a write would fail (free-space.ts). Where the system does not let a
 * process write to its own memory in this way (not Linux, some sandboxes), `shortenMessages` returns false, and
 * free-space.ts reserves all space that a commit may need.
 */
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'
import { getEnvironmentData, isMainThread, setEnvironmentData, threadId } from 'node:worker_threads'

const MEMORY = '/proc/self/mem'
/** Ends a text. */
const END = Buffer.of(0)

/** The part of the message's format that stays. */
const KEPT = 'Attempting to write page at position %u'
/** What the library prints on standard error at the same time, between the log's lines or in the middle of them. */
const PRINTED = ['Write error: %s position', 'mdb_page_spill error %i', 'mdb_page_spill flushing error %i'] as const

/** Where a part of the library's file lies in memory. */
interface Part {
  readonly from: number
  readonly bytes: number
}

/** The parts of the library that are read only, from the text of `/proc/self/maps`. */
function partsOf(maps: string): Part[] {
  const found: Part[] = []
  for (const line of maps.split('\n')) {
    const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) r--p .*lmdb.*\.node$/.exec(line) ?? []
    if (from === undefined || to === undefined) continue
    const begin = Number.parseInt(from, 16)
    found.push({ from: begin, bytes: Number.parseInt(to, 16) - begin })
  }
  return found
}

/** Ends the formats earlier. True if the message of a failed write fits its memory from now on. */
function shorten(): boolean {
  let memory: number | undefined
  try {
    memory = openSync(MEMORY, 'r+')
    let fits = false
    for (const { from, bytes } of partsOf(readFileSync('/proc/self/maps', 'latin1'))) {
      const part = Buffer.alloc(bytes)
      readSync(memory, part, 0, bytes, from)
      for (const text of PRINTED) {
        const printed = part.indexOf(text, 0, 'latin1')
        if (printed >= 0) writeSync(memory, END, 0, 1, from + printed)
      }
      const kept = part.indexOf(KEPT, 0, 'latin1')
      if (kept < 0) continue
      writeSync(memory, END, 0, 1, from + kept + KEPT.length)
      fits = true
    }
    return fits
  } catch {
    return false
  } finally {
    if (memory !== undefined) closeSync(memory)
  }
}

const FITS = 'lmdb: messages fit'
const WORDS = 'lmdb: failing writes'

/**
 * Makes the message of a failed write fit its memory. To be called after the library was loaded. False if that is not
 * possible here. Does it once in a process: threads have the same memory.
 */
export function shortenMessages(): boolean {
  const known = getEnvironmentData(FITS) as boolean | undefined
  const fits = known ?? shorten()
  if (known === undefined) setEnvironmentData(FITS, fits)
  return fits
}

/** Words that all threads share. LOCK: the thread that commits, plus one. FAILED: the second of the last failure. */
const [LOCK, FAILED] = [0, 1] as const
const WORD_BYTES = 4

/** Threads are born with what the main thread has set; it loads this file before it starts any. */
function sharedWords(): Int32Array {
  const known = getEnvironmentData(WORDS) as SharedArrayBuffer | undefined
  const memory = known ?? new SharedArrayBuffer(2 * WORD_BYTES)
  if (known === undefined && isMainThread) setEnvironmentData(WORDS, memory)
  return new Int32Array(memory)
}

const words = sharedWords()

/** For how long after a failed write others are expected. */
const FAILING_SECONDS = 60
/** A thread that died as it committed does not hold up the others for longer. */
const LOCK_MS = 10_000

function now(): number {
  return Math.floor(performance.timeOrigin / 1000 + performance.now() / 1000) | 0
}

/** A write of this process has failed. */
export function writeFailed(): void {
  Atomics.store(words, FAILED, now())
}

/** True if a write of this process has failed lately. */
export function areWritesFailing(): boolean {
  const failed = Atomics.load(words, FAILED)
  return failed !== 0 && now() - failed < FAILING_SECONDS
}

/** Runs a commit while no other thread of the process runs one here. */
export function oneAtATime(commit: () => void): void {
  const me = threadId + 1
  for (;;) {
    const holder = Atomics.compareExchange(words, LOCK, 0, me)
    if (holder === 0) break
    if (Atomics.wait(words, LOCK, holder, LOCK_MS) === 'timed-out') Atomics.compareExchange(words, LOCK, holder, 0)
  }
  try {
    commit()
  } finally {
    Atomics.compareExchange(words, LOCK, me, 0)
    Atomics.notify(words, LOCK, 1)
  }
}
