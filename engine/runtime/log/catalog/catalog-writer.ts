/**
 * The writer of the catalog's log: it waits for each append, because commits of the catalog are synchronous.
 *
 * Owns: the thread that appends, and what follows when it fails. Leaves out: appends (catalog-writer-thread.ts), what
 * is committed (logged-environment.ts).
 *
 * 1. While a change of the catalog is appended, the main thread stands still, for about the time of one flush. Changes
 *    are rare, events are none, and a change that nobody has seen yet cannot be taken back by halves. Where the
 *    stream's leader is silent it stands still for a second, once, and not at all where that is known.
 * 2. After an append that was refused, or has no answer within its limit, nothing more is appended. The owner gives up,
 *    and reads what the log has. Before that it waits until the append is stored, or cannot be.
 * 3. A change of resources waits until the copies of all nodes have it, at most a quarter of a second. So a key or a
 *    job is known on every node when its maker is answered, and a deleted key on none.
 * 4. Rows of the ledger are appended behind their commit, and nobody waits for them. What a crash loses of them is
 *    delivered again.
 */
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads'
import { Refusal } from '../../../errors.js'
import { threadFile } from '../../thread-files.js'
import type { ClusterAddress } from '../jetstream/cluster-connection.js'
import { encodeCatalogRecord, type CatalogRecord, type LoggedEntry } from './catalog-record.js'
import type { CatalogLog } from './logged-environment.js'

/** What the thread gets when it starts. */
export interface CatalogWriterData {
  readonly address: ClusterAddress
  readonly name: string
  readonly replicas: number
  /** Milliseconds until an append gives up. */
  readonly limitMs: number
  /** The last record of the log is this one. */
  readonly after: number
  /** One word: it rises with each append that was waited for. */
  readonly done: Int32Array
  readonly answers: MessagePort
}

/** A record for the thread. `isAwaited`: the main thread stands still until it is appended. */
export interface CatalogAppend {
  readonly bytes: Uint8Array
  readonly isAwaited: boolean
  /** It is answered when other nodes have it, too (catalog-seen.ts). */
  readonly isShared: boolean
}

export type CatalogAppended = { readonly sequence: number } | { readonly lost: string }

export interface CatalogWriterDeps {
  readonly address: ClusterAddress
  readonly name: string
  readonly replicas: number
  /** The last record of the log: the one with which this writer has begun. */
  readonly after: number
  /** 8 bytes in hexadecimal. */
  readonly writer: string
  /** Tables whose changes other nodes must have before they are answered. */
  readonly sharedTables: readonly string[]
  /** Told once, of the first append that failed. */
  lost(why: string): void
}

/**
 * Milliseconds until an append gives up although the servers answer, and until the main thread does not wait for the
 * thread any more: it cannot renew its lease meanwhile.
 */
const LIMIT_MS = 4_000
const WAIT_MS = 6_000
/** Milliseconds that closing waits for what is under way. */
const CLOSE_MS = 10_000
const RETRY_AFTER_SECONDS = 5

export class CatalogWriter implements CatalogLog {
  readonly #deps: CatalogWriterDeps
  readonly #done = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  readonly #answers: MessagePort
  readonly #worker: Worker
  #isLost = false
  #sequence: number
  #isVoid = false

  constructor(deps: CatalogWriterDeps) {
    const { address, name, replicas, after } = deps
    const { port1, port2 } = new MessageChannel()
    this.#deps = deps
    this.#sequence = after
    this.#answers = port1
    const workerData: CatalogWriterData = {
      address,
      name,
      replicas,
      limitMs: LIMIT_MS,
      after,
      done: this.#done,
      answers: port2,
    }
    this.#worker = new Worker(threadFile('catalog-writer-thread'), {
      workerData,
      transferList: [port2],
      name: 'catalog',
    })
    this.#worker.on('message', ({ lost }: { readonly lost: string }) => this.#lose(lost))
    this.#worker.on('error', (error) => this.#lose(`the thread that writes the catalog died: ${error.message}`))
  }

  /** Sequence of the last change of the catalog, or of the record with which this writer has begun. */
  get sequence(): number {
    return this.#sequence
  }

  /** Appends a change of the catalog. @throws Refusal log_unavailable. */
  append(entries: readonly LoggedEntry[]): number | null {
    if (this.#isVoid) return null
    if (this.#isLost) throw refused('the catalog takes no changes on this node until it has read its log again')
    const before = Atomics.load(this.#done, 0)
    const isShared = entries.some(([table]) => this.#deps.sharedTables.includes(table))
    this.#send({ kind: 'catalog', writer: this.#deps.writer, entries }, { isAwaited: true, isShared })
    Atomics.wait(this.#done, 0, before, WAIT_MS)
    const answer = receiveMessageOnPort(this.#answers)?.message as CatalogAppended | undefined
    if (answer !== undefined && 'sequence' in answer) return (this.#sequence = answer.sequence)
    const why = answer?.lost ?? 'the thread that writes the catalog does not answer'
    this.#lose(why)
    throw refused(why)
  }

  /** Appends rows of the ledger that are committed. */
  appendLedger(entries: readonly LoggedEntry[]): void {
    if (!this.#isVoid && !this.#isLost)
      this.#send({ kind: 'ledger', writer: this.#deps.writer, entries }, { isAwaited: false, isShared: false })
  }

  /** From now on changes are dropped: this node is no longer the owner, and it closes its engine. */
  abandon(): void {
    this.#isVoid = true
  }

  /** Resolves when all is appended, or cannot be, or not in time. */
  async close(): Promise<void> {
    this.#isVoid = true
    const ended = new Promise((resolve) => this.#worker.once('exit', resolve))
    this.#worker.postMessage(null)
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())])
    await this.#worker.terminate()
    this.#answers.close()
  }

  #send(record: CatalogRecord, how: Omit<CatalogAppend, 'bytes'>): void {
    this.#worker.postMessage({ bytes: encodeCatalogRecord(record), ...how } satisfies CatalogAppend)
  }

  #lose(why: string): void {
    if (this.#isLost) return
    this.#isLost = true
    this.#deps.lost(why)
  }
}

function refused(details: string): Refusal {
  const context = { details, retryAfterSeconds: RETRY_AFTER_SECONDS }
  return new Refusal('log_unavailable', 'the log does not answer; the request may take effect; try again', context)
}
