/** `decide vote`: an analyst's vote on an event, or on its bucket. */
import { userInfo } from 'node:os'
import type { PickedBy } from '../../client/index.js'
import { jobIdOf, type Context, type ServiceFlags } from '../context.js'
import { UsageError } from '../failure.js'
import { counted } from '../terminal/words.js'

export interface VoteFlags extends ServiceFlags {
  readonly as?: string | undefined
  readonly bucket?: boolean | undefined
  readonly withdraw?: boolean | undefined
  readonly note?: string | undefined
  readonly pickedBy?: PickedBy | undefined
}

/** Who votes: the user of the machine, where nobody is named. */
export function analystOf({ as }: Pick<VoteFlags, 'as'>): string {
  if (as !== undefined) return as
  try {
    return userInfo().username
  } catch {
    throw new UsageError('name the analyst with --as')
  }
}

export async function vote(
  context: Context,
  flags: VoteFlags,
  ...[job, event_id, label]: readonly [string, string, string?]
): Promise<void> {
  if ((flags.withdraw === true) === (label !== undefined)) throw new UsageError('give a label, or --withdraw')
  const client = context.client(flags)
  const job_id = await jobIdOf(client, job)
  const cortex_user = analystOf(flags)
  const scope = flags.bucket ? ('bucket' as const) : ('event' as const)
  const outcome = flags.withdraw
    ? await client.withdrawFeedback({ job_id, event_id, cortex_user, scope })
    : await client.giveFeedback({
        job_id,
        event_id,
        body: { cortex_user, feedback: label, scope, closing_notes: flags.note, picked_by: flags.pickedBy },
      })
  context.print(flags, outcome, ({ consensus, consensus_before, applies_to_events, split }) => {
    const changed = consensus === consensus_before ? 'unchanged' : `before: ${consensus_before ?? 'none'}`
    const given = Object.entries(split).filter(([, count]) => count > 0)
    const votes = given.map(([name, count]) => `${name} ${count}`)
    return (
      `${flags.withdraw ? 'Withdrawn' : 'Voted'}. It applies to ${counted(applies_to_events, 'event')}.\n` +
      `Consensus: ${consensus ?? 'none'} (${changed})${votes.length === 0 ? '' : `; votes: ${votes.join(', ')}`}`
    )
  })
}
