/** `decide train`: trains a job, and waits until the model decides. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Job } from '../../client/index.js'
import { jobIdOf, type Context, type ServiceFlags } from '../context.js'
import { CommandError } from '../failure.js'

export interface TrainFlags extends ServiceFlags {
  readonly wait: boolean
}

const ASK_AGAIN_MS = 250

export async function train(context: Context, flags: TrainFlags, job: string): Promise<void> {
  const client = context.client(flags)
  const { stderr, signal } = context.world
  const job_id = await jobIdOf(client, job)
  await client.trainManagedJob({ job_id })
  let now: Job = await client.getManagedJob({ job_id })
  const isOver = ({ retrain_state }: Job): boolean => retrain_state !== 'queued' && retrain_state !== 'training'
  while (flags.wait && !isOver(now)) {
    if (stderr.isTTY === true) stderr.write(`\r\u001b[K${now.retrain_msg.replace(/[^\x20-\x7e]/g, ' ')}`)
    await pause(ASK_AGAIN_MS, undefined, { signal })
    now = await client.getManagedJob({ job_id })
  }
  if (flags.wait && stderr.isTTY === true) stderr.write('\r\u001b[K')
  if (flags.wait && now.retrain_state === 'RETRAIN_FAILED') throw new CommandError(now.retrain_msg)
  context.print(flags, now, ({ retrain_msg, model_msg, evidence }) =>
    flags.wait ? [retrain_msg, model_msg, evidence.message].filter((line) => line !== '').join('\n') : retrain_msg,
  )
}
