/**
 * NDJSON bulk where little is known: every event makes a bucket of its own (`bulk-new`), or the job has no buckets
 * (`bulk-event-centric`). Against events in known buckets, in the same run.
 */
import { join } from 'node:path'
import { alternate, rated, type Rated, type Row, type RunSize, type Step } from '../harness/result.js'
import { linesFile, withSubject, type Subject } from '../harness/trained.js'
import type { BulkResult } from '../load/bulk-load.js'
import { driveBulk, type BulkDrive } from '../load/drive.js'
import { writeFlushed } from '../load/requests.js'
import { AlertStream, alertPoints } from '../streams/alerts.js'
import { bulkConnections } from './bulk.js'

const pool = 40_000
/** A decision point that the events of the pool lack. */
const ticket = 'ticket'
/** Events of a round are counted: a repeated one would be known. */
const newEventsPerSecond = 15_360

function loadOf({ service, headers }: Subject, file: string): Omit<BulkDrive, 'seconds' | 'events'> {
  return { port: service.port, file, headers, connections: bulkConnections, rate: 0 }
}

function rate(rounds: readonly BulkResult[]): Rated {
  const undecided = rounds.reduce((sum, round) => sum + round.undecided, 0)
  if (undecided > 0) throw new Error(`${undecided} events were not decided`)
  return rated(rounds, (i) => (rounds[i] as BulkResult).events)
}

function rowOf(what: string, ours: Rated, known: Rated, least: number): Row {
  const ratio = ours.perSecond / known.perSecond
  return {
    what,
    ours: ours.perSecond,
    unit: 'events/s',
    against: { name: 'the same in known buckets', value: known.perSecond },
    ratio,
    p50Ms: ours.p50Ms,
    p99Ms: ours.p99Ms,
    bar: `at least ${least} of known buckets`,
    met: ratio >= least,
    note: 'latency is that of a block of 256 events',
  }
}

/** Plays events that are each the first of their bucket. */
function playNew(subject: Subject, stream: AlertStream, events: number): () => Promise<BulkResult> {
  const file = join(subject.scratch, 'new.ndjson')
  let made = 0
  return () => {
    const lines = Array.from({ length: events }, () => {
      const body = JSON.stringify({ ...stream.next().body, [ticket]: `t${++made}` })
      return `{"job_id":${subject.jobId},"raw_body":${body}}\n`
    })
    writeFlushed(file, lines.join(''))
    return driveBulk({ ...loadOf(subject, file), seconds: 0, events })
  }
}

async function measureNew(subject: Subject, { rounds, seconds }: RunSize): Promise<Row[]> {
  const known = loadOf(subject, linesFile(subject, pool).file)
  const playKnown = (): Promise<BulkResult> => driveBulk({ ...known, seconds, events: 0 })
  const events = newEventsPerSecond * Math.ceil(seconds)
  const play = playNew(subject, new AlertStream(14, events * (rounds + 1)), events)
  await playKnown()
  await play()
  const [fresh, usual] = await alternate(rounds, [play, playKnown])
  return [rowOf('NDJSON bulk, every event the first of its bucket', rate(fresh), rate(usual), 0.38)]
}

async function measureWithoutBuckets(centric: Subject, usual: Subject, { rounds, seconds }: RunSize): Promise<Row[]> {
  const plays = [centric, usual].map((subject) => {
    const load = loadOf(subject, linesFile(subject, pool).file)
    return (): Promise<BulkResult> => driveBulk({ ...load, seconds, events: 0 })
  }) as [() => Promise<BulkResult>, () => Promise<BulkResult>]
  for (const play of plays) await play()
  const [ours, known] = await alternate(rounds, plays)
  return [rowOf('NDJSON bulk of an event centric job', rate(ours), rate(known), 0.6)]
}

export const bulkNew: Step = {
  name: 'bulk-new',
  run: (size) => withSubject((subject) => measureNew(subject, size), { points: [...alertPoints, ticket] }),
}

export const bulkEventCentric: Step = {
  name: 'bulk-event-centric',
  run: (size) =>
    withSubject((usual) =>
      withSubject((centric) => measureWithoutBuckets(centric, usual, size), {
        category: 'Event centric decision intelligence',
      }),
    ),
}
