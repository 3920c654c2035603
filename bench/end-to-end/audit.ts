/**
 * The audit log with a million entries: queries on a thread of their own, their cost for the main thread, and writing
 * entries, which the main thread does itself.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { ReaderThreads } from '../../engine/services/readers/reader-threads.js'
import { AuditLog } from '../../engine/services/audit/audit-log.js'
import type { AuditQuery, AuditEntry } from '../../engine/api/audit-service.js'
import { auditTables } from '../../engine/services/audit/audit-tables.js'
import { openCatalog } from '../../engine/store/directory/environments.js'
import { WriteBatch, type Environment } from '../../engine/store/environment.js'
import { median, type RunSize, type Row, type Step } from '../harness/result.js'
import { removeDirectory, temporaryDirectory } from '../harness/service.js'

const BATCH = 128
const page: AuditQuery = { page: 0, size: 50, order: 'desc' }

function entry(at: number): AuditEntry {
  const consensus = { before: 'Drop', after: 'Escalate' }
  return {
    atMicros: 1_700_000_000_000_000 + at * 1_000,
    by: { kind: 'input', name: `key ${at % 7}` },
    analyst: `analyst ${at % 40}`,
    action: 'voted',
    object: { type: 'event', id: `01J9ZK3V7Q8W5T2N6M4R0X${at}`, title: '' },
    job: { id: at % 20, title: 'Alert triage' },
    changes: { vote: { before: null, after: 'Escalate' }, consensus },
    details: { consensus: 'Escalate', bucket_id: 'ab'.repeat(16) },
  }
}

/** Microseconds an entry, its share of the flush included. */
function write(environment: Environment, count: number): number {
  const log = new AuditLog(environment)
  const startedAt = performance.now()
  for (let at = 0; at < count; at += BATCH) {
    const batch = new WriteBatch()
    for (let i = at; i < at + BATCH; i++) log.record(batch, entry(i))
    environment.commit(batch)
  }
  return ((performance.now() - startedAt) * 1_000) / count
}

async function run(size: RunSize): Promise<Row[]> {
  const directory = temporaryDirectory()
  const environment = openCatalog(directory, auditTables)
  const readers = new ReaderThreads(directory, (error) => size.log(String(error)))
  const count = Math.floor(size.million / BATCH) * BATCH
  try {
    const each = write(environment, count)
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const timed = async (what: string, bar: number, ask: () => Promise<{ note: string }>): Promise<Row> => {
      const times: number[] = []
      let note = ''
      for (let round = 0; round < size.rounds; round++) {
        const startedAt = performance.now()
        note = (await ask()).note
        times.push(performance.now() - startedAt)
      }
      return { what, ours: median(times), unit: 'ms', bar: `at most ${bar} ms`, met: median(times) <= bar, note }
    }
    const entries = async (query: Partial<AuditQuery>): Promise<{ note: string }> => {
      const { total, exact } = await readers.ask('auditEntries', { query: { ...page, ...query } })
      return { note: `${total} of ${count} found${exact ? '' : ' in the time there is'}` }
    }
    const rows = [
      await timed('audit log, the latest page', 100, () => entries({})),
      await timed('audit log, one user, all counted', 5_000, () => entries({ user: 'analyst 7' })),
      await timed('audit log, 60,000 entries by their time, counted', 500, () =>
        entries({ fromMicros: 1_700_000_100_000_000, toMicros: 1_700_000_160_000_000 }),
      ),
      await timed('audit log, a text in all entries', 6_000, () => entries({ text: 'nothing has this text' })),
      await timed('audit log, the proof of the chain', 60_000, async () => {
        const { intact, entries: walked } = await readers.ask('auditProof', { witnesses: [] })
        if (!intact) throw new Error('the chain is broken')
        return { note: `${walked} entries` }
      }),
    ]
    delay.disable()
    const held = delay.percentile(99) / 1e6
    return [
      ...rows,
      {
        what: 'audit log, HTTP thread held meanwhile',
        ours: held,
        unit: 'ms',
        bar: 'at most 20 ms',
        met: held <= 20,
        note: `delay of the event loop, p99; longest ${Math.round(delay.max / 1e6)} ms`,
      },
      {
        what: 'audit log, writing an entry',
        ours: each,
        unit: 'µs',
        bar: '',
        met: null,
        note: `in commits of ${BATCH}, flushed`,
      },
      { what: 'audit log, disk', ours: environment.sizeBytes() / count, unit: 'bytes an entry', bar: '', met: null },
    ]
  } finally {
    await readers.close()
    await environment.close()
    removeDirectory(directory)
  }
}

export const audit: Step = { name: 'audit', run }
