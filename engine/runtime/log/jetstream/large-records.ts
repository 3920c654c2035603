/**
 * Records that are larger than a message of NATS may be: an object holds the record, and the stream a reference to it.
 *
 * Owns: objects and references. Leaves out: the stream (jetstream-log.ts).
 *
 * | 0 255 u8 | 1 SHA-256 of the record, 32 bytes |
 *
 * 1. An object is stored before its reference. Its name is the hash of its bytes, so storing it again changes nothing.
 * 2. What is read is checked by its hash.
 */
import { createHash } from 'node:crypto'
import type { JetStreamClient } from '@nats-io/jetstream'
import type { ObjectStore } from '@nats-io/obj'

/** No format of a record (turn-record.ts). */
const REFERENCE = 255
const REFERENCE_BYTES = 33
const CHUNK_BYTES = 128 * 1024
const STORE_MS = 10_000

function hashOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}

export class LargeRecords {
  readonly #js: JetStreamClient
  readonly #bucket: string
  readonly #replicas: number
  #store: Promise<ObjectStore> | null = null

  constructor(js: JetStreamClient, bucket: string, replicas: number) {
    this.#js = js
    this.#bucket = bucket
    this.#replicas = replicas
  }

  static isReference(bytes: Uint8Array): boolean {
    return bytes.length === REFERENCE_BYTES && bytes[0] === REFERENCE
  }

  /** Stores the record; returns the reference to it. */
  async put(bytes: Uint8Array): Promise<Uint8Array> {
    const hash = hashOf(bytes)
    const store = await this.#open()
    const name = hash.toString('hex')
    const options = { max_chunk_size: CHUNK_BYTES }
    if ((await store.info(name)) === null) await store.putBlob({ name, options }, bytes, { timeout: STORE_MS })
    return Buffer.concat([Buffer.of(REFERENCE), hash])
  }

  /** The record that a reference is of. */
  async get(reference: Uint8Array): Promise<Uint8Array> {
    const name = Buffer.from(reference.subarray(1)).toString('hex')
    const bytes = await (await this.#open()).getBlob(name)
    if (bytes === null || hashOf(bytes).toString('hex') !== name)
      throw new Error(`the object ${name} of ${this.#bucket} is missing or damaged`)
    return bytes
  }

  #open(): Promise<ObjectStore> {
    this.#store ??= this.#make()
    // The next call tries again.
    this.#store.catch(() => (this.#store = null))
    return this.#store
  }

  async #make(): Promise<ObjectStore> {
    const { Objm } = await import('@nats-io/obj')
    return await new Objm(this.#js).create(this.#bucket, { storage: 'file' as never, replicas: this.#replicas })
  }
}
