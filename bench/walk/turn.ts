/**
 * A whole turn, in this thread: messages from shared memory through the job's actor to a flushed commit and replies.
 *
 * What is left out is HTTP and the crossing between threads. The floor does the least with the same events in turns of
 * the same size: parse, pack, put with flush.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeMessage, REPLY_BYTES } from '../../engine/actor/message.js'
import { Shard } from '../../engine/actor/shard.js'
import { limits } from '../../engine/limits.js'
import type { JobSettings } from '../../engine/job/job.js'
import { openLmdb } from '../../engine/store/lmdb.js'
import { shardTables } from '../../engine/store/tables.js'
import { encodeModel } from '../../engine/store/rows.js'
import { bulkFloor, type FloorResult } from '../floors/store.js'
import { temporaryDirectory } from '../harness/service.js'
import { Histogram } from '../load/histogram.js'
import { alertLabels, alertPoints } from '../streams/alerts.js'
import type { Fixture } from './fixture.js'

/** What fits into the memory of a usual turn, 256 KiB. */
export const turnMessages = 300

const settings: JobSettings = {
  id: 1,
  revision: 1,
  shard: 0,
  title: 'Bench',
  description: '',
  category: 'Decision intelligence',
  decisionPoints: alertPoints,
  labels: alertLabels.map((name, i) => ({ id: `label_${i}`, name, hexColor: '#000000' })),
  autoRetrain: null,
  advancedSettings: {},
  feedbackColumns: [],
  pipeline: [],
  status: 'STARTED',
  createdAt: '2026-01-01T00:00:00.000000Z',
}

class Turns {
  readonly #shard: Shard
  readonly #memory = new SharedArrayBuffer(limits.turnBytesMax)
  readonly #replies = new SharedArrayBuffer(REPLY_BYTES * limits.turnMessagesMax + 8)
  #micros = 1_700_000_000_000_000
  #opens = true

  constructor(shard: Shard) {
    this.#shard = shard
  }

  run(kind: 'ingest' | 'install', bodies: readonly Uint8Array[]): void {
    const memory = Buffer.from(this.#memory)
    let at = 0
    for (const body of bodies) at = writeMessage(memory, at, kind, 1, this.#micros++, null, false, body)
    this.#shard.run({
      shard: 0,
      memory: this.#memory,
      replies: this.#replies,
      count: bodies.length,
      settings: this.#opens ? [settings] : [],
      opens: this.#opens,
      again: false,
    })
    this.#opens = false
  }
}

/** Runs turns for a while, on a store of its own. */
export async function turnRun(fixture: Fixture, seconds: number): Promise<FloorResult> {
  const directory = temporaryDirectory()
  const environment = openLmdb(directory, 'shard', shardTables)
  try {
    const turns = new Turns(new Shard(environment, ['service']))
    const { fingerprint } = fixture.points
    const row = { version: 1, throughSeq: 0, trainedMicros: 0, fingerprint, summary: fixture.model.summary }
    turns.run('install', [encodeModel(row, fixture.modelBytes)])
    const wire = fixture.texts.map((text) => Buffer.from(text))
    const histogram = new Histogram()
    const startedAt = performance.now()
    let now = startedAt
    let events = 0
    while (now - startedAt < seconds * 1000) {
      turns.run('ingest', Array.from({ length: turnMessages }, (_, i) => wire[(events + i) % wire.length] as Buffer))
      events += turnMessages
      const after = performance.now()
      histogram.record((after - now) * 1000)
      now = after
    }
    const elapsed = (now - startedAt) / 1000
    return { events, seconds: elapsed, p50Micros: histogram.percentile(50), p99Micros: histogram.percentile(99) }
  } finally {
    await environment.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

export async function turnFloor(fixture: Fixture, seconds: number): Promise<FloorResult> {
  const directory = temporaryDirectory()
  try {
    return await bulkFloor(fixture.texts, turnMessages, seconds, join(directory, 'floor.mdb'))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
