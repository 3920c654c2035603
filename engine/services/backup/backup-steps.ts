/** How far a backup is: one number in memory that its thread and the main thread share. */

/** The thread is ready to take its snapshots. */
export const READY = 1
/** Nobody commits: the thread may take them. */
export const STILL = 2
/** The snapshots are taken. */
export const TAKEN = 3
/** The thread has to stop. */
export const GIVEN_UP = 4
