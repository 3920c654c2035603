/** `decide models`, `promote` and `rollback`: the models of a job, and which of them decides. */
import type { RegisteredModel } from '../../client/index.js'
import { jobIdOf, type Context, type ServiceFlags } from '../context.js'
import { factsText } from '../terminal/table.js'

export interface ModelsFlags extends ServiceFlags {
  readonly limit: number
}

function share({ value }: { readonly value: number | null }): string | null {
  return value === null ? null : `${(value * 100).toFixed(1)} %`
}

type HeldOut = RegisteredModel['held_out']

/** "96.4 % (Drop)": accuracy says little beside it. */
function shareOfCommonest({ commonest }: HeldOut): string | null {
  const value = share(commonest.share)
  return value === null ? null : `${value} (${commonest.label})`
}

/** "Escalate 3 of 5, Drop 41 of 42". */
function rightByLabel({ per_label }: HeldOut): string {
  return Object.entries(per_label)
    .map(([label, { recall, right }]) => `${label} ${right} of ${recall.events}`)
    .join(', ')
}

const columns = [
  { title: 'model', of: (model: RegisteredModel) => model.model_id },
  { title: 'state', of: ({ active, kept }: RegisteredModel) => (active ? 'decides' : kept ? 'kept' : 'figures only') },
  { title: 'trained', of: (model: RegisteredModel) => model.trained_at },
  { title: 'why', of: (model: RegisteredModel) => model.origin?.why },
  { title: 'examples', of: (model: RegisteredModel) => model.examples },
  { title: 'accuracy', of: (model: RegisteredModel) => share(model.held_out.accuracy) },
  { title: 'macro F1', of: (model: RegisteredModel) => share(model.held_out.macro_f1) },
]

export async function listModels(context: Context, flags: ModelsFlags, job: string): Promise<void> {
  const client = context.client(flags)
  const params = { job_id: await jobIdOf(client, job), size: Math.min(100, flags.limit) }
  const rows: RegisteredModel[] = []
  for await (const model of client.items('listModels', params, { signal: context.world.signal })) {
    rows.push(model)
    if (rows.length >= flags.limit) break
  }
  context.list(flags, rows, columns, 'The job has no model yet; train it with "decide train".')
}

export async function showModel(context: Context, flags: ServiceFlags, job: string, model_id: string): Promise<void> {
  const client = context.client(flags)
  const model = await client.getModel({ job_id: await jobIdOf(client, job), model_id })
  context.print(flags, model, ({ origin, held_out, held_out_log_loss, active_times, ...rest }) => {
    const counts = Object.entries(origin?.label_counts ?? {}).map(([label, count]) => `${label} ${count}`)
    return factsText([
      ['model', rest.model_id],
      ['decides', rest.active],
      ['can decide again', rest.kept],
      ['trained', rest.trained_at],
      ['why', origin?.why],
      ['by', origin?.user],
      ['examples', counts.length === 0 ? rest.examples : counts.join(', ')],
      ['decision points', origin?.decision_points.join(', ')],
      ['accuracy, held out', share(held_out.accuracy)],
      ['always saying the commonest label', shareOfCommonest(held_out)],
      ['right by label, held out', rightByLabel(held_out)],
      ['macro F1, held out', share(held_out.macro_f1)],
      ['log loss, held out', held_out_log_loss],
      ['decided', active_times.map(({ from, to }) => `${from} to ${to ?? 'now'}`).join(', ')],
    ])
  })
}

export interface RollbackFlags extends ServiceFlags {
  readonly to?: string | undefined
}

export async function rollback(context: Context, flags: RollbackFlags, job: string): Promise<void> {
  const client = context.client(flags)
  const body = flags.to === undefined ? {} : { model_id: flags.to }
  const result = await client.rollBackModel({ job_id: await jobIdOf(client, job), body })
  context.print(
    flags,
    result,
    ({ from, to }) => `${to} decides from the next event on (before: ${from ?? 'no model'}).`,
  )
}

/** Lets the challenger decide, or a model that is named. */
export async function promote(
  context: Context,
  flags: ServiceFlags,
  ...[job, model]: readonly [string, string?]
): Promise<void> {
  if (model !== undefined) return rollback(context, { ...flags, to: model }, job)
  const client = context.client(flags)
  const answer = await client.promoteChallenger({ job_id: await jobIdOf(client, job) })
  context.print(flags, answer, () => 'The challenger decides from the next event on.')
}
