/**
 * Records that are larger than a message of NATS may be: an object holds the record, and the stream a reference to it.
 *
 * Owns: objects and references. Leaves out: the stream (jetstream-log.ts).
 *
 * | 0 255 u8 | 1 SHA-256 of the record, 32 bytes |
 *
 * 1. An object is stored before its reference. Its name is the stream, the sequence that its reference is to have, and
 *    the hash of its bytes. So storing it again changes nothing, and it goes with the records up to that sequence.
 * 2. What is read is checked by its hash.
 */
import { createHash } from 'node:crypto'
import { ObjectBucket, type ObjectBucketDeps } from './object-bucket.js'

/** No format of a record (turn-record.ts). */
const REFERENCE = 255
const REFERENCE_BYTES = 33

function hashOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}

export interface LargeRecordsDeps extends ObjectBucketDeps {
  /** Of the records. Several streams share a bucket. */
  readonly stream: string
}

export class LargeRecords {
  readonly #stream: string
  readonly #objects: ObjectBucket

  constructor(deps: LargeRecordsDeps) {
    this.#stream = deps.stream
    this.#objects = new ObjectBucket(deps)
  }

  static isReference(bytes: Uint8Array): boolean {
    return bytes.length === REFERENCE_BYTES && bytes[0] === REFERENCE
  }

  /** Stores the record that is to be at this sequence; returns the reference to it. */
  async put(bytes: Uint8Array, sequence: number): Promise<Uint8Array> {
    const hash = hashOf(bytes)
    const name = this.#nameOf(sequence, hash)
    if (!(await this.#objects.has(name))) await this.#objects.put(name, [bytes])
    return Buffer.concat([Buffer.of(REFERENCE), hash])
  }

  /** The record at this sequence, which the reference is of. */
  async get(reference: Uint8Array, sequence: number): Promise<Uint8Array> {
    const hash = Buffer.from(reference.subarray(1))
    const name = this.#nameOf(sequence, hash)
    const pieces: Uint8Array[] = []
    for await (const piece of this.#objects.get(name)) pieces.push(piece)
    const bytes = Buffer.concat(pieces)
    if (!hashOf(bytes).equals(hash)) throw new Error(`the object ${name} is another record`)
    return bytes
  }

  /** Deletes the objects of records up to this sequence. */
  async purge(through: number): Promise<void> {
    for (const name of await this.#objects.names()) {
      const [stream, sequence] = name.split('.')
      if (stream === this.#stream && Number(sequence) <= through) await this.#objects.delete(name)
    }
    await this.#objects.deleteRemains()
  }

  #nameOf(sequence: number, hash: Buffer): string {
    return `${this.#stream}.${sequence}.${hash.toString('hex')}`
  }
}
