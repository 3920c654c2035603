/** What a task of votes needs of a list: which events, and an analyst's own votes on them. */
import { eventIdOf } from '../../domain/event/event-id.js'
import { FieldSet } from '../../domain/query/field.js'
import { parseFilters } from '../../domain/query/filter.js'
import type { ListQuery } from '../../api/live/list-service.js'
import { eventAt, idOf, subjectOf } from '../../actor/event-table.js'
import { readVotes } from '../../actor/votes/vote-rows.js'
import type { Environment } from '../../store/environment.js'
import type { QueriedJob } from '../query/query-protocol.js'
import { cursorOf } from './run-list.js'
import { ListWalk, parseSelection, type ListContext } from './list-walk.js'

/** A vote of an analyst on an event itself. */
export interface OwnVote {
  /** Index of the label, or null without a vote. */
  readonly label: number | null
  readonly atMicros: number | null
}

export interface EventVoteRef {
  readonly eventMicros: number
  readonly eventId: string
  /** The analyst's present vote, an index, or null. */
  readonly label: number | null
}

/** The next events that match, as JSON text. */
export function runRefs(context: ListContext, query: ListQuery, analyst: string): string {
  const [job] = context.task.jobs as [QueriedJob]
  const { environment } = context.stores(job.shard)
  const { size = 1, after } = query
  const filters = parseFilters(query.filters)
  const selection = parseSelection(context, { filters, dates: query }, new FieldSet(context.task.serviceNames))
  const times: number[] = []
  const walk = new ListWalk(context, job, selection)
  const { from } = walk.walk(
    after === undefined ? Number.POSITIVE_INFINITY : cursorOf(after),
    ({ micros }) => times.push(micros) < size,
  )
  const refs = times.flatMap((micros): EventVoteRef[] => {
    const event = eventAt(environment, job.id, micros)
    if (event === null) return []
    return [{ eventMicros: micros, eventId: idOf(event), label: voteOn(environment, job.id, micros, analyst).label }]
  })
  return JSON.stringify({ refs, next: from === 0 ? null : eventIdOf(from) })
}

/** The votes of an analyst on events, as JSON text. */
export function runOwnVotes({ stores, task }: ListContext, analyst: string, times: readonly number[]): string {
  const [job] = task.jobs as [QueriedJob]
  const { environment } = stores(job.shard)
  return JSON.stringify(times.map((micros) => voteOn(environment, job.id, micros, analyst)))
}

function voteOn(environment: Environment, jobId: number, micros: number, analyst: string): OwnVote {
  const event = eventAt(environment, jobId, micros)
  if (event === null) return { label: null, atMicros: null }
  const votes = readVotes(environment, jobId, subjectOf(event.header, micros), micros)
  const own = votes.find((vote) => vote.analyst === analyst)
  return { label: own?.label ?? null, atMicros: own?.atMicros ?? null }
}
