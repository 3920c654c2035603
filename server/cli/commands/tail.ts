/** `decide tail`: what happens in jobs, as it happens. */
import type { StreamMessage, StreamType } from '../../client/index.js'
import { jobIdOf, type Context, type ServiceFlags } from '../context.js'
import { queryOf } from '../filters.js'
import { cleanLine } from '../terminal/clean.js'

export interface TailFlags extends ServiceFlags {
  readonly job?: readonly string[] | undefined
  readonly filter?: readonly string[] | undefined
  readonly type?: readonly StreamType[] | undefined
  readonly after?: string | undefined
  readonly limit?: number | undefined
}

/** What people are told of a message; null for what only says that the stream is alive. */
function textOf(message: StreamMessage): string | null {
  const { type, data } = message
  switch (type) {
    case 'decision': {
      const { ingest_timestamp, job_id, event_id, result_label, confidence_score, outlier, title, autonomy } = data
      const label = result_label === '' ? 'no decision' : `${result_label} ${confidence_score} %`
      const more = [outlier ? 'outlier' : '', autonomy ?? '', title ?? ''].filter((part) => part !== '')
      return [ingest_timestamp, `job ${job_id}`, event_id, label, ...more].join('  ')
    }
    case 'vote': {
      const { at, job_id, event_id, bucket_id, analyst, label, consensus } = data
      const about = event_id ?? `bucket ${bucket_id}`
      const vote = label === null ? 'withdraws' : `votes ${label}`
      return `${at}  job ${job_id}  ${about}  ${analyst} ${vote}; consensus: ${consensus ?? 'none'}`
    }
    case 'training':
      return `${data.at}  job ${data.job_id}  training ${data.state}${data.message === null ? '' : `: ${data.message}`}`
    case 'cluster': {
      const { cluster_id, size, last_time } = data.cluster
      return `${last_time}  job ${data.job_id}  ${data.event_id}  in cluster ${cluster_id} of ${size} alerts`
    }
    case 'gap':
      return `job ${data.job_id}: ${data.message}`
    default:
      return null
  }
}

export async function tail(context: Context, flags: TailFlags): Promise<void> {
  const wanted = queryOf(undefined, flags.filter)
  const client = context.client(flags)
  const { signal, stdout } = context.world
  const job_id: number[] = []
  for (const job of flags.job ?? []) job_id.push(await jobIdOf(client, job))
  const params = {
    ...(job_id.length === 0 ? {} : { job_id }),
    ...(flags.type === undefined ? {} : { types: [...flags.type] }),
    ...(wanted === undefined ? {} : { query: wanted }),
    last_event_id: flags.after,
  }
  let last = flags.after
  let told = 0
  try {
    for await (const message of client.events.stream(params, { signal })) {
      last = message.id || last
      const text = textOf(message)
      if (text === null) continue
      if (flags.json) context.line(message)
      else if (message.type === 'gap') context.note(text)
      else stdout.write(`${cleanLine(text)}\n`)
      if (++told === flags.limit) return
    }
  } catch (error) {
    if (last !== undefined) context.note(`To go on: --after ${last}`)
    throw error
  }
}
