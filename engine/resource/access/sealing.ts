/**
 * Encrypts the secrets of integrations at rest (S19). The key is outside the database. Secrets are opened only where
 * they are used.
 *
 * Owns: the form of a sealed value. Leaves out: which parameters are secret (parameters.ts), the key's file
 * (directory/data-dir.ts).
 *
 * 1. AES-256-GCM with a fresh nonce: equal secrets look different, and a changed byte is detected.
 * 2. Only sealed values are objects, so they are recognized without their parameter.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { assert } from '../../assert.js'
import type { Random } from '../../rng.js'

export const SEALING_KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const VERSION = 1

/** A secret as it is stored: base64url of version, nonce, tag and text. */
export interface Sealed {
  readonly sealed: string
}

export function isSealed(value: unknown): value is Sealed {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Sealed>).sealed === 'string'
}

export class Sealer {
  readonly #key: Uint8Array
  readonly #random: Random

  /** `key`: SEALING_KEY_BYTES random bytes. */
  constructor(key: Uint8Array, random: Random) {
    assert(key.length === SEALING_KEY_BYTES, 'a sealing key of 256 bits')
    this.#key = key
    this.#random = random
  }

  seal(text: string): Sealed {
    const nonce = this.#random.bytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce)
    const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return { sealed: Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), hidden]).toString('base64url') }
  }

  /** The text; null where it was sealed with another key, or was changed. */
  open({ sealed }: Sealed): string | null {
    const bytes = Buffer.from(sealed, 'base64url')
    const start = 1 + NONCE_BYTES + TAG_BYTES
    if (bytes[0] !== VERSION || bytes.length < start) return null
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(1, 1 + NONCE_BYTES))
      decipher.setAuthTag(bytes.subarray(1 + NONCE_BYTES, start))
      return Buffer.concat([decipher.update(bytes.subarray(start)), decipher.final()]).toString('utf8')
    } catch {
      return null
    }
  }
}
