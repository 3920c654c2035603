/** What a test and the thread that dies for it have to agree on. */

/** Where a thread dies. */
export type Fate = 'live' | 'at the door' | 'begun' | 'before the commit' | 'after the commit'

/** File in the data directory: each line is the fate of one turn, in order. */
export const FATES_FILE = 'fates'

/** While this file is in the data directory no thread starts. */
export const NO_START_FILE = 'no-start'

/** A message with this id ends the thread that begins with it. */
export const DEADLY_ID = 'deadly'
