/** `decide jobs`: list, show, start, stop; apply and delete resources. */
import { readFileSync } from 'node:fs'
import type { Job, ResourceDocument } from '../../client/index.js'
import { jobIdOf, type Context, type ServiceFlags } from '../context.js'
import { UsageError } from '../failure.js'
import { factsText } from '../terminal/table.js'

export async function listJobs(context: Context, flags: ServiceFlags): Promise<void> {
  const jobs = await context.client(flags).listManagedJobs()
  const columns = [
    { title: 'id', of: (job: Job) => job.job_id },
    { title: 'title', of: (job: Job) => job.title },
    { title: 'status', of: (job: Job) => job.status },
    { title: 'events', of: (job: Job) => job.processed_documents_count },
    { title: 'votes', of: (job: Job) => job.feedback_documents_count },
    { title: 'evidence', of: (job: Job) => job.evidence.level },
    { title: 'model', of: (job: Job) => job.model_msg },
  ]
  context.list(flags, jobs, columns, 'There is no job yet; make one with "decide jobs apply FILE".')
}

/** "Escalate 0, Drop 37". */
function votesText({ evidence }: Job): string {
  return Object.entries(evidence.voted_events)
    .map(([label, count]) => `${label} ${count}`)
    .join(', ')
}

function jobText(job: Job): string {
  const warnings = job.warnings.map(
    ({ msg, example }) => `Warning: ${msg}${example === undefined ? '' : ` First example: ${JSON.stringify(example)}`}`,
  )
  const facts = factsText([
    ['id', job.job_id],
    ['title', job.title],
    ['status', job.status],
    ['labels', job.labels.join(', ')],
    ['decision points', job.features.join(', ')],
    ['events', job.processed_documents_count],
    ['latest event', job.last_processed_timestamp],
    ['undecided', job.undecided_documents_count],
    ['votes', job.feedback_documents_count],
    ['voted events', votesText(job)],
    ['evidence', job.evidence.message || job.evidence.level],
    ['model', job.model_msg],
    ['training', job.retrain_msg],
    ['last trained', job.last_train_finished_timestamp],
  ])
  return [facts, ...warnings].join('\n')
}

export async function showJob(context: Context, flags: ServiceFlags, job: string): Promise<void> {
  const client = context.client(flags)
  context.print(flags, await client.getManagedJob({ job_id: await jobIdOf(client, job) }), jobText)
}

export async function startJob(context: Context, flags: ServiceFlags, job: string): Promise<void> {
  const client = context.client(flags)
  context.print(flags, await client.startManagedJob({ job_id: await jobIdOf(client, job) }), () => 'The job runs.')
}

export async function stopJob(context: Context, flags: ServiceFlags, job: string): Promise<void> {
  const client = context.client(flags)
  const outcome = await client.stopManagedJob({ job_id: await jobIdOf(client, job) })
  context.print(flags, outcome, () => 'The job is stopped. New events are stored, and decided when it starts again.')
}

export interface ApplyFlags extends ServiceFlags {
  readonly keepExisting?: boolean | undefined
}

async function documentOf(context: Context, file: string): Promise<ResourceDocument> {
  let text = ''
  if (file === '-') for await (const piece of context.world.stdin) text += String(piece)
  else text = readFileSync(file, 'utf8')
  try {
    return JSON.parse(text) as ResourceDocument
  } catch {
    throw new UsageError(`${file} is not valid JSON`)
  }
}

/** Makes or changes what a document describes: jobs, integrations, keys. */
export async function applyFile(context: Context, flags: ApplyFlags, file: string): Promise<void> {
  const body = await documentOf(context, file)
  const answer = await context.client(flags).applyResources({ body, overwrite: !flags.keepExisting })
  context.print(flags, answer, ({ created, updated, warnings }) => {
    const lines = [
      ...created.map((one) => ['created', one] as const),
      ...updated.map((one) => ['updated', one] as const),
    ].map(([what, one]) => `${what} ${one.type} ${one.internal_id}`)
    const secrets = created.flatMap((one) =>
      typeof one.value === 'string' ? [`key ${one.internal_id}: ${one.value}`] : [],
    )
    return [...lines, ...secrets, ...warnings.map(({ msg }) => `Warning: ${msg}`)].join('\n') || 'Nothing to do.'
  })
}
