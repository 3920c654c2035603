/**
 * A sender that writes to `_bulk` as fast as it can starves nobody. Each row takes `FLOOD_SECONDS` (default 60).
 * `FLOOD_ONLY=plain-8,gzip-8` picks rows. The bounds of time are those of a machine that does nothing else.
 */
import assert from 'node:assert/strict'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'node:test'
import { driveBulk } from '../../../bench/load/drive.js'
import { makeJob } from '../../../bench/harness/job.js'
import { memoryOf } from '../../../bench/harness/machine.js'
import { linesFile, withSubject, type Subject } from '../../../bench/harness/trained.js'
import type { Flood } from '../../faults/flood-sender.js'
import { beside, runFlood, type Bystander, type Noticed } from './measure.js'

const seconds = Number(process.env.FLOOD_SECONDS ?? 60)
const only = process.env.FLOOD_ONLY ?? ''
const BULK_SECONDS = 10
const IDLE_SECONDS = 5
const REST_MS = 2_000

const bars = { rssMib: 600, livezP99: 50, livezMax: 250, postP99: 100, servedShare: 0.8 }

interface Row {
  readonly name: string
  readonly flood: Omit<Flood, 'port' | 'key' | 'file' | 'seconds' | 'bytesMax'>
  /** Its lines are as those of the bulk bench, and so is the rate that is asked of it. */
  readonly isUsual: boolean
}

const KIB = 1024
const usual = { chunkBytes: 64 * KIB, gzip: false, reads: true }
const unusual: Readonly<Record<string, Row['flood']>> = {
  // A chunk for each line, and chunks that cost much more than their bytes.
  lines: { ...usual, connections: 8, chunkBytes: 800 },
  tiny: { ...usual, connections: 8, chunkBytes: 16 },
  unread: { ...usual, connections: 8, reads: false },
  'unread-gzip': { ...usual, connections: 8, gzip: true, reads: false },
}
const rows: readonly Row[] = [
  ...[1, 4, 8, 64].flatMap((connections) =>
    [false, true].map((gzip) => ({
      name: `${gzip ? 'gzip' : 'plain'}-${connections}`,
      flood: { ...usual, connections, gzip },
      isUsual: true,
    })),
  ),
  ...Object.entries(unusual).map(([name, flood]) => ({ name, flood, isUsual: false })),
]

function textOf({ livez, post, stream, rssMaxMib }: Noticed): string {
  const of = ({ p50, p99, max }: Noticed['post']): string => `${p50.toFixed(1)}/${p99.toFixed(1)}/${max.toFixed(0)}`
  return `livez ${of(livez)} ms, post ${of(post)} ms, stream ${of(stream)} ms, rss ${rssMaxMib.toFixed(0)} MiB`
}

async function withBystander(use: (subject: Subject, who: Bystander) => Promise<void>): Promise<void> {
  await withSubject(async (subject) => {
    const plan = { title: 'Beside', points: ['rule'], labels: ['A', 'B', 'C'] }
    const { jobId, key } = await makeJob(subject.service.client, plan)
    await use(subject, { port: subject.service.port, pid: subject.service.pid, jobId, key })
  })
}

describe('a flood of NDJSON', { concurrency: false }, () => {
  for (const { name, flood, isUsual } of rows.filter((row) => only === '' || only.split(',').includes(row.name))) {
    it(name, async () => {
      await withBystander(async (subject, who) => {
        const { file } = linesFile(subject, 20_000)
        const { port } = who
        const load = { port, file, headers: subject.headers, connections: 4, events: 0, rate: 0 }
        await driveBulk({ ...load, seconds: 2 })
        const bulk = await driveBulk({ ...load, seconds: BULK_SECONDS })
        const idle = await beside(who, () => sleep(IDLE_SECONDS * 1_000))
        const key = subject.headers['X-Service-Api-Key'] as string
        const flooded = await beside(who, () => runFlood({ ...flood, port, key, file, seconds, bytesMax: 1e13 }))
        const { accepted, refused, sentBytes, closed } = flooded.result
        await sleep(REST_MS)
        const share = accepted / seconds / (bulk.events / bulk.seconds)
        const [loadAverage = 0] = loadavg()
        const restMib = memoryOf(who.pid).rssMib.toFixed(0)
        console.log(
          `${name}: load average ${loadAverage.toFixed(1)}\n` +
            `  idle:  ${textOf(idle.noticed)}\n` +
            `  flood: ${textOf(flooded.noticed)}, ${restMib} MiB ${REST_MS / 1000} s later\n` +
            `  ${Math.round(accepted / seconds)} events/s, ${share.toFixed(2)} of the bulk load, ` +
            `${(sentBytes / seconds / 1e6).toFixed(0)} MB/s written, ${closed} closed`,
        )
        const { livez, post, rssMaxMib } = flooded.noticed
        assert.equal(refused, 0)
        assert.ok(rssMaxMib < bars.rssMib, `${rssMaxMib} MiB`)
        assert.ok(livez.max <= bars.livezMax, `/livez ${JSON.stringify(livez)}`)
        if (!isUsual) return
        assert.ok(livez.p99 <= bars.livezP99, `/livez ${JSON.stringify(livez)}`)
        assert.ok(post.p99 <= bars.postP99, `POST ${JSON.stringify(post)}`)
        assert.ok(share >= bars.servedShare, `${share} of the bulk load`)
      })
    })
  }
})
