/**
 * What a start looks at before the native library opens the files: whether their pages hang together. Where they do
 * not, the library would read beyond the end of a file, and the process would end without a sentence.
 *
 * Owns: which files, and how long it may take. Leaves out: how pages hang together (page-walk.ts), whether values are
 * what was written, which a read finds, and all else (verify.ts).
 */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../errors.js'
import { META_PAGE_BYTES, META_PAGES } from '../../store/pages/page-file.js'
import type { PageProblem } from '../../store/pages/page-use.js'
import { firstDamage } from '../../store/pages/page-walk.js'

/** After this time only the pages that lead to entries are looked at, so that a large directory starts soon. */
const LEAVES_MS = 1_000

/** What helps a service that is one process. */
const RESTORE = 'Restore a backup; npm run verify lists what is damaged'

/** `remedy`: a sentence about what helps, without its full stop. */
export function damagedFile(dataDir: string, file: string, damage: PageProblem, remedy: string = RESTORE): Refusal {
  const page = damage.page === null ? '' : `page ${damage.page} `
  return new Refusal(
    'data_dir_invalid',
    `${file} in the data directory ${dataDir} is damaged: ${page}${damage.what}. Nothing was changed. ${remedy}`,
  )
}

/** Returns the files of which not all pages were looked at (page-check.ts). @throws Refusal data_dir_invalid. */
export function mustHaveSoundPages(dataDir: string, shards: number, remedy?: string): string[] {
  const begun = performance.now()
  const hasTime = (): boolean => performance.now() - begun < LEAVES_MS
  const names = ['catalog', 'integrations', ...Array.from({ length: shards }, (_, shard) => `shard-${shard}`)]
  const unchecked = new Set<string>()
  for (const file of names.map((name) => `${name}.mdb`)) {
    const path = join(dataDir, file)
    // A shorter file was cut off while it was made, and is made anew (store-file.ts).
    if (!existsSync(path) || statSync(path).size < META_PAGES * META_PAGE_BYTES) continue
    const damage = firstDamage(path, () => {
      const reads = hasTime()
      if (!reads) unchecked.add(file)
      return reads
    })
    if (damage !== null) throw damagedFile(dataDir, file, damage, remedy)
  }
  return [...unchecked]
}
