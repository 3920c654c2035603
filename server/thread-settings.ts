/** Settings of threads, and of the memory that they share. */
import { integer, type Setting } from './setting.js'

export const threadSettings = {
  httpThreads: {
    name: 'SERVICE_HTTP_THREADS',
    schema: integer(1, 32),
    fallback: '1',
    meaning:
      'Threads that serve HTTP; 1: the main thread does; more are for machines with more than four cores, and need ' +
      'uWebSockets.js',
  },
  threads: {
    name: 'SERVICE_THREADS',
    schema: integer(1, 64),
    meaning: 'Threads that decide events; default: one less than the number of cores, at least one',
  },
  connectionsMax: {
    name: 'SERVICE_CONNECTIONS_MAX',
    schema: integer(16, 1_000_000),
    meaning:
      'Connections of clients at once; more are closed as they come; default: as many as the limit of open files ' +
      '(ulimit -n) leaves, 50000 at most',
  },
  trainers: { name: 'SERVICE_TRAINERS', schema: integer(1, 16), meaning: 'Threads that train; default: one' },
  modelMemoryMb: {
    name: 'SERVICE_MODEL_MEMORY_MB',
    schema: integer(1, 65_536),
    meaning:
      'Megabytes that models in memory take at most; the others come back when an event needs them; default: 256',
  },
} as const satisfies Record<string, Setting>
