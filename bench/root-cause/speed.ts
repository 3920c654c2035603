/**
 * Alerts through clustering, classification and a flushed commit, in this thread, with a hundred thousand clusters in
 * the store: before any training, and with a trained model.
 *
 * The figure is processor time of all threads of the process, to leave out other load on the machine and its disk as
 * far as possible. The floor parses, packs and puts the same bodies, block by block in turn.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DecisionPoints } from '../../engine/domain/event/decision-points.js'
import { labelsInOrder } from '../../engine/domain/job/label-roles.js'
import { defaultLabels } from '../../engine/domain/job/labels.js'
import type { JobSettings } from '../../engine/domain/job/job.js'
import { CauseModel } from '../../engine/domain/cause/cause-model.js'
import { causeSettingsOf } from '../../engine/domain/cause/settings.js'
import { CauseExamples } from '../../engine/services/training/cause-training.js'
import { CauseRows } from '../../engine/actor/cause/cause-table.js'
import { Shard } from '../../engine/actor/shard.js'
import { openLmdb } from '../../engine/store/lmdb/lmdb.js'
import { shardTables } from '../../engine/store/tables.js'
import { encodeModel } from '../../engine/store/rows.js'
import { openBulkFloor } from '../floors/store.js'
import { temporaryDirectory } from '../harness/service.js'
import type { RunSize, Row, Step } from '../harness/result.js'
import { Turns } from '../walk/turn.js'
import { serviceAlerts, type StreamAlert } from './stream.js'

const category = 'Automated root cause analysis'
const settings: JobSettings = {
  id: 1,
  revision: 1,
  shard: 0,
  title: 'Bench',
  description: '',
  category,
  decisionPoints: [],
  labels: defaultLabels(category),
  autoRetrain: null,
  advancedSettings: { decide_untrained: true },
  feedbackColumns: [],
  pipeline: [],
  status: 'STARTED',
  createdAt: '2026-01-01T00:00:00.000000Z',
}
/** Half of what a turn may hold: bodies are made in blocks, and their sizes are not checked. */
const block = 10_000
const clustersWanted = 100_000
const labelled = 1_000
/** The time of the first message of Turns. */
const firstMicros = 1_700_000_000_000_000

/** Seconds by the clock, and of processor time; also those of the floor, for the same alerts. */
interface Taken {
  seconds: number
  busy: number
  floorBusy: number
}

class Store {
  readonly directory = temporaryDirectory()
  readonly environment = openLmdb(this.directory, 'shard', shardTables)
  readonly turns = new Turns(new Shard(this.environment, ['service']), settings)
  readonly #floor = openBulkFloor(join(this.directory, 'floor.mdb'))
  readonly #alerts = serviceAlerts({ services: 5_000, callees: 3, every: 2 }, 1)
  readonly taken: StreamAlert[] = []

  take(count: number): Taken {
    const times: Taken = { seconds: 0, busy: 0, floorBusy: 0 }
    for (let left = count; left > 0; left -= block) {
      const alerts = Array.from({ length: Math.min(block, left) }, () => this.#alerts.next().value as StreamAlert)
      const bodies = alerts.map(({ body }) => Buffer.from(JSON.stringify({ job_id: 1, raw_body: body })))
      const startedAt = performance.now()
      times.busy += busySeconds(() => {
        for (let from = 0; from < bodies.length; ) from += this.turns.run('ingest', bodies, from, bodies.length - from)
      })
      times.seconds += (performance.now() - startedAt) / 1000
      times.floorBusy += busySeconds(() => this.#floor.take(this.taken.length, bodies))
      this.taken.push(...alerts)
    }
    return times
  }

  clusters(): { open: number; all: number } {
    const rows = [...new CauseRows(this.environment, 1).all('clusters')]
    const [last] = rows.slice(-1) as { row: { lastMs: number } }[]
    const { gapMs, lateMs } = causeSettingsOf(settings)
    const open = rows.filter(
      ({ row }) => (row as { lastMs: number }).lastMs >= (last?.row.lastMs ?? 0) - gapMs - lateMs,
    ).length
    return { open, all: rows.length }
  }

  /** Labels that an analyst would give to the first alerts. */
  train(): void {
    const task = {
      dataDir: '',
      shard: 0,
      jobId: 1,
      points: [],
      labels: settings.labels.map(({ name }) => name),
      buckets: false,
      byRole: labelsInOrder,
      seed: 1,
      objective: 'accuracy' as const,
      signals: new SharedArrayBuffer(0),
    }
    const examples = this.taken.slice(0, labelled).map(({ label }, at) => ({ micros: firstMicros + at, label }))
    const model = new CauseExamples(this.environment, task, causeSettingsOf(settings), examples).train(() => true)
    const { fingerprint } = new DecisionPoints([])
    const { summary } = new CauseModel(model)
    this.turns.install(encodeModel({ version: 1, throughSeq: 0, trainedMicros: 0, fingerprint, summary }, model))
  }

  async close(): Promise<void> {
    await this.environment.close()
    await this.#floor.close()
    rmSync(this.directory, { recursive: true, force: true })
  }
}

function busySeconds(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

async function run({ log, seconds: roundSeconds, million }: RunSize): Promise<Row[]> {
  const store = new Store()
  try {
    const few = million < 1_000_000
    log('filling the store with clusters')
    for (let found = 0; found < (few ? clustersWanted / 10 : clustersWanted); found = store.clusters().all)
      store.take(5 * block)
    const { open, all } = store.clusters()
    const count = Math.max(2, Math.round(roundSeconds)) * 2 * block
    const untrained = store.take(count)
    log('training')
    store.train()
    const trained = store.take(count)
    const row = (what: string, { seconds, busy, floorBusy }: Taken): Row => ({
      what,
      ours: count / busy,
      unit: 'alerts/s',
      against: { name: 'parse and put', value: count / floorBusy },
      ratio: floorBusy / busy,
      bar: '≥ 20,000',
      met: count / busy >= 20_000,
      note:
        `a second of processor time; by the clock ${Math.round(count / seconds).toLocaleString('en')}. ${all} clusters in the store, about ` +
        `${open} of them open; parse, cluster, decide, store and flush in one thread`,
    })
    return [
      row('alerts clustered and decided, before any training', untrained),
      row('the same, with a trained model', trained),
    ]
  } finally {
    await store.close()
  }
}

export const clusters: Step = { name: 'clusters', run }
