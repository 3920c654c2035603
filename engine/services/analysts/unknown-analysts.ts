/** Names of analysts in a request that nobody has voted by: a misspelt one would change nothing, and be believed. */
import { Refusal } from '../../errors.js'
import type { JobSettings } from '../../domain/job/job.js'
import { decodeBallot, decodeVotes } from '../../store/ballot-row.js'
import type { Environment } from '../../store/environment.js'
import { jobRange } from '../../store/tables.js'
import type { ReaderThreads } from '../readers/reader-threads.js'

/** Those of the names that have neither a vote nor an override in the job, from one snapshot. */
export function unknownAnalysts(
  environment: Pick<Environment, 'range'>,
  jobId: number,
  names: readonly string[],
): string[] {
  const unknown = new Set(names)
  for (const { value } of environment.range('votes', jobRange(jobId))) {
    for (const { analyst } of decodeVotes(value)) unknown.delete(analyst)
    if (unknown.size === 0) return []
  }
  for (const { value } of environment.range('ballots', jobRange(jobId))) {
    const { override } = decodeBallot(value)
    if (override !== null) unknown.delete(override.by)
  }
  return [...unknown]
}

/** Rejects with Refusal invalid_body where one of `without_analysts` has not voted on the job. */
export async function mustHaveVoted(
  readers: Pick<ReaderThreads, 'ask'>,
  job: JobSettings,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return
  const unknown = new Set(await readers.ask('unknownAnalysts', { job, names }))
  if (unknown.size === 0) return
  const msg = `nobody of that name has voted on the job: GET /api/v2/jobs/${job.id}/analysts shows who has`
  const issues = names.flatMap((name, index) =>
    unknown.has(name) ? [{ loc: ['body', 'without_analysts', index], msg, type: 'value_error' }] : [],
  )
  throw new Refusal('invalid_body', `without_analysts: ${msg}`, { issues })
}
