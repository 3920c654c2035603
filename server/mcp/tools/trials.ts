/** Tools that try another model: replays of stored events, and a challenger beside the model that decides. */
import { Type } from 'typebox'
import type { Client, ListedReplay, Replay } from '../../client/index.js'
import { Exact } from '../../schemas/common.js'
import { ChallengeBody, Challenger } from '../../schemas/models/registry.js'
import { ReplayRequest } from '../../schemas/models/replays.js'
import { InvalidCall, readTool, writeTool, type Tool } from '../tool.js'
import { Notice, Untrusted, untrusted, UNTRUSTED } from '../untrusted.js'
import { AsIs, Count, counted, JobId, Limit, Text } from './fields.js'

const ReplayId = Type.String({ minLength: 1, maxLength: 64, pattern: '^(?!\\.{1,2}$)', description: 'Of `replay`.' })

/** Analysts and decision points are named by others, and so is what a failure says. */
function replayItem({ message, requested_by, decision_points, without_analysts, ...replay }: ListedReplay) {
  return { ...replay, untrusted: untrusted({ message, requested_by, decision_points, without_analysts }) }
}

/** The figures of a report; buckets and ids are of events. */
function reportItem({ report }: Replay) {
  if (report === null) return { report: null, untrusted: {} }
  const { top_buckets: buckets, examples, before, after, ...figures } = report
  return { report: figures, untrusted: untrusted({ before, after, top_buckets: buckets.slice(0, 5), examples }) }
}

const replay = readTool({
  name: 'replay',
  title: 'Replays and their reports',
  description:
    'Replays of a job, latest first; with `replay_id` one of them, with its report: which decisions differ, who ' +
    'was right where people voted, what the queue and each output would have seen.',
  operations: ['listReplays', 'getReplay'],
  scopes: ['read:job_metrics'],
  input: Exact({ job_id: JobId, replay_id: Type.Optional(ReplayId), limit: Limit(10) }),
  output: Type.Object({
    notice: Notice,
    replays: Type.Array(AsIs),
    total: Count,
    report: Type.Union([AsIs, Type.Null()], { description: 'Of the replay that was asked for, once it is finished.' }),
    untrusted: Untrusted,
  }),
  async read({ client, input: { job_id, replay_id, limit = 10 } }) {
    if (replay_id === undefined) {
      const { replays } = await client.listReplays({ job_id })
      const listed = replays.slice(0, limit).map(replayItem)
      const content = { notice: UNTRUSTED, replays: listed, total: replays.length, report: null, untrusted: {} }
      return { summary: `${listed.length} of ${counted(replays.length, 'replay')}.`, content }
    }
    const one = await client.getReplay({ job_id, replay_id })
    const { report: _, ...listed } = one
    return {
      summary: `The replay is ${one.status}, ${one.progress_percent} %.`,
      content: { notice: UNTRUSTED, replays: [replayItem(listed)], total: 1, ...reportItem(one) },
    }
  },
})

const startReplay = writeTool({
  name: 'start_replay',
  title: 'Replay stored events',
  description:
    'Decides stored events again with another model, objective, decision points or threshold, or without votes of ' +
    'some analysts. No decision is changed; `replay` has the report.',
  operations: ['getManagedJob', 'startReplay'],
  scopes: ['execute:model_trials'],
  input: Exact({ job_id: JobId, ...ReplayRequest.properties }),
  isDestructive: false,
  isIdempotent: false,
  async plan({ client, input: { job_id } }) {
    await client.getManagedJob({ job_id })
    return { count: 1, effect: `Queues a replay of job ${job_id}. It takes processor time and changes no decision.` }
  },
  async act({ client, input: { job_id, ...body } }) {
    const { replay_id, status } = await client.startReplay({ job_id, body })
    return { effect: 'The replay is queued.', result: { replay_id, status } }
  },
})

