/**
 * Ingest of a job with an open gate, beside the same ingest of a job without a contract, in turn. The gate settles what
 * the job decides with one label, and draws audits from it.
 */
import { processorSeconds } from '../harness/machine.js'
import { alternate, median, rated, type RunSize, type Row, type Step } from '../harness/result.js'
import { eventsFile, withSubject, type Subject } from '../harness/trained.js'
import { driveBulk } from '../load/drive.js'
import { alertLabels } from '../streams/alerts.js'
import { bulkConnections } from './bulk.js'

const pool = 40_000
/** Events of which audits are answered, so that the gate opens. */
const proving = 4_000
const settled = 'Drop'
const contract = {
  mode: 'open',
  protected_labels: alertLabels.filter((label) => label === 'Escalate'),
  labels: [{ label: settled, epsilon: 0.5, delta: 0.5, thresholds: [60] }],
}

interface AutonomyAnswer {
  readonly gates: readonly { readonly state: string; readonly settled: number; readonly pending: number }[]
}

interface QueuePage {
  readonly events: readonly { readonly event_id: string; readonly result_label: string }[]
  readonly next: string | null
}

/** Sets the contract, and answers audits until its gate is open. */
async function openGate({ service: { client, port }, headers }: Subject, jobId: number, file: string): Promise<void> {
  const path = `/api/v2/jobs/${jobId}`
  await client.ask('PUT', `${path}/autonomy`, contract)
  await driveBulk({ port, file, headers, connections: 1, seconds: 0, events: proving, rate: 0 })
  for (let after = ''; ; ) {
    const page = (await client.ask('GET', `${path}/queue?size=200${after}`)) as QueuePage
    for (const { event_id: id, result_label: label } of page.events)
      if (label === settled) await client.feedback(jobId, id, 'ann', settled)
    const { gates } = (await client.ask('GET', `${path}/autonomy`)) as AutonomyAnswer
    if (gates[0]?.state === 'open') return
    if (page.next === null) throw new Error('the gate did not open')
    after = `&after=${page.next}`
  }
}

async function measure(subject: Subject, { rounds, seconds }: RunSize): Promise<Row[]> {
  const { client, port, pid } = subject.service
  const [plainId, gatedId] = subject.jobIds as [number, number]
  const [plain, gated] = [plainId, gatedId].map((jobId) => eventsFile(subject, jobId, pool)) as [string, string]
  await openGate(subject, gatedId, gated)
  const cpu: [number[], number[]] = [[], []]
  const load = (file: string, place: 0 | 1) => async () => {
    const before = processorSeconds(pid)
    const result = await driveBulk({
      port,
      file,
      headers: subject.headers,
      connections: bulkConnections,
      seconds,
      events: 0,
      rate: 0,
    })
    cpu[place].push(((processorSeconds(pid) - before) / result.events) * 1e6)
    return result
  }
  await load(plain, 0)()
  await load(gated, 1)()
  cpu[0].length = 0
  cpu[1].length = 0
  const [without, beside] = await alternate(rounds, [load(plain, 0), load(gated, 1)])
  const { gates } = (await client.ask('GET', `/api/v2/jobs/${gatedId}/autonomy`)) as AutonomyAnswer
  const [gate] = gates
  if (gate === undefined || gate.state !== 'open') throw new Error('the gate is not open any more')
  const ours = rated(beside, (at) => beside[at]?.events ?? 0)
  const theirs = rated(without, (at) => without[at]?.events ?? 0)
  const ratio = ours.perSecond / theirs.perSecond
  const [micros, plainMicros] = [median(cpu[1]), median(cpu[0])]
  return [
    {
      what: 'NDJSON bulk with an open gate',
      ours: ours.perSecond,
      unit: 'events/s',
      against: { name: 'a job without a contract', value: theirs.perSecond },
      ratio,
      p50Ms: ours.p50Ms,
      p99Ms: ours.p99Ms,
      bar: 'at least 0.95 of it',
      met: ratio >= 0.95,
      note:
        `${gate.settled} settled, ${gate.pending} audits wait; processor time of an event ${micros.toFixed(2)} µs, ` +
        `without ${plainMicros.toFixed(2)} µs: ${(plainMicros / micros).toFixed(2)} as much`,
    },
  ]
}

export const gate: Step = {
  name: 'gate',
  run: (size) => withSubject((subject) => measure(subject, size), { jobs: 2 }),
}
