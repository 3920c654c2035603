/** How far a backup is, as its thread and the main thread tell each other: a number that both see. */

/** The thread is ready; nobody commits, so that it may take its snapshots; they stand. */
export const READY = 1
export const STILL = 2
export const TAKEN = 3
/** The thread is told to give up. */
export const GIVEN_UP = 4
