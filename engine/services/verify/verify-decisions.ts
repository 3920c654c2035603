/**
 * Computes stored decisions again, from the log and the registry, and names what differs.
 *
 * 1. A sample takes every n-th event of the directory, so the same directory gives the same sample.
 * 2. Where an input is not kept by design (the bytes of an old model), the decision is counted as not computed.
 */
import { eventIdOf } from '../../domain/event/event-id.js'
import type { JobSettings } from '../../domain/job/job.js'
import { openReadOnly } from '../../store/directory/environments.js'
import { BodyCodec } from '../../store/body-codec.js'
import type { Environment } from '../../store/environment.js'
import { clientIdOf, decodeHeader } from '../../store/event-record.js'
import { jobRange, timeOfKey } from '../../store/tables.js'
import { readStats } from '../../actor/job-stats.js'
import { JobAt } from '../explain/job-at.js'
import { computeAgain, mayDiffer, type ComputedAgain } from '../explain/stored-decision.js'
import type { StoreProblem } from './verify-shard.js'

export interface DecisionReport {
  /** Decisions that were computed again. */
  readonly computed: number
  /** The same bytes came out. */
  readonly same: number
  /** Decisions that could not be computed, by reason. */
  readonly others: ReadonlyMap<string, number>
  readonly problems: readonly StoreProblem[]
}

/** `sample`: about so many decisions, or all. */
export async function verifyDecisions(
  path: string,
  jobs: Iterable<JobSettings>,
  sample: number | 'all',
): Promise<DecisionReport> {
  const byShard = new Map<number, JobSettings[]>()
  for (const job of jobs) byShard.set(job.shard, [...(byShard.get(job.shard) ?? []), job])
  let events = 0
  const tally = new Tally()
  const open = [...byShard].map(([shard, own]) => ({ own, environment: openReadOnly(path, `shard-${shard}`) }))
  try {
    for (const { own, environment } of open)
      for (const { id, labels } of own) events += readStats(environment, id, labels.length).events
    const step = sample === 'all' ? 1 : Math.max(1, Math.ceil(events / sample))
    let place = 0
    for (const { own, environment } of open)
      for (const job of own) place = walkJob(tally, { path, job, environment, step, place })
  } finally {
    for (const { environment } of open) await environment.close()
  }
  return tally
}

interface Walk {
  readonly path: string
  readonly job: JobSettings
  readonly environment: Environment
  readonly step: number
  /** Events of the directory before this job. */
  readonly place: number
}

function walkJob(tally: Tally, { path, job, environment, step, place }: Walk): number {
  const at = new JobAt(job, path, environment, new BodyCodec(environment))
  let seen = place
  for (const { key, value } of environment.range('events', jobRange(job.id))) {
    if (seen++ % step !== 0) continue
    const record = Buffer.from(value)
    const micros = timeOfKey(key)
    tally.add(at, { key, eventId: clientIdOf(record) ?? eventIdOf(micros) }, () =>
      computeAgain(at, { micros, record, header: decodeHeader(record) }),
    )
  }
  return seen
}

class Tally implements DecisionReport {
  computed = 0
  same = 0
  readonly others = new Map<string, number>()
  readonly problems: StoreProblem[] = []

  add(at: JobAt, event: { readonly key: Uint8Array; readonly eventId: string }, compute: () => ComputedAgain): void {
    const note = (what: string): void => {
      const key = Buffer.from(event.key).toString('hex')
      this.problems.push({ file: `shard-${at.job.shard}.mdb`, table: 'events', key, what })
    }
    let again: ComputedAgain
    try {
      again = compute()
    } catch (error) {
      return note(`the decision of ${event.eventId} cannot be computed: ${(error as Error).message}`)
    }
    if (again.inputs === null) {
      if (again.isLost) return note(`the decision of ${event.eventId} cannot be computed: ${again.reason}`)
      return this.#other(again.reason)
    }
    const { differences } = again
    const excuse = differences.length === 0 ? null : mayDiffer(at)
    if (excuse !== null) return this.#other(excuse)
    this.computed++
    if (differences.length === 0) {
      this.same++
      return
    }
    const named = differences.map(({ field, stored, computed }) => `${field} is ${stored}, computed again ${computed}`)
    note(`the decision of ${event.eventId} of job ${at.job.id} differs: ${named.join('; ')}`)
  }

  #other(reason: string): void {
    this.others.set(reason, (this.others.get(reason) ?? 0) + 1)
  }
}
