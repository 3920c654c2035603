/**
 * Floors without HTTP, each in one thread: raw msgpackr, raw LMDB put with flush, and both after JSON.parse.
 *
 * LMDB is opened with the service's own settings. Without overlapping sync, a synchronous transaction has called
 * fdatasync when it returns.
 */
import { open } from 'lmdb'
import { Packr } from 'msgpackr'
import { Histogram } from '../load/histogram.js'

export interface FloorResult {
  readonly events: number
  readonly seconds: number
  /** Latency of one batch. */
  readonly p50Micros: number
  readonly p99Micros: number
}

/** Runs batches for a while and times each. */
function repeat(seconds: number, batchSize: number, batch: (from: number) => void): FloorResult {
  const histogram = new Histogram()
  const startedAt = performance.now()
  let events = 0
  let now = startedAt
  while (now - startedAt < seconds * 1000) {
    batch(events)
    events += batchSize
    const after = performance.now()
    histogram.record((after - now) * 1000)
    now = after
  }
  return {
    events,
    seconds: (now - startedAt) / 1000,
    p50Micros: histogram.percentile(50),
    p99Micros: histogram.percentile(99),
  }
}

interface FloorStore {
  readonly put: (from: number, records: readonly Uint8Array[]) => void
  readonly close: () => Promise<void>
}

/** Opens a writer of records under keys `[job u32][micros u64]`, one transaction a batch. */
function openStore(path: string): FloorStore {
  const root = open<Buffer, Uint8Array>({
    path,
    maxDbs: 16,
    pageSize: 8192,
    mapSize: 128 * 1024 ** 3,
    overlappingSync: false,
    noMemInit: true,
    encoding: 'binary',
    keyEncoding: 'binary',
  })
  const table = root.openDB<Buffer, Uint8Array>('events', { encoding: 'binary', keyEncoding: 'binary' })
  const put = (from: number, records: readonly Uint8Array[]): void => {
    const keys = records.map((_, i) => {
      const key = Buffer.allocUnsafe(12)
      key.writeUInt32BE(1, 0)
      key.writeBigUInt64BE(BigInt(1_700_000_000_000_000 + from + i), 4)
      return key
    })
    root.transactionSync(() => {
      for (let i = 0; i < records.length; i++) table.putSync(keys[i] as Buffer, records[i] as Buffer)
    })
  }
  return { put, close: () => root.close() }
}

/** Packs parsed bodies. */
export function packFloor(lines: readonly string[], batchSize: number, seconds: number): FloorResult {
  const packr = new Packr()
  const bodies = lines.map((line) => JSON.parse(line) as unknown)
  return repeat(seconds, batchSize, (from) => {
    for (let i = 0; i < batchSize; i++) packr.pack(bodies[(from + i) % bodies.length])
  })
}

/** Puts packed records, with the flush. */
export async function putFloor(
  lines: readonly string[],
  batchSize: number,
  seconds: number,
  path: string,
): Promise<FloorResult> {
  const packr = new Packr()
  const packed = lines.map((line) => Uint8Array.from(packr.pack(JSON.parse(line))))
  const store = openStore(path)
  const result = repeat(seconds, batchSize, (from) => {
    store.put(
      from,
      Array.from({ length: batchSize }, (_, i) => packed[(from + i) % packed.length] as Uint8Array),
    )
  })
  await store.close()
  return result
}

/** Parses lines as they come off the wire, packs and puts them with the flush: the floor of the NDJSON bulk. */
export async function bulkFloor(
  lines: readonly string[],
  batchSize: number,
  seconds: number,
  path: string,
): Promise<FloorResult> {
  const wire = lines.map((line) => Buffer.from(line))
  const floor = openBulkFloor(path)
  const result = repeat(seconds, batchSize, (from) => {
    floor.take(
      from,
      Array.from({ length: batchSize }, (_, i) => wire[(from + i) % wire.length] as Buffer),
    )
  })
  await floor.close()
  return result
}

/** The same, batch by batch, for measurements that alternate with their floor. */
export function openBulkFloor(path: string): {
  take(from: number, bodies: readonly Buffer[]): void
  close(): Promise<void>
} {
  const packr = new Packr()
  const store = openStore(path)
  return {
    take: (from, bodies) => {
      store.put(
        from,
        bodies.map((body) =>
          packr.pack((JSON.parse(body.toString('utf8')) as { readonly raw_body: unknown }).raw_body),
        ),
      )
    },
    close: store.close,
  }
}
