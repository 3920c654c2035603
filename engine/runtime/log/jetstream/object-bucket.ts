/**
 * Objects in a bucket of JetStream: bytes of any length under a name.
 *
 * Owns: the chunks of an object, their order, and that nothing of a deleted or half-stored object stays. Leaves out:
 * what objects mean (large-records.ts, snapshots/).
 *
 * The layout is that of an object store of NATS, so its command line shows it: `nats object ls BUCKET`.
 *
 * 1. An object is there when its entry is, which is written after its last chunk.
 * 2. Reading keeps no state in the servers, as stream-reader.ts. The hash in the entry is compared at the end.
 * 3. Where one chunk is not acknowledged, the object is given up: a chunk that is sent again might be out of order.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { JetStreamClient, JetStreamManager, StoredMsg } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { LogUnavailable } from '../turn-log.js'
import { chunksOf, encodeName, type ObjectEntry } from './object-entry.js'
import { pause, RETRY_MS } from './until-answered.js'

/** Chunks that are sent without an acknowledgement. */
const UNDER_WAY_MAX = 8
/** Milliseconds until a chunk has to be acknowledged, and until a reader without a chunk gives up. */
const STORE_MS = 10_000
const SILENT_MS = 10_000
/** Milliseconds until one request has to be answered. */
const ANSWER_MS = 5_000
/** Milliseconds until a batch has to be there; chunks in it, and bytes. */
const BATCH_MS = 3_000
const BATCH = 64
const BATCH_BYTES = 8 * 1024 ** 2
/** Chunks without an entry, whose last is older than this, are remains of a process that died. */
const REMAINS_MS = 3_600_000
const NOT_FOUND: readonly number[] = [10_037, 10_059]

/** The object is not there, or not as it was stored. */
export class ObjectDamaged extends Error {}

export interface ObjectBucketDeps {
  readonly js: JetStreamClient
  readonly manager: JetStreamManager
  readonly bucket: string
  readonly replicas: number
}

export class ObjectBucket {
  readonly #deps: ObjectBucketDeps
  readonly #stream: string
  readonly #subjects: string
  #opened: Promise<unknown> | null = null

  /** The bucket is made where it is needed first. */
  static async over(
    connection: NatsConnection,
    { bucket, replicas }: Pick<ObjectBucketDeps, 'bucket' | 'replicas'>,
  ): Promise<ObjectBucket> {
    const { jetstream, jetstreamManager } = await import('@nats-io/jetstream')
    const manager = await jetstreamManager(connection, { timeout: ANSWER_MS, checkAPI: false })
    return new ObjectBucket({ js: jetstream(connection, { timeout: ANSWER_MS }), manager, bucket, replicas })
  }

  constructor(deps: ObjectBucketDeps) {
    this.#deps = deps
    this.#stream = `OBJ_${deps.bucket}`
    this.#subjects = `$O.${deps.bucket}`
  }

  /** Stores an object; resolves when it survives a power cut. A name is used for one object only. */
  async put(name: string, pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
    await this.#open()
    const nuid = randomBytes(11).toString('hex')
    const sha = createHash('sha256')
    let [size, chunks] = [0, 0]
    const underWay: Promise<unknown>[] = []
    try {
      for await (const chunk of chunksOf(pieces)) {
        sha.update(chunk)
        size += chunk.length
        chunks++
        const stored = this.#deps.js.publish(this.#chunksOf(nuid), chunk, { timeout: STORE_MS })
        stored.catch(() => {})
        underWay.push(stored)
        if (underWay.length >= UNDER_WAY_MAX) await underWay.shift()
      }
      await Promise.all(underWay)
      const digest = `SHA-256=${sha.digest('base64').replaceAll('+', '-').replaceAll('/', '_')}`
      const entry: ObjectEntry = {
        name,
        bucket: this.#deps.bucket,
        nuid,
        size,
        chunks,
        digest,
        mtime: new Date().toISOString(),
      }
      await this.#deps.js.publish(this.#entryOf(name), JSON.stringify(entry), { timeout: STORE_MS })
    } catch (error) {
      await this.#purge(this.#chunksOf(nuid)).catch(() => {})
      throw error
    }
  }

