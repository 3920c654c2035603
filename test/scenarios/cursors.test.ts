/**
 * Every list with a cursor, read page by page while rows are added, changed and deleted; and cursors that are none of
 * the list.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openApiDocument } from '../../server/openapi.js'
import { routes } from '../../server/routes/index.js'
import { makeJob, type Answer, type Client } from '../support/client.js'
import { trainedJob } from '../support/http/trained-job.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService()
  client = service.client
})
after(() => service.close())

/** A list over a job of its own. */
interface Read {
  readonly jobId: number
  page(after?: string): Promise<Answer>
  /** Adds rows: newer ones, and where the order allows it some between the others. */
  add(round: number): Promise<void>
  /** Changes a row. It keeps its place. */
  change?(id: string): Promise<void>
  /** Takes a row out of the list. Absent: the list keeps all rows. */
  remove?(id: string): Promise<void>
}

interface ListCase {
  readonly name: string
  readonly operation: string
  /** The rows, by their ids. */
  idsOf(body: Answer['body']): string[]
  open(): Promise<Read>
}

const eventIds = (body: any): string[] => body.events.map(({ event_id }: any) => event_id)

/** So many events; `raw_body.n` and their own times are in an order of their own. */
async function sendEvents(jobId: number, name: string, count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_, i) => {
    const n = (i * 7) % 11
    const time = new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString()
    return JSON.stringify({
      job_id: jobId,
      event_id: `${name}-${i}`,
      raw_body: { '@timestamp': time, n, rule: i % 2 === 0 ? 'threat' : 'noise' },
    })
  })
  const answers = await client.bulk(lines.join('\n'))
  assert.ok(
    answers.every(({ event_id }) => event_id !== undefined),
    JSON.stringify(answers[0]),
  )
}

async function vote(jobId: number, id: string): Promise<void> {
  const body = { cortex_user: 'ann', feedback: 'Drop' }
  const answer = await client.put(`/api/v1/events/${jobId}/${id}/feedback`, body)
  assert.equal(answer.status, 200, answer.text)
}

async function erase(jobId: number, id: string): Promise<void> {
  const answer = await client.post(`/api/v2/events/${jobId}/delete`, {
    filters: [{ field: '_id', operator: 'is', value: id }],
  })
  assert.equal(answer.body.events_deleted, 1, answer.text)
}

function eventsBy(name: string, operation: string, path: string, order: object): ListCase {
  return {
    name,
    operation,
    idsOf: eventIds,
    async open() {
      const { jobId } = await makeJob(client, { decision_points: ['rule'] })
      await sendEvents(jobId, 'first', 40)
      return {
        jobId,
        page: (after) => client.post(path, { job_ids: jobId, size: 7, ...order, ...(after && { after }) }),
        add: (round) => sendEvents(jobId, `more${round}`, 11),
        change: (id) => vote(jobId, id),
        remove: (id) => erase(jobId, id),
      }
    },
  }
}

function queueBy(order: 'newest' | 'need', events: number, size: number): ListCase {
  return {
    name: `the queue by ${order}`,
    operation: 'getQueue',
    idsOf: eventIds,
    async open() {
      const jobId = await trainedJob(client)
      const labels = [{ label: 'Drop', epsilon: 0.5, delta: 0.5, thresholds: [50] }]
      const contract = { mode: 'shadow', hold_out_rate: 0.5, audit_deadline_hours: 24, labels }
      const set = await client.put(`/api/v2/jobs/${jobId}/autonomy`, contract)
      assert.equal(set.status, 200, set.text)
      await sendEvents(jobId, 'first', events)
      return {
        jobId,
        page: (after) => {
          const query = new URLSearchParams({ order, size: String(size), ...(after && { after }) })
          return client.get(`/api/v2/jobs/${jobId}/queue?${query}`)
        },
        add: (round) => sendEvents(jobId, `more${round}`, 3),
        remove: (id) => vote(jobId, id),
      }
    },
  }
}

/** An alert of a service of a name; it calls others. */
async function alert(
  jobId: number,
  id: string,
  { name, callees = [], time = new Date() }: { name: string; callees?: readonly string[]; time?: Date },
): Promise<void> {
  const rawBody = { '@timestamp': time.toISOString(), service: { name, callees }, alert: { type: 'down' } }
  const answer = await client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body: rawBody })
  assert.equal(answer.status, 201, answer.text)
}

async function causeJob(): Promise<number> {
  return (await makeJob(client, { category: 'Automated root cause analysis', decision_points: [] })).jobId
}

