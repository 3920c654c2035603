/** Pages of fifty of the queue of people over many events and buckets, while people vote and events come in. */
import { makeSibling, train } from '../harness/job.js'
import { processorSeconds } from '../harness/machine.js'
import { median, quantile, type RunSize, type Row, type Step } from '../harness/result.js'
import { alerts, eventsFile, teach, withSubject, type Subject } from '../harness/trained.js'
import { driveBulk } from '../load/drive.js'
import { alertLabels, alertPoints } from '../streams/alerts.js'

const pages = 300
const learned = 2_000
const barMs = 50
const contract = {
  mode: 'shadow',
  protected_labels: ['Escalate'],
  labels: [{ label: 'Drop', epsilon: 0.01, thresholds: [99, 95] }],
}

interface Page {
  readonly events: readonly { readonly event_id: string }[]
  readonly next: string | null
}

async function measureOrder(subject: Subject, jobId: number, order: string, what: string): Promise<Row> {
  const { client, pid } = subject.service
  const before = processorSeconds(pid)
  const times: number[] = []
  let [after, events] = ['', 0]
  for (let at = 0; at < pages; at++) {
    const startedAt = performance.now()
    const page = (await client.ask('GET', `/api/v2/jobs/${jobId}/queue?size=50&order=${order}${after}`)) as Page
    times.push(performance.now() - startedAt)
    events += page.events.length
    after = page.next === null ? '' : `&after=${page.next}`
    const [picked] = page.events
    if (at % 5 !== 0 || picked === undefined) continue
    await client.feedback(jobId, picked.event_id, 'ann', alertLabels[1] as string)
    await subject.input.ask('POST', '/api/v1/events/', { job_id: jobId, raw_body: { ticket: `later ${at}` } })
  }
  const cpuMs = ((processorSeconds(pid) - before) * 1000) / pages
  const p95 = quantile(times, 0.95)
  return {
    what,
    ours: p95,
    unit: 'ms',
    p50Ms: median(times),
    p99Ms: quantile(times, 0.99),
    bar: `p95 under ${barMs} ms`,
    met: p95 < barMs,
    note:
      `p95 of ${pages} pages by a cursor, ${(events / pages).toFixed(0)} events a page, a vote and an event after ` +
      `every fifth; ${cpuMs.toFixed(1)} ms of CPU time a page`,
  }
}

async function measure(subject: Subject, size: RunSize): Promise<Row[]> {
  const { client, port } = subject.service
  const points = [...alertPoints, 'ticket']
  const jobId = await makeSibling(client, 'Bench', { points, labels: alertLabels, title: 'Queue' })
  await teach(subject, alerts(11, learned), jobId)
  await train(client, jobId)
  await client.ask('PUT', `/api/v2/jobs/${jobId}/autonomy`, contract)
  // As many buckets as lines, each with several events.
  const file = eventsFile(subject, jobId, size.labelled, (at) => ({ ticket: `t${at}` }))
  size.log(`storing ${size.million} events`)
  await driveBulk({ port, file, headers: subject.headers, connections: 1, seconds: 0, events: size.million, rate: 0 })
  const over = `over ${size.million / 1e6} M events in ${Math.round(size.labelled / 1000)} k buckets`
  return [
    await measureOrder(subject, jobId, 'newest', `page of 50 of the queue, newest first, ${over}`),
    await measureOrder(subject, jobId, 'need', `the same by need`),
  ]
}

export const queuePage: Step = {
  name: 'queue',
  run: (size) => withSubject((subject) => measure(subject, size)),
}