const challenger = readTool({
  name: 'challenger',
  title: 'The challenger of a job',
  description:
    'The model that decides new events in shadow beside the one in use: how often both differ, who was right where ' +
    'people answered, and the verdict so far.',
  operations: ['getChallenger'],
  scopes: ['read:job_metrics'],
  input: Exact({ job_id: JobId }),
  output: Type.Object({
    challenger: Type.Union([Type.Omit(Challenger, ['user', 'message']), Type.Null()]),
    verdict: Text,
  }),
  async read({ client, input: { job_id } }) {
    const { challenger: found } = await client.getChallenger({ job_id })
    if (found === null) return { summary: 'The job has no challenger.', content: { challenger: null, verdict: 'none' } }
    const { user: _user, message: _message, ...figures } = found
    return {
      summary: `${counted(found.events, 'event')} decided by both, ${found.disagreements} of them differently.`,
      content: { challenger: figures, verdict: found.verdict },
    }
  },
})

/** The id of the challenger, or null. */
async function challengerOf(client: Client, job_id: number): Promise<string | null> {
  return (await client.getChallenger({ job_id })).challenger?.model_id ?? null
}

const startChallenger = writeTool({
  name: 'start_challenger',
  title: 'Start a challenger',
  description:
    'Lets a model of the job, or one that is trained for it, decide new events in shadow. `challenger` says how it ' +
    'compares. Another challenger of the job is dropped.',
  operations: ['getChallenger', 'startChallenger'],
  scopes: ['execute:model_trials', 'read:job_metrics'],
  input: Exact({ job_id: JobId, ...ChallengeBody.properties }),
  isDestructive: false,
  isIdempotent: true,
  async plan({ client, input: { job_id } }) {
    const other = await challengerOf(client, job_id)
    const drops = other === null ? '' : ' The challenger that it has is dropped.'
    return { count: other === null ? 1 : 2, effect: `Starts a challenger of job ${job_id}.${drops}` }
  },
  async act({ client, input: { job_id, ...body } }) {
    const { challenger: started } = await client.startChallenger({ job_id, body })
    if (started === null) return { effect: 'The challenger is being trained, and then decides in shadow.' }
    return { effect: 'The challenger decides in shadow.', result: { model_id: started.model_id } }
  },
})

/** @throws InvalidCall if the job has no challenger. */
async function mustChallenge(client: Client, job_id: number): Promise<void> {
  if ((await challengerOf(client, job_id)) === null) throw new InvalidCall('The job has no challenger.')
}

const promoteChallenger = writeTool({
  name: 'promote_challenger',
  title: 'Let the challenger decide',
  description: 'The challenger decides from the next event on, whatever its verdict. Open gates of the job close.',
  operations: ['getChallenger', 'promoteChallenger'],
  scopes: ['write:models', 'read:job_metrics'],
  input: Exact({ job_id: JobId }),
  isDestructive: true,
  isIdempotent: false,
  async plan({ client, input: { job_id } }) {
    await mustChallenge(client, job_id)
    return { count: 1, effect: `Lets the challenger of job ${job_id} decide from the next event on.` }
  },
  async act({ client, input: { job_id } }) {
    const { from, to } = await client.promoteChallenger({ job_id })
    return { effect: 'The challenger decides from the next event on.', result: { from, to } }
  },
})

const dropChallenger = writeTool({
  name: 'drop_challenger',
  title: 'Drop the challenger',
  description: 'Ends the comparison of the challenger with the model that decides. Its model is kept in the list.',
  operations: ['getChallenger', 'dropChallenger'],
  scopes: ['execute:model_trials', 'read:job_metrics'],
  input: Exact({ job_id: JobId }),
  isDestructive: false,
  isIdempotent: true,
  async plan({ client, input: { job_id } }) {
    await mustChallenge(client, job_id)
    return { count: 1, effect: `Drops the challenger of job ${job_id}. Its model stays in the list of models.` }
  },
  async act({ client, input: { job_id } }) {
    await client.dropChallenger({ job_id })
    return { effect: 'The job has no challenger.' }
  },
})

export const trialTools: readonly Tool[] = [
  replay,
  startReplay,
  challenger,
  startChallenger,
  promoteChallenger,
  dropChallenger,
]
