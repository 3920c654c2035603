/**
 * Documents of a search engine that become events, decided and flushed. The floor is one process that fetches and
 * parses the same pages and stores nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { runNode, startNode } from '../harness/child.js'
import { built } from '../harness/paths.js'
import { alternate, median, type RunSize, type Row, type Step } from '../harness/result.js'
import { newKey, removeDirectory, startService, temporaryDirectory, type Service } from '../harness/service.js'
import { alertLabels, alertPoints } from '../streams/alerts.js'
import { freePort } from '../harness/free-port.js'

const batch = 5_000
const program = built('bench/floors/search-pages.js')

interface Rate {
  readonly documents: number
  readonly seconds: number
}

/** Makes a job that reads all documents, and times it from its first event to its last. */
async function read({ client }: Service, port: number, count: number, title: string): Promise<Rate> {
  const connection = { hosts: '127.0.0.1', port, user: '', password: '', schema: 'http' }
  const parameters = { index_pattern: 'alerts-*', preserve_id: true, batch_size: batch, lookback_seconds: 0 }
  const custom = alertLabels.map((name, i) => ({ name, hex_color: `#00000${i}` }))
  const answer = (await client.ask('POST', '/api/v2/resources', {
    resources: {
      search: { type: 'integration', properties: { title, integration_type: 'search_engine', parameters: connection } },
      job: {
        type: 'job',
        properties: {
          title,
          decision_points: alertPoints,
          advanced_settings: { custom_labels: custom },
          pipeline_integrations: [{ resource: 'search', integration_type: 'input', enabled: true, parameters }],
        },
      },
    },
  })) as { created: readonly { type: string; internal_id: string | number }[] }
  const jobId = Number(answer.created.find(({ type }) => type === 'job')?.internal_id)
  const stored = async (): Promise<number> => (await client.job(jobId)).processed_documents_count
  let first = 0
  while (first === 0) {
    await sleep(5)
    first = await stored()
  }
  const begun = performance.now()
  for (;;) {
    const now = await stored()
    if (now >= count) break
    if (performance.now() - begun > 300_000) throw new Error(`${now} of ${count} documents after five minutes`)
    await sleep(20)
  }
  return { documents: count - first, seconds: (performance.now() - begun) / 1_000 }
}

async function run(size: RunSize): Promise<Row[]> {
  const count = Math.max(50_000, Math.floor(size.million / 10))
  const port = await freePort()
  const server = startNode(program, ['serve', JSON.stringify({ port, count, batch })])
  const directory = temporaryDirectory()
  const service = await startService(directory, newKey(), { SERVICE_PRIVATE_HOSTS: '127.0.0.1' })
  try {
    while (!server.tail().includes('listening')) await sleep(50)
    let round = 0
    const [floors, ours] = await alternate(size.rounds, [
      async () => (await runNode(program, ['floor', JSON.stringify({ port, count, batch })])) as Rate,
      () => read(service, port, count, `Search ${++round}`),
    ])
    const perSecond = (rates: readonly Rate[]): number =>
      median(rates.map(({ documents, seconds }) => documents / seconds))
    const value = perSecond(ours)
    const against = { name: 'the same pages fetched and parsed, nothing stored', value: perSecond(floors) }
    return [
      {
        what: 'search engine input, decided and flushed',
        ours: value,
        unit: 'documents/s',
        against,
        ratio: value / against.value,
        bar: 'at least 20 k documents/s of 1 KB',
        met: value >= 20_000,
        note: `${server.tail().trim()}, pages of ${batch}`,
      },
    ]
  } finally {
    await service.stop()
    await server.stop()
    removeDirectory(directory)
  }
}

export const searchInput: Step = { name: 'search-input', run }
