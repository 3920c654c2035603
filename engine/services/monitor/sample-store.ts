/**
 * CPU and memory over time, in the catalog's environment: the older a sample, the coarser.
 *
 * | table   | key                                  | value                                                           |
 * |---------|--------------------------------------|-----------------------------------------------------------------|
 * | samples | tier u8, time u64 (big-endian, µs)   | version u8, JSON: by container, [percent of a core, bytes]      |
 *
 * 1. Samples are collected for a while and written together. Those that a process had not written when it died are
 *    lost.
 * 2. A tier keeps as much as its longest query needs: a new row replaces the oldest.
 */
import type { TimeSelector } from '../../api/container-service.js'
import { commitOrWait } from '../../store/commit-or-wait.js'
import { WriteBatch, type Environment } from '../../store/environment.js'

export const samplesTable = 'samples'

/** Percent of one core, and bytes; null where unknown. */
export type Sample = readonly [cpu: number | null, memory: number | null]

/** Seconds between two samples. */
export const SAMPLE_SECONDS = 10

/** Seconds that a row covers, and for which it is kept. */
const tiers = [
  { seconds: SAMPLE_SECONDS, keepSeconds: 3_600 },
  { seconds: 60, keepSeconds: 86_400 },
  { seconds: 600, keepSeconds: 7 * 86_400 },
] as const

/** The tier and the length of each span that clients can choose. */
const spans: Readonly<Record<TimeSelector, { readonly tier: number; readonly seconds: number }>> = {
  '5m': { tier: 0, seconds: 300 },
  '15m': { tier: 0, seconds: 900 },
  '1h': { tier: 0, seconds: 3_600 },
  '6h': { tier: 1, seconds: 21_600 },
  '24h': { tier: 1, seconds: 86_400 },
  '7d': { tier: 2, seconds: 604_800 },
}

const VERSION = 1
const KEY_BYTES = 9
/** Rows that may wait for the disk. Of more, the oldest are dropped. */
const WAITING_MAX = 512

interface Row {
  readonly tier: number
  readonly micros: number
  readonly samples: Readonly<Record<string, Sample>>
}

/** The mean of CPU and the maximum of memory over the samples of one row. */
class Mean {
  /** Time of the first sample, microseconds; 0 where there is none. */
  since = 0
  readonly #sums = new Map<string, { cpu: number; cpus: number; memory: number | null }>()

  add(samples: Readonly<Record<string, Sample>>): void {
    for (const [name, [cpu, memory]] of Object.entries(samples)) {
      let sum = this.#sums.get(name)
      if (sum === undefined) this.#sums.set(name, (sum = { cpu: 0, cpus: 0, memory: null }))
      if (cpu !== null) {
        sum.cpu += cpu
        sum.cpus++
      }
      if (memory !== null) sum.memory = Math.max(sum.memory ?? 0, memory)
    }
  }

  /** The row of what was added since the last call. */
  take(): Record<string, Sample> {
    const means = [...this.#sums].map(([name, { cpu, cpus, memory }]): [string, Sample] => {
      return [name, [cpus === 0 ? null : Math.round((cpu / cpus) * 100) / 100, memory]]
    })
    this.#sums.clear()
    return Object.fromEntries(means)
  }
}

export class SampleStore {
  readonly #environment: Environment
  readonly #means = tiers.map(() => new Mean())
  #waiting: Row[] = []
  #latest: Readonly<Record<string, Sample>> = {}

  constructor(environment: Environment) {
    this.#environment = environment
  }

  latest(container: string): Sample {
    return this.#latest[container] ?? [null, null]
  }

  add(micros: number, samples: Readonly<Record<string, Sample>>): void {
    this.#latest = samples
    for (const [tier, { seconds }] of tiers.entries()) {
      const mean = this.#means[tier] as Mean
      // The clock was set back: start the row anew.
      if (mean.since === 0 || mean.since > micros) mean.since = micros
      mean.add(samples)
      // Half a sample of tolerance: timers are never exact.
      if (micros - mean.since < (seconds - 1.5 * SAMPLE_SECONDS) * 1e6) continue
      this.#waiting.push({ tier, micros, samples: mean.take() })
      mean.since = 0
    }
    if (this.#waiting.length > WAITING_MAX) this.#waiting.splice(0, this.#waiting.length - WAITING_MAX)
  }

  /** Writes collected rows and deletes old ones. On a full disk the rows wait. */
  flush(nowMicros: number): void {
    if (this.#waiting.length === 0) return
    const batch = new WriteBatch()
    for (const { tier, micros, samples } of this.#waiting) {
      batch.put(
        samplesTable,
        keyOf(tier, micros),
        Buffer.concat([Buffer.of(VERSION), Buffer.from(JSON.stringify(samples))]),
      )
    }
    for (const [tier, { keepSeconds }] of tiers.entries()) {
      const range = { from: keyOf(tier, 0), to: keyOf(tier, Math.max(0, nowMicros - keepSeconds * 1e6)) }
      for (const { key } of this.#environment.range(samplesTable, range)) batch.delete(samplesTable, key)
    }
    if (commitOrWait(this.#environment, batch)) this.#waiting = []
  }

  /** Values of the span that ends now, oldest first. */
  series(
    container: string,
    what: 'cpu' | 'memory',
    selector: TimeSelector,
    nowMicros: number,
  ): { atMicros: number; value: number }[] {
    const { tier, seconds } = spans[selector]
    const since = Math.max(0, nowMicros - seconds * 1e6)
    const stored = [...this.#environment.range(samplesTable, { from: keyOf(tier, since), to: keyOf(tier + 1, 0) })]
    const rows = [
      ...stored.map(({ key, value }) => ({ micros: microsOf(key), samples: samplesOf(value) })),
      ...this.#waiting.filter((row) => row.tier === tier && row.micros >= since),
    ]
    return rows.flatMap(({ micros, samples }) => {
      const value = samples[container]?.[what === 'cpu' ? 0 : 1] ?? null
      return value === null ? [] : [{ atMicros: micros, value }]
    })
  }
}

function keyOf(tier: number, micros: number): Buffer {
  const key = Buffer.alloc(KEY_BYTES)
  key.writeUInt8(tier, 0)
  key.writeBigUInt64BE(BigInt(micros), 1)
  return key
}

function microsOf(key: Uint8Array): number {
  return Number(Buffer.from(key).readBigUInt64BE(1))
}

function samplesOf(value: Uint8Array): Readonly<Record<string, Sample>> {
  return JSON.parse(Buffer.from(value.subarray(1)).toString()) as Record<string, Sample>
}
