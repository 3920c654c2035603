/** `decide safety`: the safety contract of a job, its gates, a forecast, and settled events back to people. */
import { readFileSync } from 'node:fs'
import type { AutonomyView, ContractBody, ForecastThreshold, GateView } from '../../client/index.js'
import { jobIdOf, type Context, type ServiceFlags } from '../context.js'
import { UsageError } from '../failure.js'
import { cleanText } from '../terminal/clean.js'
import { factsText } from '../terminal/table.js'

const gateColumns = [
  { title: 'label', of: (gate: GateView) => gate.label },
  { title: 'from', of: (gate: GateView) => gate.threshold },
  { title: 'state', of: (gate: GateView) => gate.state },
  { title: 'audits', of: (gate: GateView) => gate.audits },
  { title: 'failures', of: (gate: GateView) => gate.failures },
  { title: 'settled', of: (gate: GateView) => gate.settled },
  { title: 'why', of: (gate: GateView) => gate.message },
]

function contractText({ mode, hold_out_rate, protected_labels, labels, set_at, set_by }: AutonomyView): string {
  return factsText([
    ['mode', mode],
    ['audited', `${hold_out_rate * 100} % of what a gate would settle`],
    ['protected', protected_labels.join(', ')],
    ['labels', labels.map(({ label, epsilon }) => `${label} (at most ${epsilon * 100} % wrong)`).join(', ')],
    ['set', set_at === null ? 'never' : `${set_at} by ${set_by ?? 'the service'}`],
  ])
}

export async function showSafety(context: Context, flags: ServiceFlags, job: string): Promise<void> {
  const client = context.client(flags)
  const view = await client.getAutonomy({ job_id: await jobIdOf(client, job) })
  if (flags.json) return context.print(flags, view, () => '')
  context.world.stdout.write(`${cleanText(contractText(view))}\n\n`)
  context.list(flags, view.gates, gateColumns, 'There is no gate. A contract in the mode shadow or open makes them.')
}

export async function setSafety(context: Context, flags: ServiceFlags, job: string, file: string): Promise<void> {
  let body: ContractBody
  try {
    body = JSON.parse(readFileSync(file, 'utf8')) as ContractBody
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${file} is not valid JSON`)
    throw error
  }
  const client = context.client(flags)
  context.print(flags, await client.setAutonomy({ job_id: await jobIdOf(client, job), body }), contractText)
}

export interface ForecastFlags extends ServiceFlags {
  readonly epsilon: number
}

export async function forecastSafety(context: Context, flags: ForecastFlags, job: string): Promise<void> {
  const client = context.client(flags)
  const answer = await client.forecastAutonomy({ job_id: await jobIdOf(client, job), epsilon: flags.epsilon })
  if (flags.json) return context.print(flags, answer, () => '')
  const columns = [
    { title: 'label', of: (one: ForecastThreshold) => one.label },
    { title: 'from', of: (one: ForecastThreshold) => one.threshold },
    { title: 'events a day', of: (one: ForecastThreshold) => Math.round(one.events_per_day) },
    { title: 'audits needed', of: (one: ForecastThreshold) => one.audits_needed },
    { title: 'days', of: (one: ForecastThreshold) => one.days },
    { title: 'what', of: (one: ForecastThreshold) => one.message },
  ]
  context.list(flags, answer.thresholds, columns, 'There is no threshold to forecast.')
  context.note(answer.message)
}

export interface ReopenFlags extends ServiceFlags {
  readonly label?: string | undefined
  readonly since?: string | undefined
}

export async function reopenSettled(context: Context, flags: ReopenFlags, job: string): Promise<void> {
  const client = context.client(flags)
  const body = { label: flags.label, start_date: flags.since }
  const result = await client.reopenSettled({ job_id: await jobIdOf(client, job), body })
  context.print(flags, result, ({ reopened, complete }) => {
    const more = complete ? '' : ' There are more: run the command again.'
    return `${reopened} settled events are for people now.${more}`
  })
}
