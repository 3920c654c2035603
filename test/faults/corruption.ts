/**
 * Single bytes of a data directory changed at random, one at a time, and what verifying says of each.
 *
 * 1. `found`: verifying names something. `harmless`: it names nothing, and every table has the same entries, and finds each by its
 *    key, as before: the byte was in a free page, or in a part of a page that nobody reads. `missed`: it names nothing, and what is
 *    read differs, or the process went down reading it, or a file was changed by looking. There must be none of those.
 * 2. Each trial follows from the seed and its number alone, so one can be run again.
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

export type Fate = 'found' | 'harmless' | 'missed'

export interface Trial {
  readonly number: number
  readonly file: string
  readonly page: number
  /** Of the page, by its header; what is behind the first page of a long value has none. */
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
/** One trial in so many is anywhere in the file, free pages included; the others are where something is. */
const ANYWHERE = 10

function tablesOf(name: string): readonly string[] {
  return name === 'catalog' ? allCatalogTables : name === 'integrations' ? ledgerTables : shardTables
}

/** A hash of every entry as a walk shows it, and as it is found by its key. */
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

  /** Nobody else uses the directory, and it is sound. */
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
    // Large files have more bytes that can go wrong.
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
