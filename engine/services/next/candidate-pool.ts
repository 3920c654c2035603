/**
 * The candidates of a job, as plain data: the buckets that people may be asked about next, or events where the job has
 * no buckets. Made on a reader thread from one snapshot, kept by the main thread, read for each page.
 *
 * Owns: what becomes a candidate. Leaves out: which rows are looked at (survey.ts), figures and choice
 * (domain/learn/selection/), pages (next-page.ts).
 *
 * 1. Candidates are what nobody has voted on. Where there is nothing left, they are what has the fewest votes.
 */
import { BUCKET_ID_BYTES } from '../../domain/event/bucket-key.js'
import type { PointValues } from '../../domain/event/point-value.js'
import { hasBuckets } from '../../domain/job/job.js'
import { objectiveOf } from '../../domain/job/objective.js'
import type { EventLikeness } from '../../domain/learn/classifier.js'
import { Likeness } from '../../domain/learn/likeness.js'
import { selectionBounds as bounds } from '../../domain/learn/selection/bounds.js'
import { candidatesMax, gatherCandidates, type Candidates } from '../../domain/learn/selection/candidates.js'
import { drawKey, screen } from '../../domain/learn/selection/screening.js'
import { clientIdOf, decodeHeader, RECORD_HEAD_BYTES_MAX } from '../../store/event-record.js'
import { decodeBucket } from '../../store/bucket-row.js'
import { BucketTable } from '../../store/bucket-table.js'
import { timeKey } from '../../store/tables.js'
import { readBallot } from '../../actor/votes/ballots.js'
import { EventValues } from '../explain/event-values.js'
import type { JobAt } from '../explain/job-at.js'
import { dissentOf, type Dissent } from './dissent.js'
import { columnsOf, shared, type SubjectColumns } from './subject-columns.js'
import { surveyBuckets, surveyEvents, type SurveyedEvent } from './survey.js'

export interface CandidatePool {
  readonly subjects: SubjectColumns
  readonly candidates: Candidates
  /** By candidate: where it stands in a draw by event, the smallest first. */
  readonly draw: Float64Array
  /** By candidate: its votes. */
  readonly votes: Int32Array
  readonly dissent: readonly Dissent[]
  readonly modelVersion: number
  readonly surveyed: number
  readonly unvoted: number
  readonly isComplete: boolean
  readonly madeMs: number
}

/** Features follow from so many candidates, where there is no model. */
const SAMPLE = 256

/** `nowMs` counts milliseconds from any origin. */
export function poolOf(at: JobAt, nowMs: () => number): CandidatePool {
  const beganMs = nowMs()
  const { job, active } = at
  const isOver = (): boolean => nowMs() > beganMs + bounds.surveyMs
  const { found, isComplete } = hasBuckets(job.category) ? surveyBuckets(at, isOver) : surveyEvents(at, isOver)
  const open = found.filter(({ isVoted }) => !isVoted)
  const seed = job.id
  const estimated = estimate(at, open.length > 0 ? open : leastVoted(at, found), seed)
  const chosen = screen(estimated, seed).map((place) => estimated[place] as SurveyedEvent)
  const reader = new EventValues(at, active?.model ?? null)
  const known = withValues(at, reader, chosen)
  const labelled = withValues(at, reader, open.length > 0 ? largest(found.filter(({ isVoted }) => isVoted)) : [])
  const values = known.map((one) => one.values)
  const candidates = gatherCandidates({
    values,
    events: known.map(({ subject }) => subject.events),
    labelled: labelled.map((one) => one.values),
    likeness: active?.model.likeness() ?? likenessOf(reader.names, [...values, ...labelled.map((one) => one.values)]),
    model: active?.model ?? null,
    labelCount: job.labels.length,
    objective: objectiveOf(job),
  })
  const votes = known.map(({ subject }) => (open.length > 0 ? 0 : votesOf(at, subject.id)))
  return {
    subjects: columnsOf(known.map(({ subject }) => subject)),
    candidates: {
      mass: shared(candidates.mass),
      doubt: shared(candidates.doubt),
      unlike: shared(candidates.unlike),
      covered: shared(candidates.covered),
      neighbours: shared(candidates.neighbours),
      alike: shared(candidates.alike),
    },
    draw: shared(Float64Array.from(known, ({ subject }) => drawKey(seed, subject))),
    votes: shared(Int32Array.from(votes)),
    dissent: dissentOf(at, isOver),
    modelVersion: at.stats.modelVersion,
    surveyed: found.length,
    unvoted: open.length,
    isComplete,
    madeMs: nowMs() - beganMs,
  }
}

function likenessOf(points: readonly string[], values: readonly PointValues[]): EventLikeness {
  return Likeness.of(points, values.slice(0, SAMPLE))
}

function largest(found: readonly SurveyedEvent[]): SurveyedEvent[] {
  return [...found].sort((a, b) => b.events - a.events || b.lastMicros - a.lastMicros).slice(0, candidatesMax)
}

function votesOf({ environment, job }: JobAt, subject: Uint8Array): number {
  return readBallot(environment, job.id, subject)?.votes.reduce((sum, count) => sum + count, 0) ?? 0
}

/** Those with the fewest votes. */
function leastVoted(at: JobAt, found: readonly SurveyedEvent[]): SurveyedEvent[] {
  const counted = largest(found).map((one) => ({ one, votes: votesOf(at, one.id) }))
  const fewest = counted.reduce((least, { votes }) => Math.min(least, votes), Number.POSITIVE_INFINITY)
  return counted.filter(({ votes }) => votes === fewest).map(({ one }) => one)
}

const head = Buffer.alloc(RECORD_HEAD_BYTES_MAX)

/** With the doubt that the stored decision of the last event leaves, where there are more than can be candidates. */
function estimate({ environment, job, active }: JobAt, open: readonly SurveyedEvent[], seed: number): SurveyedEvent[] {
  const some = screen(open, seed, bounds.estimatedMax).map((place) => open[place] as SurveyedEvent)
  if (some.length <= candidatesMax || active === null) return some
  return some.map((one) => {
    if (environment.read('events', timeKey(job.id, one.lastMicros), head) < 0) return one
    const { label, outlier, confidence } = decodeHeader(head)
    return { ...one, doubt: label < 0 || outlier ? 1 : 1 - confidence / 1e4 }
  })
}

/** With their values, as far as these are still stored. */
function withValues(
  { environment, job }: JobAt,
  reader: EventValues,
  subjects: readonly SurveyedEvent[],
): { readonly subject: SurveyedEvent; readonly values: PointValues }[] {
  const table = new BucketTable(environment, job.id)
  return subjects.flatMap((subject) => {
    if (subject.id.length === BUCKET_ID_BYTES) {
      const row = table.row(subject.id)
      return row === undefined ? [] : [{ subject, values: decodeBucket(row).values }]
    }
    const micros = subject.lastMicros
    const record = environment.get('events', timeKey(job.id, micros))
    const values = record === undefined ? null : reader.of({ micros, record })
    return values === null ? [] : [{ subject, values }]
  })
}

/** The event with that ingest time, if it is still stored: its header, and its id where a client gave it one. */
export function lastEventOf({ environment, job }: JobAt, micros: number) {
  if (environment.read('events', timeKey(job.id, micros), head) < 0) return null
  return { header: decodeHeader(head), clientId: clientIdOf(head) }
}
