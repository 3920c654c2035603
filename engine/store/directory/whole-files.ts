/**
 * Checks that the files of a data directory are as long as their meta pages say, before the library opens them. The
 * library maps files into memory, and reading a page that is not there ends the process.
 *
 * Owns: this check at every start, two small reads for each file. Leaves out: all other damage (`npm run verify`).
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../errors.js'
import { META_PAGES, META_PAGE_BYTES, PageDamage, PageFile } from '../pages/page-file.js'
import { walkPages } from '../pages/page-walk.js'

/** No process may have the files open. @throws Refusal data_dir_invalid. */
export function mustBeWhole(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (!name.endsWith('.mdb')) continue
    const what = cutOff(join(dataDir, name))
    if (what !== null) {
      throw new Refusal(
        'data_dir_invalid',
        `${name} in the data directory ${dataDir} is damaged: ${what}; restore a backup`,
      )
    }
  }
}

/** True if the environment was ever written to. A file shorter than its meta pages was not, and is made anew. */
export function isMade(dataDir: string, name: string): boolean {
  return (statSync(join(dataDir, `${name}.mdb`), { throwIfNoEntry: false })?.size ?? 0) >= META_PAGES * META_PAGE_BYTES
}

/** How the file is cut off, or null if it is not. */
function cutOff(path: string): string | null {
  if (statSync(path).size < META_PAGES * META_PAGE_BYTES) return null
  let file: PageFile
  try {
    file = new PageFile(path)
  } catch (error) {
    if (error instanceof PageDamage) return error.message
    throw error
  }
  const {
    bytes,
    meta: { lastPage, pageBytes },
  } = file
  file.close()
  const expected = (lastPage + 1) * pageBytes
  if (bytes >= expected) return null
  // The last pages may be free and never written. Only the walk can tell.
  return walkPages(path).problems.length === 0 ? null : `it has ${bytes} bytes of ${expected}`
}