const pathOf = (path: string, size: number, after?: string): string =>
  `${path}?${new URLSearchParams({ size: String(size), ...(after && { after }) })}`

const clusterList: ListCase = {
  name: 'clusters',
  operation: 'listClusters',
  idsOf: (body) => body.clusters.map(({ cluster_id }: any) => cluster_id),
  async open() {
    const jobId = await causeJob()
    for (let i = 0; i < 15; i++) await alert(jobId, `a${i}`, { name: `name-${i}` })
    return {
      jobId,
      page: (after) => client.get(pathOf(`/api/v2/jobs/${jobId}/clusters`, 4, after)),
      async add(round) {
        await alert(jobId, `more${round}`, { name: `more-${round}` })
        // A cluster that was there takes another alert.
        await alert(jobId, `again${round}`, { name: `calls-${round}`, callees: [`name-${round}`] })
      },
    }
  },
}

const membersOf = (members: any[]): string[] => members.flatMap((each) => [each.event_id, ...membersOf(each.members)])

const clusterTree: ListCase = {
  name: 'the alerts of a cluster',
  operation: 'getCluster',
  idsOf: (body) => membersOf(body.members),
  async open() {
    const jobId = await causeJob()
    await alert(jobId, 'a0', { name: 'name-0' })
    for (let i = 1; i < 15; i++) await alert(jobId, `a${i}`, { name: `name-${i}`, callees: [`name-${i - 1}`] })
    const { clusters } = (await client.get(`/api/v2/jobs/${jobId}/clusters`)).body
    assert.equal(clusters.length, 1)
    return {
      jobId,
      page: (after) => client.get(pathOf(`/api/v2/jobs/${jobId}/clusters/${clusters[0].cluster_id}`, 4, after)),
      add: (round) => alert(jobId, `more${round}`, { name: `more-${round}`, callees: ['name-0'] }),
    }
  },
}

const auditLog: ListCase = {
  name: 'the audit log',
  operation: 'listAuditLogs',
  idsOf: (body) => body.audit_logs.map(({ sequence }: any) => String(sequence)),
  async open() {
    const { jobId } = await makeJob(client, { decision_points: ['rule'] })
    await sendEvents(jobId, 'first', 15)
    for (let i = 0; i < 15; i++) await vote(jobId, `first-${i}`)
    const path = '/api/monitoring/api/v1/audit/logs'
    return {
      jobId,
      page: (after) => {
        const query = new URLSearchParams({ job_id: String(jobId), size: '4', ...(after && { after }) })
        return client.get(`${path}?${query}`)
      },
      async add(round) {
        await sendEvents(jobId, `more${round}`, 2)
        for (let i = 0; i < 2; i++) await vote(jobId, `more${round}-${i}`)
      },
    }
  },
}

const list = '/api/v2/events/list'
const query = '/api/v2/events/query'

const cases: readonly ListCase[] = [
  eventsBy('events by arrival', 'listEvents', list, {}),
  eventsBy('events by their own times', 'listEvents', list, { newest_by: '@timestamp' }),
  eventsBy('a query', 'queryEvents', query, {}),
  eventsBy('a query, oldest first', 'queryEvents', query, { sort_order: 'asc' }),
  eventsBy('a query in the order of a field', 'queryEvents', query, { sort_by_column: 'n', sort_order: 'asc' }),
  eventsBy('a query against the order of a field', 'queryEvents', query, { sort_by_column: 'n', sort_order: 'desc' }),
  queueBy('newest', 40, 7),
  // More than are ordered at once.
  queueBy('need', 2_300, 200),
  clusterList,
  clusterTree,
  auditLog,
]

/** All pages from a place on; `between` runs after each. */
async function pagesOf(
  { idsOf }: ListCase,
  read: Read,
  between: (seen: readonly string[], round: number) => Promise<void> = async () => {},
): Promise<string[]> {
  const seen: string[] = []
  let next: string | undefined
  for (let round = 0; ; round++) {
    assert.ok(round < 200, 'the list does not end')
    const page = await read.page(next)
    assert.equal(page.status, 200, page.text)
    seen.push(...idsOf(page.body))
    if (page.body.next === null) return seen
    next = page.body.next
    await between(seen, round)
  }
}

interface Progress {
  readonly first: readonly string[]
  readonly shown: readonly string[]
  readonly gone: Set<string>
  readonly round: number
}

