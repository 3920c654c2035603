/**
 * What processes of tests are started with on Node.js 20: they compile less, and leave nothing to other threads. Later
 * ones optimise late by themselves, and have another name for it.
 *
 * V8 optimises a function after so many bytes of bytecode. Most functions of a test end soon after that, so compiling
 * costs more than it saves: a tenth to a fifth of the processor time of a file. With a larger budget only what runs
 * long is optimised. Other threads that compile and collect garbage cost a twentieth, and processes run side by side
 * already. Threads of the process have the same flags.
 */
import { setFlagsFromString } from 'node:v8'

/** Bytes of bytecode; the usual budget is 67,584. Five million would cost more again. */
const budget = '--interrupt-budget=500000'

export const shortLived: readonly string[] = process.versions.v8.startsWith('11.') ? [budget, '--single-threaded'] : []

// Importing this file lets a process compile less that was started without it.
if (shortLived.includes(budget)) setFlagsFromString(budget)
