/** `decide train`: trains a job, and waits until the model decides. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Client, Job } from '../../client/index.js'
import { jobIdOf, type Context, type ServiceFlags } from '../context.js'
import { CommandError } from '../failure.js'

export interface TrainFlags extends ServiceFlags {
  readonly wait: boolean
}

const ASK_AGAIN_MS = 250

/** The job when its training is over. */
export async function untilTrained(context: Context, client: Client, job_id: number): Promise<Job> {
  const { stderr, signal } = context.world
  for (;;) {
    const now = await client.getManagedJob({ job_id })
    const isOver = now.retrain_state !== 'queued' && now.retrain_state !== 'training'
    if (stderr.isTTY === true) stderr.write(`\r\u001b[K${isOver ? '' : now.retrain_msg.replace(/[^\x20-\x7e]/g, ' ')}`)
    if (isOver) return now
    await pause(ASK_AGAIN_MS, undefined, { signal })
  }
}

export async function train(context: Context, flags: TrainFlags, job: string): Promise<void> {
  const client = context.client(flags)
  const job_id = await jobIdOf(client, job)
  await client.trainManagedJob({ job_id })
  const now = flags.wait ? await untilTrained(context, client, job_id) : await client.getManagedJob({ job_id })
  if (flags.wait && now.retrain_state === 'RETRAIN_FAILED') throw new CommandError(now.retrain_msg)
  context.print(flags, now, ({ retrain_msg, model_msg, evidence }) =>
    flags.wait ? [retrain_msg, model_msg, evidence.message].filter((line) => line !== '').join('\n') : retrain_msg,
  )
}
