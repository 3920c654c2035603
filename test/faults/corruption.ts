/**
 * Changes single bytes of a data directory at random, one at a time, and records what verifying reports.
 *
 * 1. Each trial has one of three results, and none may be `missed`.
 * 2. Each trial depends on the seed and its number alone, so it can be run again.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync, writeSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { allCatalogTables } from '../../engine/services/catalog-tables.js'
import { verifyDataDir } from '../../engine/index.js'
import { ledgerTables } from '../../engine/integration/delivery/ledger.js'
import { SeededRandom } from '../../engine/rng.js'
import { openReadOnly } from '../../engine/store/directory/environments.js'
import { walkPages } from '../../engine/store/pages/page-walk.js'
import { shardTables } from '../../engine/store/tables.js'

/**
 * Found: verifying reports something. Missed: it reports nothing, but what is read has changed, reading ends the
 * process, or looking changed a file. Harmless: nothing is reported, every table has the same entries as before, and
 * each is found by its key. The byte was in a free page then, or in a part of a page that is never read.
 */
export type Fate = 'found' | 'harmless' | 'missed'

export interface Trial {
  readonly number: number
  readonly file: string
  readonly page: number
  /** The kind of the page, by its header. The later pages of a long value have no header. */
  readonly kind: 'meta' | 'branch' | 'leaf' | 'long value' | 'free'
  readonly at: number
  readonly from: number
  readonly to: number
  readonly fate: Fate
  /** What verifying named first, or how the contents differ. */
  readonly what: string
}

const PAGE_BYTES = 8192
const FLAGS_AT = 18
const kinds: Readonly<Record<number, Trial['kind']>> = { 1: 'branch', 2: 'leaf', 8: 'meta' }
/** One trial in this many picks any byte of the file, free pages included. The others pick a page in use. */
const ANYWHERE = 10

function tablesOf(name: string): readonly string[] {
  return name === 'catalog' ? allCatalogTables : name === 'integrations' ? ledgerTables : shardTables
}

/** A hash of every entry, both as a scan shows it and as its key finds it. */
async function contentsOf(dir: string, name: string): Promise<string> {
  const environment = openReadOnly(dir, name)
  try {
    const hash = createHash('sha256')
    for (const table of tablesOf(name)) {
      for (const { key, value } of environment.range(table, {})) {
        const found = environment.get(table, key)
        hash
          .update(`${table} ${key.length} ${value.length} ${found?.length ?? -1}`)
          .update(key)
          .update(value)
          .update(found ?? '')
      }
    }
    return hash.digest('hex')
  } finally {
    await environment.close()
  }
}

interface Target {
  readonly file: string
  readonly bytes: number
  readonly used: readonly number[]
}

export class Corruption {
  readonly #dir: string
  readonly #seed: number
  readonly #targets: readonly Target[]
  readonly #contents = new Map<string, string>()
  readonly #whole: string

  /** The directory must be sound, and nobody else may use it. */
  constructor(dir: string, seed: number) {
    this.#dir = dir
    this.#seed = seed
    this.#targets = readdirSync(dir)
      .filter((file) => file.endsWith('.mdb'))
      .sort()
      .map((file) => {
        const report = walkPages(join(dir, file))
        const used = report.usedPages()
        return { file, bytes: (Math.max(...used) + 1) * PAGE_BYTES, used }
      })
    this.#whole = this.#files()
  }

  async run(number: number): Promise<Trial> {
    const random = new SeededRandom(this.#seed * 1_000_003 + number)
    // Large files get more trials: they have more bytes that can go wrong.
    const pages = this.#targets.reduce((sum, { used }) => sum + used.length, 0)
    let place = random.below(pages)
    const target = this.#targets.find(({ used }) => (place -= used.length) < 0) as Target
    const anywhere = random.below(ANYWHERE) === 0
    const page = anywhere
      ? random.below(target.bytes / PAGE_BYTES)
      : (target.used[random.below(target.used.length)] as number)
    const at = page * PAGE_BYTES + random.below(PAGE_BYTES)
    const name = target.file.slice(0, -'.mdb'.length)
    if (!this.#contents.has(name)) this.#contents.set(name, await contentsOf(this.#dir, name))
    const file = openSync(join(this.#dir, target.file), 'r+')
    const byte = Buffer.alloc(1)
    readSync(file, byte, 0, 1, at)
    const flags = Buffer.alloc(2)
    readSync(file, flags, 0, 2, page * PAGE_BYTES + FLAGS_AT)
    const from = byte[0] as number
    const to = from ^ (1 + random.below(255))
    const kind = target.used.includes(page) ? (kinds[flags.readUInt16LE()] ?? 'long value') : 'free'
    writeSync(file, Buffer.of(to), 0, 1, at)
    const judged = await this.#judge(name)
    writeSync(file, Buffer.of(from), 0, 1, at)
    closeSync(file)
    const fared =
      this.#files() === this.#whole ? judged : { fate: 'missed' as const, what: 'the files were changed by looking' }
    return { number, file: target.file, page, kind, at: at % PAGE_BYTES, from, to, ...fared }
  }

  #files(): string {
    const hash = createHash('sha256')
    for (const { file } of this.#targets) hash.update(readFileSync(join(this.#dir, file)))
    return hash.digest('hex')
  }

  async #judge(name: string): Promise<{ fate: Fate; what: string }> {
    try {
      const [first] = (await verifyDataDir(this.#dir)).problems
      if (first !== undefined) return { fate: 'found', what: `${first.file} ${first.table} ${first.what}` }
    } catch (error) {
      return { fate: 'found', what: `refused: ${(error as Error).message}` }
    }
    const same = (await contentsOf(this.#dir, name)) === this.#contents.get(name)
    return same ? { fate: 'harmless', what: '' } : { fate: 'missed', what: 'the contents differ' }
  }
}
