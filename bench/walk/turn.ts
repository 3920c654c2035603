/**
 * A whole turn, in this thread: messages from shared memory, through the job's actor, to a flushed commit and replies.
 *
 * Leaves out HTTP and the crossing between threads. The floor does the least with the same events, in turns of the same
 * size: parse, pack, put with flush.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DecidedTotals, windowCountsOf } from '../../engine/actor/decision-counts.js'
import { bytesOf, type MessageKind } from '../../engine/actor/message.js'
import { Shard } from '../../engine/actor/shard.js'
import { Turn } from '../../engine/runtime/turn/turn.js'
import type { JobSettings } from '../../engine/domain/job/job.js'
import { openLmdb } from '../../engine/store/lmdb/lmdb.js'
import { shardTables } from '../../engine/store/tables.js'
import { encodeModel } from '../../engine/store/rows.js'
import { bulkFloor, type FloorResult } from '../floors/store.js'
import { temporaryDirectory } from '../harness/service.js'
import { Histogram } from '../load/histogram.js'
import { alertLabels, alertPoints } from '../streams/alerts.js'
import type { Fixture } from './fixture.js'

export const benchJob: JobSettings = {
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

/** Waits for nothing: the measurement ends with the replies in memory. */
const nobody = { ingested: (): void => {}, resolved: (): void => {}, refused: (): void => {} }

/** At most `most` messages for a turn, made of these bodies from number `from` on, over and over. */
interface Filling {
  readonly job: JobSettings
  readonly kind: MessageKind
  readonly micros: number
  readonly bodies: readonly Uint8Array[]
  readonly from: number
  readonly most: number
}

/** Fills a turn with as many messages as fit, and returns their number. */
function fill(turn: Turn, { job, kind, micros, bodies, from, most }: Filling): number {
  turn.clear()
  let count = 0
  for (;;) {
    const body = bodies[(from + count) % bodies.length] as Uint8Array
    const message = { job, kind, eventId: null, idInBody: false, body, receiver: nobody }
    if (count === most || !turn.fits(bytesOf(message))) return count
    turn.add(message, micros + count)
    count++
  }
}

/** How many of these bodies a turn holds when more are waiting. */
export function eventsPerTurn(texts: readonly string[]): number {
  const bodies = texts.map((text) => Buffer.from(text))
  return fill(new Turn(), { job: benchJob, kind: 'ingest', micros: 1, bodies, from: 0, most: Infinity })
}

/** Turns of one job through a shard in this thread. @throws Error where a message is refused, or does not fit. */
export class Turns {
  readonly #shard: Shard
  readonly #settings: JobSettings
  readonly #turn = new Turn()
  readonly #decided = new DecidedTotals()
  #micros: number
  #place = 0

  /** `micros`: the time of the first message. The alerts of the stream are older. */
  constructor(shard: Shard, settings: JobSettings = benchJob, micros = 1_800_000_000_000_000) {
    this.#micros = micros
    this.#shard = shard
    this.#settings = settings
  }

  /** The time of the next message. */
  get micros(): number {
    return this.#micros
  }

  /** Runs one turn and returns the number of its messages, 1 or more. */
  run(kind: MessageKind, bodies: readonly Uint8Array[], from: number, most = Infinity): number {
    const count = fill(this.#turn, { job: this.#settings, kind, micros: this.#micros, bodies, from, most })
    if (count === 0) throw new Error('the message is larger than a turn')
    this.#micros += count
    this.#run(this.#turn)
    return count
  }

  /** Installs a model. It is larger than other turns, so it has one of its own. */
  install(body: Uint8Array): void {
    const message = {
      job: this.#settings,
      kind: 'install',
      eventId: null,
      idInBody: false,
      body,
      receiver: nobody,
    } as const
    const turn = new Turn(bytesOf(message), 1)
    turn.add(message, this.#micros++)
    this.#run(turn)
  }

  /** How many of the events since the last call were stored, and decided. */
  counts(): { stored: number; decided: number } {
    const counts = this.#decided.take().get(this.#settings.id)
    return counts === undefined ? { stored: 0, decided: 0 } : windowCountsOf(counts)
  }

  #run(turn: Turn): void {
    const opens = this.#place === 0
    const settings = opens ? [this.#settings] : []
    const task = turn.task({ shard: 0, place: ++this.#place, settings, opens, handsOver: false })
    const { extras, decided = [] } = this.#shard.run(task)
    for (const extra of extras) if (extra.type === 'refusal') throw new Error(extra.message)
    this.#decided.add(decided)
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
    turns.install(encodeModel(row, fixture.modelBytes))
    const wire = fixture.texts.map((text) => Buffer.from(text))
    const histogram = new Histogram()
    const startedAt = performance.now()
    let now = startedAt
    let events = 0
    while (now - startedAt < seconds * 1000) {
      events += turns.run('ingest', wire, events)
      const after = performance.now()
      histogram.record((after - now) * 1000)
      now = after
    }
    const elapsed = (now - startedAt) / 1000
    const { stored, decided } = turns.counts()
    if (stored !== events || decided !== events) throw new Error(`of ${events} events ${decided} were decided`)
    return { events, seconds: elapsed, p50Micros: histogram.percentile(50), p99Micros: histogram.percentile(99) }
  } finally {
    await environment.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

export async function turnFloor(fixture: Fixture, seconds: number): Promise<FloorResult> {
  const directory = temporaryDirectory()
  try {
    return await bulkFloor(fixture.texts, eventsPerTurn(fixture.texts), seconds, join(directory, 'floor.mdb'))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
