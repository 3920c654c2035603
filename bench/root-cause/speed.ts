/**
 * Alerts through clustering, classification and a flushed commit, in this thread, with a hundred thousand clusters in the
 * store: before any training, and with a trained model.
 */
import { rmSync } from 'node:fs'
import { DecisionPoints } from '../../engine/event/decision-points.js'
import { defaultLabels } from '../../engine/job/labels.js'
import type { JobSettings } from '../../engine/job/job.js'
import { CauseModel } from '../../engine/cause/cause-model.js'
import { causeSettingsOf } from '../../engine/cause/settings.js'
import { CauseKnown } from '../../engine/actor/cause-training.js'
import { CauseRows } from '../../engine/actor/cause-shelf.js'
import { Shard } from '../../engine/actor/shard.js'
import { openLmdb } from '../../engine/store/lmdb.js'
import { shardTables } from '../../engine/store/tables.js'
import { encodeModel } from '../../engine/store/rows.js'
import { temporaryDirectory } from '../harness/service.js'
import type { Effort, Row, Step } from '../harness/result.js'
import { Turns } from '../walk/turn.js'
import { serviceAlerts, type StreamAlert } from './stream.js'

const category = 'Automated root cause analysis'
const settings: JobSettings = {
  id: 1, revision: 1, shard: 0, title: 'Bench', description: '', category, decisionPoints: [], labels: defaultLabels(category), autoRetrain: null,
  advancedSettings: {}, feedbackColumns: [], pipeline: [], status: 'STARTED', createdAt: '2026-01-01T00:00:00.000000Z',
}
/** Half of what a turn may hold: bodies are made in blocks and not counted. */
const block = 10_000
const clustersWanted = 100_000
const labelled = 1_000
/** When the first message of Turns comes. */
const firstMicros = 1_700_000_000_000_000

interface Taken {
  readonly seconds: number
  readonly busy: number
}

class Store {
  readonly directory = temporaryDirectory()
  readonly environment = openLmdb(this.directory, 'shard', shardTables)
  readonly turns = new Turns(new Shard(this.environment, ['service']), settings)
  readonly #alerts = serviceAlerts({ services: 5_000, callees: 3, every: 2 }, 1)
  readonly taken: StreamAlert[] = []

  /** Takes in that many; the answer is the seconds that it took, and those of them that the process had a core. */
  take(count: number): Taken {
    let [seconds, busy] = [0, 0]
    for (let left = count; left > 0; left -= block) {
      const alerts = Array.from({ length: Math.min(block, left) }, () => this.#alerts.next().value as StreamAlert)
      this.taken.push(...alerts)
      const bodies = alerts.map(({ body }) => Buffer.from(JSON.stringify({ job_id: 1, raw_body: body })))
      const startedAt = performance.now()
      const before = process.cpuUsage()
      for (let from = 0; from < bodies.length; ) from += this.turns.run('ingest', bodies.slice(from), 0)
      seconds += (performance.now() - startedAt) / 1000
      const { user, system } = process.cpuUsage(before)
      busy += (user + system) / 1e6
    }
    return { seconds, busy }
  }

  clusters(): { open: number; all: number } {
    const rows = [...new CauseRows(this.environment, 1).all('clusters')]
    const [last] = rows.slice(-1) as { row: { lastMs: number } }[]
    const { gapMs, lateMs } = causeSettingsOf(settings)
    const open = rows.filter(({ row }) => (row as { lastMs: number }).lastMs >= (last?.row.lastMs ?? 0) - gapMs - lateMs).length
    return { open, all: rows.length }
  }

  /** Labels as an analyst would give them to the first alerts. */
  train(): void {
    const task = {
      dataDir: '', shard: 0, jobId: 1, points: [], labels: settings.labels.map(({ name }) => name), buckets: false, seed: 1,
      objective: 'accuracy' as const, signals: new SharedArrayBuffer(0),
    }
    const examples = this.taken.slice(0, labelled).map(({ label }, at) => ({ micros: firstMicros + at, label }))
    const model = new CauseKnown(this.environment, task, causeSettingsOf(settings), examples).train(() => true)
    const { fingerprint } = new DecisionPoints([])
    const { summary } = new CauseModel(model)
    this.turns.run('install', [encodeModel({ version: 1, throughSeq: 0, trainedMicros: 0, fingerprint, summary }, model)], 0, true)
  }

  async close(): Promise<void> {
    await this.environment.close()
    rmSync(this.directory, { recursive: true, force: true })
  }
}

async function run({ log, seconds: effort, million }: Effort): Promise<Row[]> {
  const store = new Store()
  try {
    const few = million < 1_000_000
    log('filling the store with clusters')
    for (let found = 0; found < (few ? clustersWanted / 10 : clustersWanted); found = store.clusters().all) store.take(5 * block)
    const { open, all } = store.clusters()
    const count = Math.max(2, Math.round(effort)) * 2 * block
    const untrained = store.take(count)
    log('training')
    store.train()
    const trained = store.take(count)
    const row = (what: string, { seconds, busy }: Taken): Row => ({
      what, ours: count / seconds, unit: 'alerts/s', bar: '≥ 20,000', met: count / seconds >= 20_000,
      note: `${all} clusters in the store, about ${open} of them open; parse, cluster, decide, store and flush in one thread; `
        + `${Math.round(count / busy).toLocaleString('en')} a second of processor time`,
    })
    return [row('alerts clustered and decided, before any training', untrained), row('the same, with a trained model', trained)]
  } finally {
    await store.close()
  }
}

export const clusters: Step = { name: 'clusters', run }
