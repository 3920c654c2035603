/** Tools that show events, and what other events would get. */
import { Type } from 'typebox'
import type { AnyObject, Client } from '../../client/index.js'
import { Exact } from '../../schemas/common.js'
import { cursorOf, placeOf } from '../cursor.js'
import { readTool, type Tool } from '../tool.js'
import { Notice, pieceBytesOf, Untrusted, untrusted, UNTRUSTED } from '../untrusted.js'
import { AsIs, Count, counted, Cursor, EventId, JobId, Limit, ListedEvent, NextCursor } from './fields.js'
import { selection, selectionOf } from './fields.js'

const search = readTool({
  name: 'search_events',
  title: 'Search events',
  description:
    'Finds stored events by job, query, filters and dates, latest first. A query is written as people type it: ' +
    '`label:Escalate (host.name:web-* OR severity>3) -consensus:*`. A filter names a path of the event, or a field ' +
    'such as `service.result_label`, `service.confidence_score`, `service.outlier_flag`. Bodies are cut; get_event ' +
    'shows more of one.',
  operations: ['queryEvents'],
  scopes: ['read:event_query'],
  input: Exact({
    job_id: Type.Optional(JobId),
    ...selection,
    sort_by: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: 'Default: the ingest time.' })),
    sort_order: Type.Optional(Type.Enum(['asc', 'desc'])),
    limit: Limit(10),
    cursor: Cursor,
  }),
  output: Type.Object({ notice: Notice, events: Type.Array(ListedEvent), total: Count, next_cursor: NextCursor }),
  async read({ client, input }) {
    const { job_id, sort_by, sort_order, limit = 10, cursor } = input
    const { after, at = new Date().toISOString() } = placeOf(cursor)
    const { filters = [], ...dates } = selectionOf(input)
    const found = await client.queryEvents({
      body: {
        ...(job_id === undefined ? {} : { job_ids: job_id }),
        ...dates,
        // Later pages show what there was at the first one: new events would move them.
        filters:
          after === undefined ? filters : [...filters, { field: 'timestamp_inference', operator: 'lte', value: at }],
        ...(sort_by === undefined ? {} : { sort_by_column: sort_by }),
        ...(sort_order === undefined ? {} : { sort_order }),
        size: limit,
        ...(after === undefined ? {} : { after }),
      },
    })
    const { next = null } = found
    const bytes = pieceBytesOf(limit)
    return {
      summary: `${counted(found.events.length, 'event')} of ${found.total_count}.`,
      content: {
        notice: UNTRUSTED,
        events: found.events.map((event) => ({
          event_id: event.event_id,
          job_id: event.job_id,
          ingest_timestamp: event.ingest_timestamp,
          status: event.status,
          result_label: event.result_label,
          confidence_score: event.confidence_score,
          outlier: event.outlier,
          bucket_id: event.bucket_id,
          bucket_state: event.bucket_state,
          consensus: event.consensus,
          untrusted: untrusted({ event: event.raw_body }, bytes),
        })),
        total: found.total_count,
        next_cursor: next === null ? null : cursorOf({ page: 0, at, after: next }),
      },
    }
  },
})

/** What the section of an export has that is the service's own. */
function sectionOf(document: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const section = Object.values(document).find(
    (value) => typeof value === 'object' && value !== null && 'features_hash' in value && 'inference_status' in value,
  )
  return (section ?? {}) as Record<string, unknown>
}

type Similar = Awaited<ReturnType<Client['listSimilarEvents']>>

function similarItem({ differences, ...event }: Similar['similar'][number]) {
  return { ...event, untrusted: untrusted({ differences }, 1024) }
}

const getEvent = readTool({
  name: 'get_event',
  title: 'Get an event and why it was decided so',
  description:
    'One event: its decision, why (votes, and what drives the answer), who voted, similar events, and what ' +
    'happened to it.',
  operations: ['getEvent', 'exportEvent', 'explainEvent', 'listSimilarEvents', 'getEventConsensus'],
  scopes: ['read:event_export', 'read:event_query'],
  input: Exact({
    job_id: JobId,
    event_id: EventId,
    similar: Type.Optional(Type.Integer({ minimum: 0, maximum: 20, description: 'Similar events; default 5.' })),
  }),
  output: Type.Object({
    notice: Notice,
    event_id: Type.String(),
    decision: AsIs,
    votes: Type.Union([AsIs, Type.Null()]),
    model: Type.Union([AsIs, Type.Null()]),
    similar: Type.Array(AsIs),
    previous_label: Type.Union([Type.String(), Type.Null()]),
    untrusted: Untrusted,
  }),
  async read({ client, input: { job_id, event_id, similar = 5 } }) {
    const one = { job_id, event_id }
    const [view, exported, why, consensus, near] = await Promise.all([
      client.getEvent(one),
      client.exportEvent(one),
      client.explainEvent(one),
      client.getEventConsensus(one),
      similar === 0 ? null : client.listSimilarEvents({ ...one, count: similar }),
    ])
    const document = Object.entries(exported).find(([name]) => name.endsWith('_event'))?.[1] ?? {}
    const section = sectionOf(document as Record<string, unknown>)
    const body = Object.fromEntries(Object.entries(document).filter(([, value]) => value !== section))
    const { fields, pair, nearest, unlike, ...model } = why.model ?? {}
    const { votes, decision_points, ...ballot } = consensus
    return {
      summary: `The event, its decision, and ${counted(votes.length, 'vote')}.`,
      content: {
        notice: UNTRUSTED,
        event_id,
        decision: { ...why.decision, autonomy: view.autonomy ?? null },
        votes: { ...ballot },
        model: why.model === null ? null : model,
        similar: near?.similar.map(similarItem) ?? [],
        previous_label: (section.previous_result_label ?? null) as string | null,
        untrusted: untrusted({
          event: body,
          decision_points,
          hangs_on: fields?.slice(0, 10),
          pair,
          nearest_labelled: nearest,
          unlike,
          votes: votes.slice(-20),
          cluster: why.cluster ?? undefined,
          notes: section.agentic_notes,
          history: section.log_messages,
        }),
      },
    }
  },
})

const whatIf = readTool({
  name: 'what_if',
  title: 'What would this event get?',
  description: 'The decision that an event would get now. Nothing is stored or counted.',
  operations: ['decideBody'],
  scopes: ['read:event_export'],
  input: Exact({
    job_id: JobId,
    event: Type.Object({}, { additionalProperties: true, description: 'The event, as a sender would send it.' }),
    explain: Type.Optional(Type.Boolean({ description: 'With what drives the answer.' })),
  }),
  output: Type.Object({ notice: Notice, decision: AsIs, untrusted: Untrusted }),
  async read({ client, input: { job_id, event, explain = false } }) {
    const { explanation, ...decision } = await client.decideBody({
      job_id,
      body: { raw_body: event as AnyObject, explain },
    })
    return {
      summary: 'The decision that the event would get. Nothing was stored.',
      content: { notice: UNTRUSTED, decision, untrusted: untrusted({ explanation }) },
    }
  },
})

export const eventTools: readonly Tool[] = [search, getEvent, whatIf]
