/**
 * A job whose decisions go to a search engine. The engine is dead during a million events and then is back: what ingest
 * loses, and the memory of the service while all decisions go out.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { startNode } from '../harness/child.js'
import { memoryOf } from '../harness/machine.js'
import { built } from '../harness/paths.js'
import { alternate, rated, type RunSize, type Row, type Step } from '../harness/result.js'
import { linesFile, withSubject, type Subject } from '../harness/trained.js'
import type { BulkResult } from '../load/bulk-load.js'
import { driveBulk } from '../load/drive.js'
import { bulkConnections } from './bulk.js'
import { freePort } from '../harness/free-port.js'

const pool = 102_400
/** Bound for the time in which everything goes out. */
const outMsMax = 1_800_000

interface Figures {
  readonly documents: number
  readonly different: number
}

/** Gives the subject's job an output to a server at this port. */
async function addOutput({ service, jobId }: Subject, port: number): Promise<void> {
  const parameters = { hosts: '127.0.0.1', port, user: '', password: '', schema: 'http' }
  await service.client.ask('POST', '/api/v2/resources', {
    resources: {
      search: { type: 'integration', properties: { title: 'Search', integration_type: 'search_engine', parameters } },
      job: {
        type: 'job',
        properties: {
          title: 'Bench',
          pipeline_integrations: [{ resource: 'search', integration_type: 'output', enabled: true, parameters: {} }],
        },
      },
    },
  })
  // The thread of the integrations is starting.
  for (let tries = 0; tries < 200; tries++) {
    const { status, body } = await service.client.send('GET', '/api/v2/integrations/deliveries')
    if (status === 200 && (body as { job_id: number }[])[0]?.job_id === jobId) return
    await sleep(100)
  }
  throw new Error('the job has no output')
}

async function figuresOf(port: number): Promise<Figures> {
  return (await (await fetch(`http://127.0.0.1:${port}/figures`)).json()) as Figures
}

/** Everything goes out: how long it takes, and memory at a tenth, at half and at the end. */
async function letOut({ service }: Subject, port: number, count: number): Promise<Row[]> {
  const sink = startNode(built('bench/floors/bulk-sink.js'), [String(port)])
  try {
    while (!sink.tail().includes('listening')) await sleep(20)
    const memory: { readonly documents: number; readonly rss: number; readonly anonymous: number }[] = []
    const begun = performance.now()
    let first = 0
    for (;;) {
      const { documents } = await figuresOf(port)
      if (documents > 0 && first === 0) first = performance.now()
      const { rssMib: rss, anonymousMib: anonymous } = memoryOf(service.pid)
      memory.push({ documents, rss, anonymous })
      if (documents >= count) break
      if (performance.now() - begun > outMsMax) throw new Error(`${documents} of ${count} decisions went out`)
      await sleep(250)
    }
    const seconds = (performance.now() - first) / 1_000
    // Duplicates would arrive now.
    await sleep(3_000)
    const { documents, different } = await figuresOf(port)
    if (different !== count) throw new Error(`${count} events were acknowledged, ${different} went out`)
    const at = (share: number): (typeof memory)[number] =>
      memory.find((one) => one.documents >= share * count) as (typeof memory)[number]
    const [tenth, half, end] = [at(0.1), at(0.5), at(1)]
    const text = [tenth, half, end]
      .map(({ rss, anonymous }) => `${anonymous.toFixed(0)} (${rss.toFixed(0)})`)
      .join(', ')
    const ratio = end.anonymous / tenth.anonymous
    return [
      {
        what: `${count / 1e6} M decisions to a search engine in bulk`,
        ours: count / seconds,
        unit: 'documents/s',
        bar: 'none lost',
        met: true,
        note: `after it had been dead; ${documents - different} came twice`,
      },
      {
        what: 'memory while they go out',
        ours: end.anonymous,
        unit: 'MiB',
        against: { name: 'at a tenth of them, MiB', value: tenth.anonymous },
        ratio,
        bar: 'at most 1.2 of it',
        met: ratio <= 1.2,
        note: `RssAnon (VmRSS with mapped pages of the store) at a tenth, at half, at the end: ${text} MiB`,
      },
    ]
  } finally {
    await sink.stop()
  }
}

async function measure(subject: Subject, without: Subject, size: RunSize): Promise<Row[]> {
  const port = await freePort()
  await addOutput(subject, port)
  const events = Math.floor(size.million / size.rounds)
  const load = (target: Subject): (() => Promise<BulkResult>) => {
    const { file } = linesFile(target, pool)
    return () =>
      driveBulk({
        port: target.service.port,
        file,
        headers: target.headers,
        connections: bulkConnections,
        seconds: 0,
        events,
        rate: 0,
      })
  }
  const begun = performance.now()
  const [alone, beside] = await alternate(size.rounds, [load(without), load(subject)])
  const deadSeconds = (performance.now() - begun) / 1_000
  const [ours, theirs] = [
    rated(beside, (i) => (beside[i] as BulkResult).events),
    rated(alone, (i) => (alone[i] as BulkResult).events),
  ]
  const ratio = ours.perSecond / theirs.perSecond
  const row: Row = {
    what: 'ingest while the counterpart of an output is dead',
    ours: ours.perSecond,
    unit: 'events/s',
    p50Ms: ours.p50Ms,
    p99Ms: ours.p99Ms,
    against: { name: 'a job without an output', value: theirs.perSecond },
    ratio,
    bar: 'at least 0.95 of it',
    met: ratio >= 0.95,
    note: `dead for ${deadSeconds.toFixed(0)} s, in which it is asked ever less, every 30 s in the end; p99 without ${theirs.p99Ms.toFixed(1)} ms`,
  }
  size.log('the counterpart is back')
  return [
    row,
    ...(await letOut(
      subject,
      port,
      beside.reduce((sum, one) => sum + one.events, 0),
    )),
  ]
}

function run(size: RunSize): Promise<Row[]> {
  const settings = { SERVICE_PRIVATE_HOSTS: '127.0.0.1' }
  return withSubject((subject) => withSubject((without) => measure(subject, without, size), { settings }), {
    settings,
  })
}

export const outputs: Step = { name: 'outputs', run }
