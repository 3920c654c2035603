/** `decide next`: what people should be asked next, and with `--vote` the questions themselves. */
import type { Client, NextLabel, NextPage } from '../../client/index.js'
import { jobIdOf, type Context, type ServiceFlags } from '../context.js'
import { UsageError } from '../failure.js'
import { Prompt } from '../terminal/ask.js'
import { cleanLine } from '../terminal/clean.js'
import { counted, pointsOf, pointTexts } from '../terminal/words.js'
import { analystOf } from './vote.js'

export interface NextFlags extends ServiceFlags {
  readonly count: number
  readonly vote?: boolean | undefined
  readonly as?: string | undefined
}

const columns = [
  { title: 'event', of: (one: NextLabel) => one.event_id },
  { title: 'decision points', of: pointsOf },
  { title: 'decision', of: (one: NextLabel) => one.result_label },
  { title: 'confidence', of: (one: NextLabel) => (one.result_label === '' ? null : one.confidence_score) },
  { title: 'events', of: (one: NextLabel) => one.applies_to_events },
  { title: 'why', of: (one: NextLabel) => one.reason },
  { title: 'promise', of: (one: NextLabel) => one.promise?.message },
]

export async function next(context: Context, flags: NextFlags, job: string): Promise<void> {
  const client = context.client(flags)
  const job_id = await jobIdOf(client, job)
  const cortex_user = flags.as ?? (flags.vote === true ? analystOf(flags) : undefined)
  const page = await client.getNextLabels({ job_id, count: flags.count, cortex_user })
  if (flags.vote !== true) {
    if (flags.json) return context.print(flags, page, () => '')
    return context.list(flags, page.next, columns, 'Nothing is left to ask.')
  }
  if (flags.json) throw new UsageError('--vote asks a person: it has no JSON')
  await askAll(context, client, { job_id, cortex_user: cortex_user!, page })
}

interface Round {
  readonly job_id: number
  readonly cortex_user: string
  readonly page: NextPage
}

/** One event after the other. A number votes, `s` goes on without a vote, `q` ends. */
async function askAll(context: Context, client: Client, { job_id, cortex_user, page }: Round): Promise<void> {
  const labels = await client.getJobLabels({ job_id })
  const choices = labels.map((label, at) => `${at + 1} ${cleanLine(label)}`).join('  ')
  const prompt = new Prompt(context.world)
  let votes = 0
  try {
    for (const one of page.next) {
      context.note(`\n${describe(one)}`)
      const answer = await prompt.ask(`${choices}  s skip  q quit`, 's')
      if (answer === 'q') break
      const label = /^\d+$/.test(answer) ? labels[Number(answer) - 1] : undefined
      if (label === undefined && answer !== 's')
        context.note(`${cleanLine(answer)} is no choice; the event was skipped.`)
      if (label === undefined) continue
      const body = { cortex_user, feedback: label, picked_by: one.picked_by }
      const outcome = await client.giveFeedback({ job_id, event_id: one.event_id, body })
      votes++
      context.note(`${label}: applies to ${counted(outcome.applies_to_events, 'event')}.`)
    }
  } finally {
    prompt.close()
  }
  context.note(`${counted(votes, 'vote')}.`)
}

/** The event as an analyst looks at it: title and decision points, then why it is asked for. */
function describe(one: NextLabel): string {
  const decided = one.result_label === '' ? 'no decision yet' : `${one.result_label} ${one.confidence_score} %`
  const title = one.title === null ? [] : [`  ${one.title}`]
  const points = pointTexts(one.decision_points, ': ').map((text) => `  ${text}`)
  const lines = [`${one.event_id}: ${decided}`, ...title, ...points, `  ${one.reason}`]
  if (one.promise !== null) lines.push(`  ${one.promise.message}`)
  return lines.map(cleanLine).join('\n')
}