/** Adds, changes and removes rows on both sides of the place where a page ended. */
async function disturb(read: Read, { first, shown, gone, round }: Progress): Promise<void> {
  await read.add(round)
  const ahead = first.filter((id) => !shown.includes(id) && !gone.has(id))
  const behind = shown.filter((id) => !gone.has(id))
  const there = (ids: readonly (string | undefined)[]): string[] => [...new Set(ids)].filter((id) => id !== undefined)
  for (const id of there([behind.at(-2), ahead.at(1), ahead.at(-2)])) await read.change?.(id)
  if (read.remove === undefined) return
  // The row that the page ended with, the next one, and the last one.
  for (const id of there([behind.at(-1), ahead.at(0), ahead.at(-1)])) {
    await read.remove(id)
    gone.add(id)
  }
}

describe('a list with a cursor', () => {
  test('is one of those below', () => {
    const document = JSON.parse(JSON.stringify(openApiDocument(routes, 'service')))
    const schemaOf = (schema: any): any =>
      schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1)]
    const json = (part: any): any => schemaOf(part?.content?.['application/json']?.schema)?.properties ?? {}
    const found = Object.values<any>(document.paths)
      .flatMap((methods) => Object.values<any>(methods))
      .filter(({ parameters = [], requestBody, responses }) => {
        const takes = parameters.some(({ name }: any) => name === 'after') || 'after' in json(requestBody)
        assert.ok(!takes || 'next' in json(responses[200]))
        return takes
      })
      .map(({ operationId }) => operationId)
    assert.deepEqual(found.sort(), [...new Set(cases.map(({ operation }) => operation))].sort())
  })

  for (const one of cases) {
    test(`shows each row once while others come, change and go: ${one.name}`, async () => {
      const read = await one.open()
      const first = await pagesOf(one, read)
      assert.equal(new Set(first).size, first.length, 'twice without a change')
      const gone = new Set<string>()
      const seen = await pagesOf(one, read, async (shown, round) => {
        if (round < 5) await disturb(read, { first, shown, gone, round })
      })
      assert.equal(new Set(seen).size, seen.length, 'a row was shown twice')
      const lost = first.filter((id) => !gone.has(id) && !seen.includes(id))
      assert.deepEqual(lost, [])
    })
  }

  test('refuses the cursor of another list, job or order, and one that is damaged or old', async () => {
    const opened = await Promise.all(
      cases.map(async (one) => {
        const [mine, others] = [await one.open(), await one.open()]
        return { one, mine, own: (await mine.page()).body.next as string, others: (await others.page()).body.next }
      }),
    )
    for (const { one, mine, own, others } of opened) {
      assert.equal((await mine.page(own)).status, 200, one.name)
      const foreign = opened.filter((each) => each.one !== one).map((each) => each.own)
      const damaged = [
        own.slice(1),
        own.slice(0, -1),
        `${own}0`,
        `A${own.slice(0, -1)}`,
        own.toUpperCase(),
        own.slice(8),
      ]
      for (const after of [...foreign, others, ...damaged, 'x', '0000000000000']) {
        const answer = await mine.page(after)
        assert.equal(answer.status, 422, `${one.name}: ${after} ${answer.text}`)
        assert.match(
          answer.text,
          /`after` is not the `next` of a page of this list: .*; begin without it|"loc":\["(body|query)","after"\]/,
        )
      }
    }
  })

  test('of alerts of a cluster refuses to go on when clusters were merged meanwhile', async () => {
    const jobId = await causeJob()
    for (const side of ['left', 'right'])
      for (let i = 0; i < 6; i++)
        await alert(jobId, `${side}${i}`, { name: `${side}-${i}`, callees: [i === 0 ? 'base' : `${side}-${i - 1}`] })
    const clustersNow = async (): Promise<any[]> => (await client.get(`/api/v2/jobs/${jobId}/clusters`)).body.clusters
    const ids = (await clustersNow()).map(({ cluster_id }) => cluster_id)
    assert.equal(ids.length, 2)
    const pathOfTree = (id: string, after?: string): string => pathOf(`/api/v2/jobs/${jobId}/clusters/${id}`, 4, after)
    const pages = await Promise.all(ids.map((id) => client.get(pathOfTree(id))))
    // What both began with arrives late.
    await alert(jobId, 'base', { name: 'base', time: new Date(Date.now() - 20_000) })
    assert.equal((await clustersNow()).length, 1)
    for (const [i, id] of ids.entries()) {
      const answer = await client.get(pathOfTree(id, pages[i]!.body.next))
      assert.equal(answer.status, 422, answer.text)
      assert.match(answer.text, /clusters were merged since the page of `after`: begin without it/)
      assert.equal((await client.get(pathOfTree(id))).body.cluster.size, 13)
    }
  })
})
