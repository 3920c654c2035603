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
import { firstDamage } from '../../store/pages/page-walk.js'

/** After this time only the pages that lead to entries are looked at, so that a large directory starts soon. */
const LEAVES_MS = 1_000

/** @throws Refusal data_dir_invalid. */
export function mustHaveSoundPages(dataDir: string, shards: number): void {
  const begun = performance.now()
  const readsLeaves = (): boolean => performance.now() - begun < LEAVES_MS
  const names = ['catalog', 'integrations', ...Array.from({ length: shards }, (_, shard) => `shard-${shard}`)]
  for (const file of names.map((name) => `${name}.mdb`)) {
    const path = join(dataDir, file)
    // A shorter file was cut off while it was made, and is made anew (store-file.ts).
    if (!existsSync(path) || statSync(path).size < META_PAGES * META_PAGE_BYTES) continue
    const damage = firstDamage(path, readsLeaves)
    if (damage === null) continue
    const page = damage.page === null ? '' : `page ${damage.page} `
    throw new Refusal(
      'data_dir_invalid',
      `${file} in the data directory ${dataDir} is damaged: ${page}${damage.what}. Nothing was changed. ` +
        'Restore a backup; npm run verify lists what is damaged',
    )
  }
}
