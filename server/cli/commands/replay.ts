/** `decide replay`: a period decided again with other terms. Nothing is changed by it. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Client, ListedReplay, Replay, ReplayRequest } from '../../client/index.js'
import { jobIdOf, type Context, type ServiceFlags } from '../context.js'
import { CommandError } from '../failure.js'
import { Progress } from '../terminal/progress.js'

export interface ReplayFlags extends ServiceFlags {
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly model?: string | undefined
  readonly against?: string | undefined
  readonly point?: readonly string[] | undefined
  readonly withoutAnalyst?: readonly string[] | undefined
  readonly threshold?: number | undefined
  readonly seed?: number | undefined
  readonly wait: boolean
}

interface Place {
  readonly job_id: number
  readonly replay_id: string
}

const ASK_AGAIN_MS = 250

function isOver({ status }: ListedReplay): boolean {
  return status !== 'queued' && status !== 'running'
}

async function finished(context: Context, client: Client, at: Place): Promise<Replay> {
  const { stderr, signal } = context.world
  const progress = new Progress(stderr, '%')
  try {
    for (;;) {
      const now = await client.getReplay(at)
      if (isOver(now)) return now
      progress.show({ done: now.progress_percent, share: now.progress_percent / 100 })
      await pause(ASK_AGAIN_MS, undefined, { signal })
    }
  } finally {
    progress.clear()
  }
}

/** The report as the service writes it for people; without one, how far the replay is. */
async function tell(context: Context, client: Client, flags: ServiceFlags, at: Place): Promise<void> {
  const replay = await client.getReplay(at)
  const table = flags.json || replay.report === null ? '' : await client.getReplayTable(at)
  context.print(flags, replay, () => table || `${replay.replay_id}: ${replay.status}, ${replay.progress_percent} %`)
  if (replay.status === 'failed' || replay.status === 'cancelled')
    throw new CommandError(`the replay is ${replay.status}: ${replay.message}`)
}

export async function startReplay(context: Context, flags: ReplayFlags, job: string): Promise<void> {
  const client = context.client(flags)
  const job_id = await jobIdOf(client, job)
  const { since, until, model, against, point, withoutAnalyst, threshold, seed } = flags
  const body: ReplayRequest = {
    start_date: since,
    end_date: until,
    model_id: model,
    against,
    decision_points: point === undefined ? undefined : [...point],
    without_analysts: withoutAnalyst === undefined ? undefined : [...withoutAnalyst],
    threshold,
    seed,
  }
  const started = await client.startReplay({ job_id, body })
  const at = { job_id, replay_id: started.replay_id }
  if (flags.wait) await finished(context, client, at)
  await tell(context, client, flags, at)
}

export async function showReplay(context: Context, flags: ServiceFlags, job: string, replay_id: string): Promise<void> {
  const client = context.client(flags)
  await tell(context, client, flags, { job_id: await jobIdOf(client, job), replay_id })
}

export async function cancelReplay(
  context: Context,
  flags: ServiceFlags,
  ...[job, replay_id]: readonly [string, string]
): Promise<void> {
  const client = context.client(flags)
  const replay = await client.cancelReplay({ job_id: await jobIdOf(client, job), replay_id })
  context.print(flags, replay, ({ status }) => `The replay is ${status}.`)
}

export async function listReplays(context: Context, flags: ServiceFlags, job: string): Promise<void> {
  const client = context.client(flags)
  const { replays } = await client.listReplays({ job_id: await jobIdOf(client, job) })
  const columns = [
    { title: 'replay', of: (one: ListedReplay) => one.replay_id },
    { title: 'status', of: (one: ListedReplay) => one.status },
    { title: 'done %', of: (one: ListedReplay) => one.progress_percent },
    { title: 'from', of: (one: ListedReplay) => one.start_date },
    { title: 'to', of: (one: ListedReplay) => one.end_date },
    { title: 'model', of: (one: ListedReplay) => one.model_id ?? 'trained for it' },
    { title: 'against', of: (one: ListedReplay) => one.against ?? 'stored decisions' },
    { title: 'by', of: (one: ListedReplay) => one.requested_by },
  ]
  context.list(flags, replays, columns, 'There was no replay yet.')
}
