/** What a test and the thread that dies for it share. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** Where a thread dies. */
export type Fate = 'live' | 'before the turn' | 'begun' | 'before the commit' | 'after the commit' | 'handed over'

/** Where a thread that commits dies. */
export type CommitFate = 'live' | 'before the commit' | 'after the commit' | 'said'

/** File in the data directory: each line is the fate of one turn, in order. */
export const FATES_FILE = 'fates'

/** The same for turns that were handed over. */
export const COMMIT_FATES_FILE = 'commit-fates'

/** Takes the first line of such a file. */
export function nextFate<T extends string>(path: string): T | 'live' {
  if (!existsSync(path)) return 'live'
  const [first, ...rest] = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, rest.join('\n'))
  return first === undefined || first === '' ? 'live' : (first as T)
}

/** File in the data directory: a byte for each thread that died for a fate. */
export const DEATHS_FILE = 'deaths'

/** While this file is in the data directory, no thread starts. */
export const NO_START_FILE = 'no-start'

/** The thread that begins a message with this id dies. */
export const DEADLY_ID = 'deadly'
