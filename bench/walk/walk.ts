/**
 * The walk of one event, step by step, inside the engine: microseconds each, with tinybench, in this process.
 *
 * A sample is a run over a hundred events, so that reading the clock costs nothing. p50 and p99 are of such samples,
 * divided by their events. Single decisions are timed one by one as well (latency.ts).
 */
import { Bench } from 'tinybench'
import type { FloorResult } from '../floors/store.js'
import { alternate, median, rated, type RunSize, type Row, type Step } from '../harness/result.js'
import { decisionStages } from './decision.js'
import { eventStages } from './event.js'
import { makeFixture, type Fixture, type Stage } from './fixture.js'
import { latencyRows } from './latency.js'
import { recordStages } from './record.js'
import { eventsPerTurn, turnFloor, turnRun } from './turn.js'

const eventsPerSample = 100

interface Timed {
  readonly micros: number
  readonly p50: number
  readonly p99: number
}

/** Microseconds an event. */
async function timeOne(fixture: Fixture, seconds: number, run: (i: number) => unknown): Promise<Timed> {
  const bench = new Bench({ time: seconds * 500, warmupTime: 200 })
  const count = fixture.texts.length
  let at = 0
  let seen: unknown
  bench.add('stage', () => {
    for (let i = 0; i < eventsPerSample; i++) {
      seen = run(at)
      at = at + 1 < count ? at + 1 : 0
    }
  })
  await bench.run()
  const result = bench.tasks[0]?.result
  if (result?.state !== 'completed') {
    throw new Error(`the stage ended as ${result?.state ?? 'nothing'}: ${String(seen)}`)
  }
  const scale = 1000 / eventsPerSample
  const { mean, p50, p99 } = result.latency
  return { micros: mean * scale, p50: p50 * scale, p99: p99 * scale }
}

function middle(rounds: readonly Timed[]): Timed {
  return {
    micros: median(rounds.map(({ micros }) => micros)),
    p50: median(rounds.map(({ p50 }) => p50)),
    p99: median(rounds.map(({ p99 }) => p99)),
  }
}

async function stageRow(fixture: Fixture, stage: Stage, size: RunSize): Promise<Row> {
  const { name, floor, barMicros } = stage
  const [all, floors] = await alternate(size.rounds, [
    () => timeOne(fixture, size.seconds / 4, stage.run),
    () => (floor === undefined ? Promise.resolve(null) : timeOne(fixture, size.seconds / 4, floor.run)),
  ])
  const ours = middle(all)
  const least = middle(floors.filter((round) => round !== null))
  return {
    what: name,
    ours: ours.micros,
    unit: 'µs',
    ...(floor === undefined
      ? {}
      : { against: { name: `${floor.name}, µs`, value: least.micros }, ratio: ours.micros / least.micros }),
    p50Ms: ours.p50 / 1000,
    p99Ms: ours.p99 / 1000,
    bar: barMicros === undefined ? '' : `under ${barMicros} µs`,
    met: barMicros === undefined ? null : ours.micros < barMicros,
  }
}

async function turnRow(fixture: Fixture, size: RunSize): Promise<Row> {
  const [all, floors] = await alternate(size.rounds, [
    () => turnRun(fixture, size.seconds / 2),
    () => turnFloor(fixture, size.seconds / 2),
  ])
  const ours = rated(all, (i) => (all[i] as FloorResult).events)
  const least = rated(floors, (i) => (floors[i] as FloorResult).events)
  return {
    what: 'a turn in one thread, flushed',
    ours: ours.perSecond,
    unit: 'events/s',
    against: { name: 'parse, pack, put with flush', value: least.perSecond },
    ratio: ours.perSecond / least.perSecond,
    p50Ms: ours.p50Ms,
    p99Ms: ours.p99Ms,
    bar: '',
    met: null,
    note: `turns of ${eventsPerTurn(fixture.texts)} events; latency is that of a turn`,
  }
}

async function run(size: RunSize): Promise<Row[]> {
  const fixture = makeFixture()
  const rows: Row[] = []
  for (const stage of [...eventStages(fixture), ...decisionStages(fixture), ...recordStages(fixture)]) {
    rows.push(await stageRow(fixture, stage, size))
  }
  rows.push(...(await latencyRows(size)))
  rows.push(await turnRow(fixture, size))
  return rows
}

export const walk: Step = { name: 'walk', run }