  async has(name: string): Promise<boolean> {
    return (await this.#entry(name)) !== null
  }

  /** The bytes of an object. Throws ObjectDamaged, also behind the last of them, and LogUnavailable. */
  async *get(name: string): AsyncGenerator<Uint8Array> {
    const entry = await this.#entry(name)
    if (entry === null) throw new ObjectDamaged(`there is no object ${name} in ${this.#deps.bucket}`)
    const sha = createHash('sha256')
    let [size, chunks, next] = [0, 0, 1]
    for (let end = performance.now() + SILENT_MS; chunks < entry.chunks; ) {
      const batch = await this.#batch(entry, next)
      if (batch.length > 0) end = performance.now() + SILENT_MS
      else if (performance.now() < end) await pause(RETRY_MS)
      else if (await this.#isGone(entry)) throw new ObjectDamaged(`chunks of the object ${name} are missing`)
      else throw new LogUnavailable(`the NATS servers do not give the object ${name}`)
      for (const { seq, data } of batch) {
        sha.update(data)
        size += data.length
        chunks++
        next = seq + 1
        yield data
      }
    }
    const digest = Buffer.from(entry.digest.replace('SHA-256=', ''), 'base64url')
    if (size !== entry.size || !sha.digest().equals(digest))
      throw new ObjectDamaged(`the object ${name} is not what was stored`)
  }

  async delete(name: string): Promise<void> {
    const entry = await this.#entry(name)
    if (entry === null) return
    // The entry first: without it nobody reads chunks.
    await this.#purge(this.#entryOf(name))
    await this.#purge(this.#chunksOf(entry.nuid))
  }

  async names(): Promise<string[]> {
    const subjects = await this.#subjectsBelow('M')
    return subjects.map((name) => Buffer.from(name, 'base64url').toString())
  }

  /** Deletes the chunks of objects that were never completed. */
  async deleteRemains(olderMs = REMAINS_MS): Promise<void> {
    const ids = new Set(await this.#subjectsBelow('C'))
    for (const name of ids.size === 0 ? [] : await this.names()) ids.delete((await this.#entry(name))?.nuid ?? '')
    for (const id of ids) {
      const last = await this.#last(this.#chunksOf(id))
      if (last !== null && Date.now() - last.time.getTime() > olderMs) await this.#purge(this.#chunksOf(id))
    }
  }

  #chunksOf(nuid: string): string {
    return `${this.#subjects}.C.${nuid}`
  }

  #entryOf(name: string): string {
    return `${this.#subjects}.M.${encodeName(name)}`
  }

  async #purge(filter: string): Promise<void> {
    await this.#deps.manager.streams.purge(this.#stream, { filter })
  }

  async #entry(name: string): Promise<ObjectEntry | null> {
    const found = await this.#last(this.#entryOf(name))
    return found === null ? null : (found.json() as ObjectEntry)
  }

  /** The last message of a subject, from the stream's leader. */
  async #last(subject: string): Promise<StoredMsg | null> {
    try {
      return await this.#deps.manager.streams.getMessage(this.#stream, { last_by_subj: subject })
    } catch (error) {
      if (isNotFound(error)) return null
      throw error
    }
  }

  /** Where chunks do not come, the object may have been deleted meanwhile, or its chunks may be lost. */
  async #isGone({ name, nuid, chunks }: ObjectEntry): Promise<boolean> {
    if ((await this.#entry(name))?.nuid !== nuid) return true
    const { state } = await this.#deps.manager.streams.info(this.#stream, { subjects_filter: this.#chunksOf(nuid) })
    return (state.subjects?.[this.#chunksOf(nuid)] ?? 0) < chunks
  }

  /** Some chunks from a sequence on; none where the servers do not answer. */
  async #batch({ nuid }: ObjectEntry, next: number): Promise<StoredMsg[]> {
    const found: StoredMsg[] = []
    try {
      const answers = await this.#deps.manager.direct.getBatch(this.#stream, {
        seq: next,
        next_by_subj: this.#chunksOf(nuid),
        batch: BATCH,
        max_bytes: BATCH_BYTES,
      })
      const timer = setTimeout(() => answers.stop(), BATCH_MS)
      try {
        for await (const answer of answers as AsyncIterable<StoredMsg>) found.push(answer)
      } finally {
        clearTimeout(timer)
      }
    } catch {
      // What came before the failure is right.
    }
    return found
  }

  /** The last tokens of all subjects of a kind. */
  async #subjectsBelow(kind: 'C' | 'M'): Promise<string[]> {
    const prefix = `${this.#subjects}.${kind}.`
    try {
      const { state } = await this.#deps.manager.streams.info(this.#stream, { subjects_filter: `${prefix}>` })
      return Object.keys(state.subjects ?? {}).map((subject) => subject.slice(prefix.length))
    } catch (error) {
      if (isNotFound(error)) return []
      throw error
    }
  }

  #open(): Promise<unknown> {
    this.#opened ??= this.#make()
    // The next call tries again.
    this.#opened.catch(() => (this.#opened = null))
    return this.#opened
  }

  async #make(): Promise<unknown> {
    const { js, bucket, replicas } = this.#deps
    const { Objm } = await import('@nats-io/obj')
    return await new Objm(js).create(bucket, { storage: 'file' as never, replicas })
  }
}

function isNotFound(error: unknown): boolean {
  return NOT_FOUND.includes((error as { code?: unknown }).code as number)
}
