/** Tools by which an agent says what is right: votes, notes, overrides. */
import { Type } from 'typebox'
import { limits } from '../../../engine/index.js'
import type { Client } from '../../client/index.js'
import { Exact } from '../../schemas/common.js'
import { PickedBy } from '../../schemas/next.js'
import { InvalidCall, readTool, writeTool, type Tool } from '../tool.js'
import { Notice, pieceBytesOf, untrusted, UNTRUSTED } from '../untrusted.js'
import { AsIs, Count, counted, EventId, JobId, Limit } from './fields.js'

const Label = Type.String({ minLength: 1, maxLength: limits.nameCharsMax, description: 'A label of the job.' })
const WithdrawInstead = Type.Optional(Type.Boolean({ description: 'True: takes it back instead; without `label`.' }))

/** The label, or null to withdraw. @throws InvalidCall if it is neither or both. */
function labelOf({ label, withdraw = false }: { readonly label?: string; readonly withdraw?: boolean }): string | null {
  if (withdraw === (label === undefined)) return label ?? null
  throw new InvalidCall('Give either label, or withdraw: true.')
}

/** A dry run refuses what the change would refuse. @throws InvalidCall for a label that the job does not have. */
async function mustBeLabel(client: Pick<Client, 'getJobLabels'>, job_id: number, label: string | null): Promise<void> {
  if (label === null) return
  const labels = await client.getJobLabels({ job_id })
  const wanted = label.trim().toLowerCase()
  const isKnown = labels.some((name, at) => [name.toLowerCase(), `label_${at}`, `class_${at}`].includes(wanted))
  if (!isKnown) throw new InvalidCall(`There is no label ${label}. The labels of the job are ${labels.join(', ')}.`)
}

const nextToLabel = readTool({
  name: 'next_to_label',
  title: 'What to label next',
  description:
    'The events whose votes would help most, best first: their values at the decision points, why each is asked for, ' +
    'how many events its vote applies to, and what it is likely to settle. A vote on one of them names its ' +
    '`picked_by`.',
  operations: ['getNextLabels'],
  scopes: ['read:event_query'],
  input: Exact({
    job_id: JobId,
    limit: Limit(10),
    analyst: Type.Optional(Type.String({ minLength: 1, maxLength: limits.nameCharsMax })),
  }),
  output: Type.Object({
    notice: Notice,
    next: Type.Array(AsIs),
    promises: AsIs,
    unvoted: Count,
    is_complete: Type.Boolean(),
  }),
  async read({ client, input: { job_id, limit = 10, analyst } }) {
    const page = await client.getNextLabels({ job_id, count: limit, cortex_user: analyst })
    const bytes = pieceBytesOf(limit)
    return {
      summary: `${counted(page.next.length, 'event')} to label.`,
      content: {
        notice: UNTRUSTED,
        next: page.next.map(({ title, decision_points, ...one }) => ({
          ...one,
          untrusted: untrusted({ title, decision_points }, bytes),
        })),
        promises: page.promises,
        unvoted: page.unvoted,
        is_complete: page.is_complete,
      },
    }
  },
})

