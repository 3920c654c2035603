/** Labels to ask for, on a reader thread. Each answer is made in one snapshot, because it runs without a pause. */
import type { JobSettings } from '../../domain/job/job.js'
import type { NextPage, NextQuery, SecondLook, SecondLookQuery } from '../../api/next-service.js'
import { JobAt } from '../explain/job-at.js'
import type { QueryStore } from '../query/event-scan.js'
import { poolOf, type CandidatePool } from './candidate-pool.js'
import { nextPage } from './next-page.js'
import { secondLook } from './doubted-votes.js'

/** Makes the pool where none is given, and a page of it where one is wanted. */
export interface NextTask {
  readonly job: JobSettings
  readonly pool: CandidatePool | null
  readonly query: NextQuery | null
  readonly nowMicros: number
}

export interface SecondLookTask {
  readonly job: JobSettings
  readonly query: SecondLookQuery
  readonly nowMicros: number
}

export interface NextAnswer {
  /** The pool, where it was made. */
  readonly pool: CandidatePool | null
  readonly page: NextPage | null
}

export function runNext(
  dataDir: string,
  { environment, codec }: QueryStore,
  { job, pool, query, nowMicros }: NextTask,
  nowMs: () => number,
): NextAnswer {
  const at = new JobAt(job, dataDir, environment, codec)
  const made = pool ?? poolOf(at, nowMs)
  const page = query === null ? null : nextPage(at, made, query, nowMicros)
  return { pool: pool === null ? made : null, page }
}

export function runSecondLook(
  dataDir: string,
  { environment, codec }: QueryStore,
  { job, query, nowMicros }: SecondLookTask,
): SecondLook {
  return secondLook(new JobAt(job, dataDir, environment, codec), query, nowMicros)
}
