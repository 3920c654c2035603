/**
 * Generates, hashes and compares keys and passwords (S19).
 *
 * A key has 256 random bits, so one SHA-256 is enough. A password is chosen by a person, so it needs scrypt.
 */
import { createHash, scrypt, scryptSync, timingSafeEqual, type ScryptOptions } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { Random } from '../../rng.js'
import type { PasswordRecord } from '../records.js'

const SECRET_BYTES = 32
const SALT_BYTES = 16
const PASSWORD_HASH_BYTES = 32
const PASSWORD_CHARS_MIN = 8

/** A fresh secret: 256 random bits in base64url. */
export function makeSecret(random: Random): string {
  return Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url')
}

/** A fresh id of an api key or a token: 96 random bits in hexadecimal. */
export function makeKeyId(random: Random): string {
  return Buffer.from(random.bytes(12)).toString('hex')
}

/** The stored form of a key. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex')
}

/** Compares two hashes in constant time. */
export function sameHash(a: string, b: string): boolean {
  const left = Buffer.from(a, 'hex')
  const right = Buffer.from(b, 'hex')
  return left.length === right.length && timingSafeEqual(left, right)
}

type ScryptSettings = Pick<PasswordRecord, 'cost' | 'blockSize' | 'parallelization'>

/** The base-2 logarithm of scrypt's cost that OWASP's password storage guidance gives for 16 MiB. */
export const PASSWORD_COST_DEFAULT = 14

/** The settings are stored in each record, so that the cost can be raised later. */
function scryptSettings(passwordCost: number): ScryptSettings {
  return { cost: 2 ** passwordCost, blockSize: 8, parallelization: 5 }
}

function scryptOptions({ cost, blockSize, parallelization }: ScryptSettings): ScryptOptions {
  return { cost, blockSize, parallelization, maxmem: 256 * cost * blockSize }
}

/** The record of a password. Blocks this thread for a few hundred milliseconds: only for the first start. */
export function hashPassword(password: string, random: Random, passwordCost = PASSWORD_COST_DEFAULT): PasswordRecord {
  const salt = random.bytes(SALT_BYTES)
  const settings = scryptSettings(passwordCost)
  const hash = scryptSync(password, salt, PASSWORD_HASH_BYTES, scryptOptions(settings)).toString('hex')
  return { salt: Buffer.from(salt).toString('hex'), hash, ...settings }
}

/** The hash of a password with these settings, computed off this thread. */
function hashOffThread(password: string, settings: Omit<PasswordRecord, 'hash'>): Promise<string> {
  return new Promise((resolve, reject) => {
    const salt = Buffer.from(settings.salt, 'hex')
    scrypt(password, salt, PASSWORD_HASH_BYTES, scryptOptions(settings), (error, hash) => {
      if (error === null) resolve(hash.toString('hex'))
      else reject(error)
    })
  })
}

/** Resolves to true where the record is of this password. Hashes off this thread. */
export async function passwordMatches(password: string, record: PasswordRecord): Promise<boolean> {
  return sameHash(await hashOffThread(password, record), record.hash)
}

/** A record that no password matches. Comparing takes as long as with any record of that cost. */
export function unmatchedPassword(random: Random, passwordCost = PASSWORD_COST_DEFAULT): PasswordRecord {
  const hex = (bytes: number): string => Buffer.from(random.bytes(bytes)).toString('hex')
  return { salt: hex(SALT_BYTES), hash: hex(PASSWORD_HASH_BYTES), ...scryptSettings(passwordCost) }
}

/** At most half of the cores, so that an attack from many addresses leaves the other half for events. */
const HASHES_AT_ONCE = Math.max(1, Math.min(limits.passwordHashesAtOnce, availableParallelism() >> 1))

/**
 * Hashes and compares passwords off this thread, a few at once. The others wait in order, strangers behind trusted
 * users. Rejects with too_many_attempts where too many wait.
 */
export class PasswordHasher {
  readonly #random: Random
  readonly #passwordCost: number
  readonly #trusted: (() => void)[] = []
  readonly #strangers: (() => void)[] = []
  #running = 0

  constructor(random: Random, passwordCost = PASSWORD_COST_DEFAULT) {
    this.#random = random
    this.#passwordCost = passwordCost
  }

  /** The record of a new password, for an authenticated caller. */
  async hash(password: string): Promise<PasswordRecord> {
    const settings = {
      salt: Buffer.from(this.#random.bytes(SALT_BYTES)).toString('hex'),
      ...scryptSettings(this.#passwordCost),
    }
    return this.#run(async () => ({ ...settings, hash: await hashOffThread(password, settings) }), this.#trusted)
  }

  matches(password: string, record: PasswordRecord, isTrusted = false): Promise<boolean> {
    return this.#run(() => passwordMatches(password, record), isTrusted ? this.#trusted : this.#strangers)
  }

  async #run<T>(work: () => Promise<T>, waiting: (() => void)[]): Promise<T> {
    if (this.#running >= HASHES_AT_ONCE) {
      if (waiting.length >= limits.passwordHashesWaitingMax) {
        throw new Refusal('too_many_attempts', 'too many passwords are being checked; try again later', {
          retryAfterSeconds: 5,
        })
      }
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      this.#running++
    }
    try {
      return await work()
    } finally {
      const next = this.#trusted.shift() ?? this.#strangers.shift()
      if (next === undefined) this.#running--
      else next()
    }
  }
}

/** Why a chosen key is invalid, or null. */
export function badKey(key: string): string | null {
  if (!/^[\x21-\x7e]*$/.test(key)) return 'may have only printable ASCII characters and no spaces'
  if (key.length < 16) return 'must have at least 16 characters'
  return key.length > limits.secretCharsMax ? `must have at most ${limits.secretCharsMax} characters` : null
}

/** Why a chosen password is invalid, or null. */
export function badPassword(password: string): string | null {
  if (password.trim().length < PASSWORD_CHARS_MIN) return 'must have at least 8 characters'
  return password.length > limits.secretCharsMax ? `must have at most ${limits.secretCharsMax} characters` : null
}
