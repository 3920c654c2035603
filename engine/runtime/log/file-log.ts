/**
 * A log of one shard in a file: the recorder. What it has recorded can be applied to an empty shard, to repeat a run.
 *
 * Owns: the file. Leaves out: what records mean (turn-record.ts).
 *
 * | 0 bytes u32 | 4 first 8 bytes of the record's SHA-256 | 12 the record |, one after the other
 *
 * 1. A record is flushed before its append resolves.
 * 2. A torn record at the end was never acknowledged: it is cut off when the file is opened.
 * 3. Purged records stay in the file and are not given any more. How many they are is in a file beside it.
 */
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { LogMoved, LogPurged, type LogExtent, type LogRecord, type RecordLog } from './turn-log.js'

const HEAD_BYTES = 12

function headOf(bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(bytes.length, 0)
  createHash('sha256').update(bytes).digest().copy(head, 4, 0, 8)
  return head
}

export class FileLog implements RecordLog {
  readonly #file: number
  readonly #purgedPath: string
  /** The last record that was purged; 0 for none. */
  #purged: number
  /** Where each record begins, and where the next one will. */
  readonly #places: number[] = [0]
  readonly #waiting = new Set<() => void>()

  /** Opens the file, or makes it. */
  constructor(path: string) {
    this.#file = openSync(path, 'a+')
    this.#purgedPath = `${path}.purged`
    this.#purged = existsSync(this.#purgedPath) ? Number(readFileSync(this.#purgedPath, 'latin1')) : 0
    const { size } = fstatSync(this.#file)
    for (let end = this.#endOf(0, size); end > 0; end = this.#endOf(end, size)) this.#places.push(end)
    ftruncateSync(this.#file, this.#places.at(-1))
  }

  /** Where the record at `at` ends; 0 where there is no whole one. */
  #endOf(at: number, size: number): number {
    if (at + HEAD_BYTES > size) return 0
    const head = this.#bytes(at, HEAD_BYTES)
    const end = at + HEAD_BYTES + head.readUInt32LE(0)
    if (end > size) return 0
    return headOf(this.#bytes(at + HEAD_BYTES, end - at - HEAD_BYTES)).equals(head) ? end : 0
  }

  #bytes(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length)
    for (let read = 0; read < length; ) read += readSync(this.#file, bytes, read, length - read, at + read)
    return bytes
  }

  async append(bytes: Uint8Array, after: number): Promise<number> {
    const sequence = this.#places.length
    if (after !== sequence - 1) throw new LogMoved(`the log ends with record ${sequence - 1}, not ${after}`)
    const record = Buffer.concat([headOf(bytes), bytes])
    writeSync(this.#file, record)
    fdatasyncSync(this.#file)
    this.#places.push((this.#places.at(-1) as number) + record.length)
    for (const wake of this.#waiting) wake()
    return sequence
  }

  async last(): Promise<number> {
    return this.#places.length - 1
  }

  async extent(): Promise<LogExtent> {
    const [first, last] = [this.#purged + 1, this.#places.length - 1]
    return { first, last, bytes: (this.#places[last] as number) - (this.#places[this.#purged] as number) }
  }

  async purge(through: number): Promise<void> {
    this.#purged = Math.max(this.#purged, Math.min(through, this.#places.length - 1))
    writeFileSync(this.#purgedPath, String(this.#purged), { flush: true })
  }

  async *read(after: number, through: number): AsyncGenerator<LogRecord> {
    if (after < this.#purged)
      throw new LogPurged(`the log begins with record ${this.#purged + 1}; ${after + 1} has been purged`)
    for (let sequence = after + 1; sequence <= through && sequence < this.#places.length; sequence++) {
      const [at, end] = [this.#places[sequence - 1] as number, this.#places[sequence] as number]
      yield { sequence, bytes: this.#bytes(at + HEAD_BYTES, end - at - HEAD_BYTES) }
    }
  }

  async *follow(after: number, signal: AbortSignal): AsyncGenerator<LogRecord> {
    for (let last = after; !signal.aborted; ) {
      for await (const record of this.read(last, this.#places.length - 1)) {
        if (signal.aborted) return
        yield record
        last = record.sequence
      }
      if (last >= this.#places.length - 1) await this.#grown(signal)
    }
  }

  /** Resolves with the next record, or when `signal` aborts. */
  async #grown(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake)
    })
  }

  async close(): Promise<void> {
    closeSync(this.#file)
  }
}
