/**
 * Set-up at size: a thousand jobs in one request, the same request again, and the listing of all of them. The floor of
 * each is the JSON alone, in this process: parsing the request, or writing the answer.
 */
import type { Client } from '../harness/client.js'
import { alternate, median, type RunSize, type Row, type Step } from '../harness/result.js'
import { newKey, removeDirectory, startService, temporaryDirectory } from '../harness/service.js'

const jobCount = 1_000
const listings = 50

function document(): object {
  const points = ['rule.id', 'host.name', 'source.ip', 'user.name']
  const labels = ['Escalate', 'Drop', 'Investigate'].map((name, i) => ({ name, hex_color: `#00000${i}` }))
  const job = (index: number): object => ({
    type: 'job',
    properties: {
      title: `job ${index}`,
      description: 'made by the benchmark',
      category: 'Decision intelligence',
      decision_points: points,
      advanced_settings: { custom_labels: labels, auto_retrain: { enabled: true, cron: `${index % 60} 3 * * *` } },
      pipeline_integrations: [
        { resource: 'rest', integration_type: 'input', enabled: true, parameters: { max_batch_size: 100 } },
        { resource: 'Internal storage', integration_type: 'output', enabled: true },
      ],
    },
  })
  return {
    resources: {
      key: { type: 'api_key', properties: { name: 'sender' } },
      rest: {
        type: 'integration',
        properties: {
          title: 'alerts',
          integration_type: 'External REST API',
          parameters: { api_key: 'key', data_type: 'alerts' },
        },
      },
      ...Object.fromEntries(Array.from({ length: jobCount }, (_, index) => [`job${index}`, job(index)])),
    },
  }
}

async function timeMs(what: () => unknown): Promise<number> {
  const startedAt = performance.now()
  await what()
  return performance.now() - startedAt
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number
}

interface Round {
  readonly createMs: number
  readonly againMs: number
  readonly listMs: readonly number[]
  readonly fullMs: number
  readonly writeMs: number
  readonly listedKib: number
}

async function use(client: Client, body: object): Promise<Round> {
  const createMs = await timeMs(async () => {
    const { created } = (await client.ask('POST', '/api/v2/resources', body)) as { created: unknown[] }
    if (created.length !== jobCount + 2) throw new Error(`${created.length} were created`)
  })
  const againMs = await timeMs(() => client.ask('POST', '/api/v2/resources', body))
  const listMs: number[] = []
  let listed: unknown[] = []
  for (let i = 0; i < listings; i++) {
    listMs.push(await timeMs(async () => (listed = (await client.ask('GET', '/api/v2/resources')) as unknown[])))
  }
  if (listed.length <= jobCount) throw new Error(`${listed.length} were listed`)
  const fullMs = await timeMs(() => client.ask('GET', '/api/v2/resources?resource_type=job&title=job%20500'))
  const writeMs = await timeMs(() => JSON.stringify(listed))
  return { createMs, againMs, listMs, fullMs, writeMs, listedKib: JSON.stringify(listed).length / 1024 }
}

/** Each round has a service of its own: a directory is empty only once. */
async function round(body: object): Promise<Round> {
  const directory = temporaryDirectory()
  const service = await startService(directory, newKey())
  try {
    return await use(service.client, body)
  } finally {
    await service.stop()
    removeDirectory(directory)
  }
}

async function run(size: RunSize): Promise<Row[]> {
  const body = document()
  const text = JSON.stringify(body)
  const [floors, rounds] = await alternate(size.rounds, [() => timeMs(() => JSON.parse(text)), () => round(body)])
  const of = (pick: (each: Round) => number): number => median(rounds.map(pick))
  const parseMs = median(floors)
  const lists = rounds.flatMap(({ listMs }) => listMs)
  const row = (what: string, ours: number, against: { name: string; value: number }): Omit<Row, 'bar' | 'met'> => {
    return { what, ours, unit: 'ms', against, ratio: ours / against.value }
  }
  const [createMs, againMs, listMs] = [of((each) => each.createMs), of((each) => each.againMs), median(lists)]
  const parse = { name: 'JSON.parse of the request, ms', value: parseMs }
  const write = { name: 'JSON.stringify of it, ms', value: of((each) => each.writeMs) }
  const kib = of((each) => each.listedKib)
  return [
    { ...row('1,000 jobs created in one request', createMs, parse), bar: 'under 2 s', met: createMs < 2_000 },
    { ...row('the same request again', againMs, parse), bar: '', met: null },
    {
      ...row('unfiltered listing with 1,000 jobs', listMs, write),
      bar: 'under 50 ms',
      met: listMs < 50,
      p50Ms: listMs,
      p99Ms: quantile(lists, 0.99),
      note: `${kib.toFixed(0)} KiB, parsed by the client; one of them in full by title: ${of((each) => each.fullMs).toFixed(1)} ms`,
    },
  ]
}

export const resources: Step = { name: 'resources', run }