const vote = writeTool({
  name: 'vote',
  title: 'Vote for the right decision',
  description:
    'Votes for the right label of an event, in the name of `analyst` or of the key. The vote counts for every event ' +
    'with the same values at the decision points.',
  operations: ['getFeedbackReach', 'getJobLabels', 'giveFeedback', 'withdrawFeedback'],
  scopes: ['write:event_feedback'],
  input: Exact({
    job_id: JobId,
    event_id: EventId,
    label: Type.Optional(Label),
    withdraw: WithdrawInstead,
    analyst: Type.Optional(Type.String({ minLength: 1, maxLength: limits.nameCharsMax })),
    scope: Type.Optional(Type.Enum(['event', 'bucket'], { description: '`bucket`: about all of its events.' })),
    closing_notes: Type.Optional(Type.String({ maxLength: limits.textCharsMax })),
    picked_by: Type.Optional({ ...PickedBy, description: 'As next_to_label gave it for the event.' }),
  }),
  isDestructive: false,
  isIdempotent: true,
  async plan({ client, input }) {
    const label = labelOf(input)
    await mustBeLabel(client, input.job_id, label)
    const reach = await client.getFeedbackReach({ job_id: input.job_id, event_id: input.event_id })
    const what = label === null ? 'Withdraws the vote on' : `Votes ${label} on`
    return { count: reach.applies_to_events, effect: `${what} ${counted(reach.applies_to_events, 'event')}.` }
  },
  async act({ client, input }) {
    const { job_id, event_id, analyst, scope, closing_notes: notes, picked_by: picked } = input
    const label = labelOf(input)
    const one = { job_id, event_id }
    const who = analyst === undefined ? {} : { cortex_user: analyst }
    const about = scope === undefined ? {} : { scope }
    const outcome =
      label === null
        ? await client.withdrawFeedback({ ...one, ...who, ...about })
        : await client.giveFeedback({
            ...one,
            body: {
              ...who,
              ...about,
              feedback: label,
              ...(notes === undefined ? {} : { closing_notes: notes }),
              ...(picked === undefined ? {} : { picked_by: picked }),
            },
          })
    return {
      effect: label === null ? 'The vote is withdrawn.' : 'The vote is stored.',
      result: {
        applies_to_events: outcome.applies_to_events,
        consensus: outcome.consensus,
        consensus_before: outcome.consensus_before,
        split: outcome.split,
        mixed: outcome.mixed,
      },
    }
  },
})

const note = writeTool({
  name: 'note',
  title: 'Add a note to an event',
  description: 'Adds a note to an event, for the people who look at it. It decides nothing.',
  operations: ['getEvent', 'addAgenticNotes'],
  scopes: ['write:event_agentic_notes'],
  input: Exact({
    job_id: JobId,
    event_id: EventId,
    text: Type.String({ minLength: 1, maxLength: limits.textCharsMax }),
  }),
  isDestructive: false,
  isIdempotent: false,
  async plan({ client, input: { job_id, event_id } }) {
    await client.getEvent({ job_id, event_id })
    return { count: 1, effect: 'Adds a note to the event.' }
  },
  async act({ client, input: { job_id, event_id, text } }) {
    await client.addAgenticNotes({ job_id, event_id, body: { agent_notes: text, workflow_name: 'MCP' } })
    return { effect: 'The note is stored.' }
  },
})

const override = writeTool({
  name: 'override_consensus',
  title: 'Override the consensus',
  description: 'Sets the consensus of the bucket of an event above all votes, or withdraws such an override.',
  operations: ['getEventConsensus', 'getJobLabels', 'overrideEventConsensus', 'withdrawEventOverride'],
  scopes: ['write:consensus', 'read:event_query'],
  input: Exact({
    job_id: JobId,
    event_id: EventId,
    label: Type.Optional(Label),
    withdraw: WithdrawInstead,
  }),
  isDestructive: true,
  isIdempotent: true,
  async plan({ client, input }) {
    const label = labelOf(input)
    await mustBeLabel(client, input.job_id, label)
    const { events_count: events, votes_count: votes } = await client.getEventConsensus({
      job_id: input.job_id,
      event_id: input.event_id,
    })
    const of = `the consensus of ${counted(events, 'event')} with ${counted(votes, 'vote')}`
    return { count: events, effect: label === null ? `Withdraws the override of ${of}.` : `Makes ${label} ${of}.` }
  },
  async act({ client, input }) {
    const label = labelOf(input)
    const one = { job_id: input.job_id, event_id: input.event_id }
    const after =
      label === null
        ? await client.withdrawEventOverride(one)
        : await client.overrideEventConsensus({ ...one, body: { consensus: label } })
    return {
      effect: label === null ? 'The override is withdrawn.' : 'The consensus is overridden.',
      result: { consensus: after.consensus, events: after.events_count, bucket_state: after.bucket_state },
    }
  },
})

export const labelTools: readonly Tool[] = [nextToLabel, vote, note, override]
