/** A page of fifty labels to ask for, over many buckets, while people vote and events come in. */
import { makeSibling, train } from '../harness/job.js'
import { processorSeconds } from '../harness/machine.js'
import { median, quantile, type RunSize, type Row, type Step } from '../harness/result.js'
import { alerts, eventsFile, teach, withSubject, type Subject } from '../harness/trained.js'
import { driveBulk } from '../load/drive.js'
import { alertLabels, alertPoints } from '../streams/alerts.js'

const pages = 200
const learned = 2_000
const barMs = 50

interface Page {
  readonly next: readonly { readonly event_id: string }[]
}

async function measure(subject: Subject, size: RunSize): Promise<Row[]> {
  const { client } = subject.service
  const points = [...alertPoints, 'ticket']
  const jobId = await makeSibling(client, 'Bench', { points, labels: alertLabels, title: 'Buckets' })
  await teach(subject, alerts(11, learned), jobId)
  await train(client, jobId)
  const file = eventsFile(subject, jobId, size.labelled, (at) => ({ ticket: `t${at}` }))
  const { port } = subject.service
  await driveBulk({ port, file, headers: subject.headers, connections: 1, seconds: 0, events: size.labelled, rate: 0 })
  const ask = async (): Promise<readonly [number, Page]> => {
    const startedAt = performance.now()
    const page = (await client.ask('GET', `/api/v2/jobs/${jobId}/next?count=50`)) as Page
    return [performance.now() - startedAt, page]
  }
  const [first] = await ask()
  const before = processorSeconds(subject.service.pid)
  const times: number[] = []
  for (let at = 0; at < pages; at++) {
    const [ms, page] = await ask()
    times.push(ms)
    const picked = page.next[0]
    if (at % 5 !== 0 || picked === undefined) continue
    await client.feedback(jobId, picked.event_id, 'ann', alertLabels[0] as string)
    await subject.input.ask('POST', '/api/v1/events/', { job_id: jobId, raw_body: { ticket: `later ${at}` } })
  }
  const cpuMs = ((processorSeconds(subject.service.pid) - before) * 1000) / pages
  const p95 = quantile(times, 0.95)
  return [
    {
      what: `page of 50 next labels over ${Math.round(size.labelled / 1000)} k buckets`,
      ours: p95,
      unit: 'ms',
      p50Ms: median(times),
      p99Ms: quantile(times, 0.99),
      bar: `p95 under ${barMs} ms`,
      met: p95 < barMs,
      note:
        `p95 of ${pages} pages, a vote and an event after every fifth; ${cpuMs.toFixed(1)} ms of CPU time a page; ` +
        `the first page took ${first.toFixed(0)} ms`,
    },
  ]
}

export const nextLabels: Step = {
  name: 'next-labels',
  run: (size) => withSubject((subject) => measure(subject, size)),
}
