/**
 * Processor time and memory of each thread and of the process, measured between two reads.
 *
 * 1. Threads of shards and the main thread are measured by the kernel. Threads that train, answer or deliver come and
 *    go: their share is how long their event loops were busy.
 * 2. A thread that does not answer in time has no sample; nothing waits for it.
 */
import { threadMs, type ThreadUsage } from '../../runtime/threads/thread-usage.js'
import { within } from '../../runtime/within.js'
import type { Integrations } from '../integrations/integrations.js'
import type { ReaderThreads } from '../readers/reader-threads.js'
import type { TrainingThreads } from '../training/training-threads.js'
import type { ReadableShards } from '../read/job-reader.js'
import type { Sample } from './sample-store.js'

export interface UsageDeps {
  readonly shards: ReadableShards
  readonly readers: ReaderThreads
  readonly trainingThreads: TrainingThreads
  readonly integrations: Integrations
}

/** How long a thread has for its answer. */
const ANSWER_MS = 2_000

/** Processor time so far in milliseconds, and memory in bytes. */
interface Reading {
  readonly ms: number | null
  readonly memory: number | null
}

export class Usage {
  readonly #deps: UsageDeps
  #before = new Map<string, number>()
  #beforeMs = 0

  constructor(deps: UsageDeps) {
    this.#deps = deps
  }

  /** Samples by container, such as `actor/0`. Shares are of the time since the last call. */
  async read(): Promise<Record<string, Sample>> {
    const readings = await this.#readings()
    const now = performance.now()
    const elapsed = now - this.#beforeMs
    const samples = [...readings].map(([name, { ms, memory }]): [string, Sample] => {
      const before = this.#before.get(name)
      // A restarted thread counts from zero again.
      const isKnown = ms !== null && before !== undefined && ms >= before && elapsed > 0
      return [name, [isKnown ? Math.round(((ms - before) / elapsed) * 10_000) / 100 : null, memory]]
    })
    this.#before = new Map([...readings].flatMap(([name, { ms }]) => (ms === null ? [] : [[name, ms]])))
    this.#beforeMs = now
    return Object.fromEntries(samples)
  }

  async #readings(): Promise<Map<string, Reading>> {
    const { shards, readers, trainingThreads, integrations } = this.#deps
    const { rss, heapUsed, external } = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    const mainThread = { ms: threadMs(process.pid), memory: heapUsed + external }
    const readings = new Map<string, Reading>([
      ['monitor/process', { ms: (user + system) / 1_000, memory: rss }],
      ['api/main', mainThread],
      ['monitor/main', mainThread],
      ['trainer/main', { ms: trainingThreads.busyMs, memory: trainingThreads.memoryBytes }],
      ['query/main', { ms: readers.busyMs, memory: readers.memoryBytes }],
      ['integration/main', { ms: 0, memory: 0 }],
    ])
    const answers = Array.from({ length: shards.threads }, async (_, thread) => {
      const usage = await within(ANSWER_MS, shards.readThreadUsage(thread)).catch(() => null)
      if (usage === null) return
      readings.set(`actor/${thread}`, { ms: usage.tid === null ? null : threadMs(usage.tid), memory: bytesOf(usage) })
    })
    if (integrations.isRunning) {
      readings.delete('integration/main')
      answers.push(
        within(ANSWER_MS, integrations.threadUsage())
          .catch(() => null)
          .then((usage) => {
            if (usage !== null) readings.set('integration/main', { ms: integrations.busyMs, memory: bytesOf(usage) })
          }),
      )
    }
    await Promise.all(answers)
    return readings
  }
}

function bytesOf({ heapBytes, externalBytes }: ThreadUsage): number {
  return heapBytes + externalBytes
}
