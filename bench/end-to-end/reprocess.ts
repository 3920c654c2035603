/**
 * Deciding many stored events again, and ingest of the same job meanwhile.
 *
 * The events of the task and the new ones share a job, a shard and a thread: the worst case. The load is paced to half
 * of what the job takes alone, and one task follows the other until the load is over.
 */
import { median, type RunSize, type Row, type Step } from '../harness/result.js'
import { linesFile, withSubject, type Subject } from '../harness/trained.js'
import { ingestBeside } from '../load/beside.js'
import { driveBulk } from '../load/drive.js'
import { bulkConnections } from './bulk.js'

const pollMs = 20

interface TaskAnswer {
  readonly task_id: string
  readonly status: string
  readonly events_updated: number
  readonly requested_at: string
  readonly finished_at: string | null
}

/** Runs a task over every event of the job. Returns the number of events decided again, and seconds. */
async function reprocessAll({ service, jobId }: Subject): Promise<{ events: number; seconds: number }> {
  const path = `/api/v2/events/${jobId}/reprocess`
  const { task_id } = (await service.client.ask('POST', `${path}?timeout_s=0`, {})) as TaskAnswer
  for (;;) {
    const task = (await service.client.ask('GET', `${path}/${task_id}`)) as TaskAnswer
    if (task.finished_at !== null) {
      return {
        events: task.events_updated,
        seconds: (Date.parse(task.finished_at) - Date.parse(task.requested_at)) / 1000,
      }
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

async function measure(subject: Subject, size: RunSize): Promise<Row[]> {
  const { file } = linesFile(subject, 20_000)
  const base = { port: subject.service.port, file, headers: subject.headers, connections: bulkConnections }
  size.log(`storing ${size.labelled} events`)
  const full = await driveBulk({ ...base, events: size.labelled, seconds: 0, rate: 0 })
  const alone = await reprocessAll(subject)
  const load = { ...base, events: 0, seconds: 2 * size.seconds, rate: full.events / full.seconds / 2 }
  const beside: number[] = []
  const meanwhile = await ingestBeside(load, {
    what: 'ingest of the same job meanwhile, at half of its full load',
    named: 'tasks',
    atLeast: 0.8,
    once: async () => {
      const { events, seconds } = await reprocessAll(subject)
      beside.push(events / seconds)
    },
  })
  return [
    {
      what: `${Math.round(alone.events / 1000)} k events decided again`,
      ours: alone.events / alone.seconds,
      unit: 'events/s',
      bar: '',
      met: null,
      note: `${alone.seconds.toFixed(1)} s, counting them first included; beside the load ${Math.round(median(beside))} /s`,
    },
    meanwhile,
  ]
}

async function run(size: RunSize): Promise<Row[]> {
  return await withSubject((subject) => measure(subject, size))
}

export const reprocess: Step = { name: 'reprocess', run }
