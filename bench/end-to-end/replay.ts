/**
 * A replay of many stored events with an earlier model, beside the ingest of the same job, and what ingest loses to it.
 * One replay follows the other until the load is over.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { train } from '../harness/job.js'
import { processorSeconds } from '../harness/machine.js'
import type { RunSize, Row, Step } from '../harness/result.js'
import { alerts, eventsFile, teach, withSubject, type Subject } from '../harness/trained.js'
import { ingestBeside } from '../load/beside.js'
import { driveBulk } from '../load/drive.js'
import { bulkConnections } from './bulk.js'

const pool = 40_000
/** Further labelled events of the second model. */
const learned = 2_000
const pollMs = 20

interface ReplayAnswer {
  readonly replay_id: string
  readonly state: string
  readonly message: string
  readonly report: { readonly events: number; readonly seconds: number; readonly changed: number } | null
}

async function replayAll({ service: { client }, jobId }: Subject): Promise<NonNullable<ReplayAnswer['report']>> {
  const path = `/api/v2/jobs/${jobId}/replays`
  const terms = { model_id: `model_${jobId}_1` }
  const { replay_id: id } = (await client.ask('POST', path, terms)) as ReplayAnswer
  for (;;) {
    const { state, message, report } = (await client.ask('GET', `${path}/${id}`)) as ReplayAnswer
    if (report !== null) return report
    if (state === 'failed') throw new Error(`the replay failed: ${message}`)
    await sleep(pollMs)
  }
}

async function measure(subject: Subject, size: RunSize): Promise<Row[]> {
  const { client, port, pid } = subject.service
  const { headers, jobId } = subject
  await teach(subject, alerts(21, learned))
  await train(client, jobId)
  const file = eventsFile(subject, jobId, pool)
  const base = { port, file, headers, connections: bulkConnections }
  size.log(`storing ${size.million} events`)
  const full = await driveBulk({ ...base, events: size.million, seconds: 0, rate: 0 })
  const perSecond = full.events / full.seconds
  const before = processorSeconds(pid)
  const alone = await replayAll(subject)
  const cpuMicros = ((processorSeconds(pid) - before) / alone.events) * 1e6
  const rate = alone.events / alone.seconds
  const load = { ...base, events: 0, seconds: 2 * size.seconds, rate: perSecond / 2 }
  const meanwhile = await ingestBeside(load, {
    what: 'ingest of the same job during replays, at half of its full load',
    named: 'replays',
    atLeast: 0.9,
    once: () => replayAll(subject),
  })
  return [
    {
      what: `replay of ${(alone.events / 1e6).toFixed(2)} M events with an earlier model`,
      ours: rate,
      unit: 'events/s',
      against: { name: 'bulk ingest of as many', value: perSecond },
      ratio: rate / perSecond,
      bar: 'at least 0.5 of it',
      met: rate / perSecond >= 0.5,
      note:
        `${alone.seconds.toFixed(1)} s, ${alone.changed} decisions change; ` +
        `${cpuMicros.toFixed(2)} µs of CPU time an event`,
    },
    meanwhile,
  ]
}

export const replay: Step = {
  name: 'replay',
  run: (size) => withSubject((subject) => measure(subject, size)),
}
