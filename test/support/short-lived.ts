/**
 * Importing this file lets a process of tests compile less on Node.js 20. Later ones optimise late by themselves, and
 * have another name for it.
 *
 * V8 optimises a function after so many bytes of bytecode. Most functions of a test end soon after that, so compiling
 * costs more than it saves: a tenth to a fifth of the processor time of a file. With a larger budget only what runs
 * long is optimised. Threads of the process have the same budget.
 */
import { setFlagsFromString } from 'node:v8'

/** For processes that a test starts. Bytes of bytecode; the usual one is 67,584. Five million would cost more again. */
export const shortLived: readonly string[] = process.versions.v8.startsWith('11.') ? ['--interrupt-budget=500000'] : []

for (const flag of shortLived) setFlagsFromString(flag)
