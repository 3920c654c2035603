/** Reads of the step `ten-million`: single events, and first pages of lists over one job and over all. */
import { join } from 'node:path'
import { built } from '../harness/paths.js'
import { startListening } from '../harness/peers.js'
import { alternate, median, quantile, type Row, type RunSize } from '../harness/result.js'
import type { Service } from '../harness/service.js'
import { driveRequests } from '../load/drive.js'
import { writeRequests } from '../load/requests.js'
import { Random } from '../streams/random.js'

const requests = 50_000
const rounds = 30
const pageBarMs = 50
/** The latest events are in memory; ids from this share of the buckets on are not asked for. */
const olderShare = 0.8

export interface Store {
  readonly service: Service
  readonly key: string
  readonly ids: readonly number[]
}

/** How fast older events are read, as a share of a bare handler's requests. */
export async function askedEvents(
  { service, key, ids }: Store,
  scratch: string,
  buckets: number,
  size: RunSize,
): Promise<number> {
  const random = new Random(5)
  const file = join(scratch, 'gets.txt')
  writeRequests(
    file,
    Array.from({ length: requests }, () => {
      const bucket = random.below(Math.floor(buckets * olderShare))
      return { method: 'GET', path: `/api/v1/events/${ids[bucket % ids.length]}/first-${bucket}`, body: '' }
    }),
  )
  const floor = await startListening(built('bench/floors/parse-server.js'), [])
  const load = { file, headers: { 'X-Service-Api-Key': key }, seconds: size.seconds, connections: 256 }
  await driveRequests({ ...load, port: service.port, seconds: 1 })
  const [bare, ours] = await alternate(size.rounds, [
    () => driveRequests({ ...load, port: floor.port }),
    () => driveRequests({ ...load, port: service.port }),
  ])
  await floor.child.stop()
  const rate = (parts: typeof ours): number => median(parts.map(({ requests: all, seconds }) => all / seconds))
  const share = rate(ours) / rate(bare)
  size.log(`GET of one of ${buckets} first events: ${Math.round(rate(ours))}/s, ${share.toFixed(2)} of a bare handler`)
  return share
}

interface Page {
  readonly looked_at: number
  readonly next: string | null
  readonly total_count_is_exact: boolean
}

const pages: readonly { readonly name: string; readonly filter: (round: number) => object }[] = [
  { name: 'a label', filter: () => ({ field: 'service.result_label', operator: 'is', value: 'Escalate' }) },
  { name: 'a decision point', filter: (round) => ({ field: 'ticket', operator: 'is', value: `t${1_000 + round}` }) },
  { name: 'a value that no event has', filter: (round) => ({ field: 'ticket', operator: 'is', value: `x${round}` }) },
]

async function page({ service }: Store, body: object): Promise<{ ms: number; page: Page }> {
  const startedAt = performance.now()
  const answer = (await service.client.ask('POST', '/api/v2/events/list', body)) as Page
  return { ms: performance.now() - startedAt, page: answer }
}

async function pageRows(store: Store, of: string, jobs: object): Promise<Row[]> {
  const rows: Row[] = []
  for (const { name, filter } of pages) {
    const times: number[] = []
    let unfinished = 0
    for (let round = 0; round < rounds; round++) {
      const one = await page(store, { ...jobs, filters: [filter(round)] })
      times.push(one.ms)
      if (one.page.next !== null && one.page.looked_at === 0) unfinished++
    }
    const ours = quantile(times, 0.95)
    rows.push({
      what: `first page of a list of ${of} by ${name}`,
      ours,
      unit: 'ms, p95',
      p50Ms: median(times),
      p99Ms: quantile(times, 0.99),
      bar: `p95 within ${pageBarMs} ms`,
      met: ours <= pageBarMs,
      note:
        `the first time ${(times[0] as number).toFixed(0)} ms; ` +
        `${unfinished} of ${rounds} pages had looked at nothing`,
    })
  }
  return rows
}

/** Pages by filter, and how many events a second a filter on any field reads. */
export async function listRows(store: Store, size: RunSize): Promise<Row[]> {
  const job_ids = [store.ids[3]]
  // Until the thread of lists knows the job.
  for (let known = false; !known; )
    known = (await page(store, { job_ids, within_ms: 2_000, count: true })).page.total_count_is_exact
  const rows = await pageRows(store, 'one job', { job_ids })
  rows.push(...(await pageRows(store, 'all jobs', {})))
  const filters = [{ field: 'process.pid', operator: 'is', value: -1 }]
  const speeds: number[] = []
  for (let round = 0; round < size.rounds * 3; round++) {
    const { ms, page: found } = await page(store, { filters, within_ms: 2_000 })
    speeds.push(found.looked_at / (ms / 1000))
  }
  const ours = median(speeds)
  const bar = '1 M events/s on its thread'
  return [...rows, { what: 'events that a filter on any field reads', ours, unit: 'events/s', bar, met: ours >= 1e6 }]
}
