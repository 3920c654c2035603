/**
 * Every operation answers every status that the OpenAPI document promises, in the documented form; errors in both
 * forms.
 *
 * Four services answer. One is a usual one. One has a key over its rate, one shuts down, one has a full disk.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { Agent, request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { Compile } from 'typebox/schema'
import { routes } from '../../server/routes/index.js'
import type { Route } from '../../server/http/route.js'
import { openApiDocument } from '../../server/openapi.js'
import { ErrorBody, ProblemBody, ValidationErrorBody } from '../../server/schemas/common.js'
import type { Answer, Client } from '../support/client.js'
import {
  ADMIN_PASSWORD,
  MANAGEMENT_KEY,
  spawnService,
  startService,
  type ChildService,
  type TestService,
} from '../support/service.js'
import { auditRecipes } from './audit.js'
import { backupRecipes } from './backups.js'
import { clusterRecipes } from './clusters.js'
import { autonomyRecipes } from './autonomy.js'
import { consensusRecipes } from './consensus.js'
import { documentationRecipes } from './documentation.js'
import { eraseRecipes } from './erase.js'
import { eventRecipes } from './events.js'
import { handlingRecipes } from './handling.js'
import { integrationRecipes } from './integrations.js'
import { jobRecipes } from './jobs.js'
import { metricsRecipes } from './metrics.js'
import { refusalOf, type Ask, type Recipe, type Recipes } from './recipe.js'
import { nextLabelRecipes } from './next-labels.js'
import { modelRecipes } from './models.js'
import { monitoringRecipes } from './monitoring.js'
import { queryRecipes } from './queries.js'
import { resourceRecipes } from './resources.js'
import { storedEventRecipes } from './stored-events.js'
import { toolRecipes } from './tools.js'
import { voteTaskRecipes } from './vote-tasks.js'
import { watchdogRecipes } from './watchdogs.js'
import { userRecipes } from './users.js'

const recipes: Recipes = {
  ...auditRecipes,
  ...backupRecipes,
  ...clusterRecipes,
  ...autonomyRecipes,
  ...consensusRecipes,
  ...documentationRecipes,
  ...eventRecipes,
  ...handlingRecipes,
  ...integrationRecipes,
  ...jobRecipes,
  ...metricsRecipes,
  ...modelRecipes,
  ...nextLabelRecipes,
  ...queryRecipes,
  ...resourceRecipes,
  ...storedEventRecipes,
  ...toolRecipes,
  ...voteTaskRecipes,
  ...userRecipes,
  ...monitoringRecipes,
  ...watchdogRecipes,
  ...eraseRecipes,
}

const document = openApiDocument(routes, 'service') as {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>
}
const JSON_TYPE = 'application/json'
const STREAM_TYPE = 'text/event-stream'
const PROBLEM_TYPE = 'application/problem+json'
const canFill = spawnSync('prlimit', ['--version']).status === 0
/** Less than a page of anything: every commit fails as on a full disk. */
const FULL_BYTES = 16_384

let ordinary: TestService
let narrowKey: string
const others: { close(): Promise<void> }[] = []

before(async () => {
  ordinary = await startService()
  const scopes = ['public']
  const token = await ordinary.client.post('/api/v2/token', { username: 'admin', password: ADMIN_PASSWORD, scopes })
  narrowKey = token.body.api_token
})
after(() => Promise.all([ordinary, ...others].map((each) => each.close())))

function statusesOf({ path, method }: Route): number[] {
  return Object.keys(document.paths[path]![method.toLowerCase()]!.responses).map(Number)
}

function recipeOf({ operationId }: Route): Recipe {
  const recipe = recipes[operationId]
  assert.ok(recipe !== undefined, `${operationId} has no recipe; put one into the file of its area in test/statuses/`)
  return recipe
}

function send(client: Client, route: Route, { path, body, key, headers }: Ask, accept = '*/*'): Promise<Answer> {
  return client.request(route.method, path, {
    headers: { accept, ...headers },
    body,
    ...(key === undefined ? {} : { key }),
  })
}

/** The same for an answer without an end: what has come with its first message. */
async function sendToStream(client: Client, { path }: Ask): Promise<Answer> {
  const abort = new AbortController()
  const answer = await fetch(client.baseUrl + path, {
    headers: { 'x-service-api-key': client.key ?? '' },
    signal: abort.signal,
  })
  let text = ''
  for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += piece
    if (/^data: .*\n\n/m.test(text)) break
  }
  abort.abort()
  const [, message = ''] = /(?:^|\n\n)((?:[^\n]+\n)*data: .*)\n\n/.exec(text) ?? []
  const [id, type, data] = ['id', 'event', 'data'].map((name) => new RegExp(`^${name}: (.*)`, 'm').exec(message)?.[1])
  return {
    status: answer.status,
    headers: answer.headers,
    text: JSON.stringify({ id, type, data: JSON.parse(data ?? '') }),
    body: undefined,
  }
}

const checkers = new Map<unknown, { Check(value: unknown): boolean; Errors(value: unknown): unknown }>()

function mustFit(schema: object, value: unknown, what: string): void {
  let checker = checkers.get(schema)
  if (checker === undefined) checkers.set(schema, (checker = Compile(schema)))
  if (!checker.Check(value))
    assert.fail(`${what} breaks its schema: ${JSON.stringify(checker.Errors(value))} ${JSON.stringify(value)}`)
}

/** The answer is the operation's documented one. */
function mustBeGood(route: Route, status: number, answer: Answer): void {
  const what = `${route.operationId} ${status}`
  assert.equal(answer.status, status, `${what}: ${answer.text}`)
  const { schema, mediaType = JSON_TYPE } = route.responses[status]!
  const type = answer.headers.get('content-type') ?? ''
  if (mediaType !== '*/*') assert.ok(type.startsWith(mediaType), `${what} is ${type}`)
  if (schema === undefined) return
  const documents =
    mediaType === JSON_TYPE
      ? [answer.body]
      : answer.text
          .split('\n')
          .filter((line) => line !== '' && !/^(event|id|retry): /.test(line))
          .map((line) => JSON.parse(line.replace(/^data: /, '')))
  for (const each of documents) mustFit(schema, each, what)
}

/** Both forms of the refusal are the documented ones. */
async function mustBeRefused(route: Route, status: number, ask: (accept: string) => Promise<Answer>): Promise<void> {
  const what = `${route.operationId} ${status}`
  for (const type of [JSON_TYPE, PROBLEM_TYPE]) {
    const answer = await ask(type)
    assert.equal(answer.status, status, `${what}: ${answer.text}`)
    assert.equal(answer.headers.get('content-type'), type, what)
    const schema =
      type === PROBLEM_TYPE
        ? ProblemBody
        : (route.responses[status]?.schema ?? (status === 422 ? ValidationErrorBody : ErrorBody))
    mustFit(schema, answer.body, what)
    if (type === PROBLEM_TYPE) assert.equal(answer.body.status, status, what)
    if ([429, 503, 507].includes(status)) assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/, what)
  }
}

test('every recipe is for an existing operation', () => {
  const ids = new Set(routes.map(({ operationId }) => operationId))
  assert.deepEqual(
    Object.keys(recipes).filter((id) => !ids.has(id)),
    [],
  )
})

/** Answers that need a state of the whole service; 501 is that of the adapter over node:http. */
const elsewhere = [429, 431, 501, 503, 507]

async function mustAnswer(route: Route, status: number, good: Ask): Promise<void> {
  const { client } = ordinary
  const own = await recipeOf(route).refusals?.[status]?.(client)
  if (status >= 400) {
    const ask = own ?? refusalOf(status, route, good, narrowKey)
    return mustBeRefused(route, status, (accept) => send(client, route, ask, accept))
  }
  const isStream = route.method === 'GET' && route.responses[status]?.mediaType === STREAM_TYPE
  mustBeGood(route, status, await (isStream ? sendToStream(client, own ?? good) : send(client, route, own ?? good)))
}

describe('every operation answers as documented', () => {
  for (const route of routes) {
    test(route.operationId, async () => {
      const { good, refusals = {}, elsewhere: other = [] } = recipeOf(route)
      const ask = await good(ordinary.client)
      for (const status of statusesOf(route))
        if (status in refusals || ![...elsewhere, ...other].includes(status)) await mustAnswer(route, status, ask)
    })
  }
})

test('every operation that documents it answers 429 when the rate of the key is used up', async () => {
  const service = await startService({ rateLimit: 0.001, rateBurst: 1 })
  others.push(service)
  assert.equal((await service.client.get('/api/v2/health')).status, 200)
  for (const route of routes.filter((each) => each.scope !== null && statusesOf(each).includes(429))) {
    const ask = { path: route.path, ...(route.body === undefined ? {} : { body: '{}' }) }
    await mustBeRefused(route, 429, (accept) => send(service.client, route, ask, accept))
  }
})

test('every operation answers 431 to headers that are too large, and serves the next request', async () => {
  for (const route of routes) {
    assert.ok(statusesOf(route).includes(431), route.operationId)
    const answer = await ordinary.client.request(route.method, route.path, {
      headers: { 'x-padding': 'x'.repeat(24_000) },
    })
    assert.equal(answer.status, 431, route.operationId)
  }
  assert.equal((await ordinary.client.get('/api/v2/health')).status, 200)
})

test('every operation except the liveness probe answers 503 while the service shuts down', async () => {
  const service = await startService()
  others.push(service)
  const agent = new Agent({ keepAlive: true, maxSockets: 1_000, maxFreeSockets: 1_000 })
  const ask = (method: string, path: string, accept: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = { accept, 'x-service-api-key': MANAGEMENT_KEY }
      request({ port: service.port, host: '127.0.0.1', agent, method, path, headers }, (response) => {
        let text = ''
        response.on('data', (bytes: Buffer) => (text += bytes.toString()))
        response.on('end', () => {
          const type = response.headers['content-type'] ?? ''
          const body: unknown = type.endsWith('json') ? JSON.parse(text) : undefined
          const entries = Object.entries(response.headers).map(([name, value]): [string, string] => [
            name,
            String(value),
          ])
          resolve({ status: response.statusCode!, headers: new Headers(entries), text, body })
        })
      })
        .on('error', reject)
        .end()
    })
  // These connections must be open before: a service that shuts down takes no new ones.
  await Promise.all(routes.flatMap(() => [ask('GET', '/', '*/*'), ask('GET', '/', '*/*')]))
  await service.drain()
  for (const route of routes) {
    if (!statusesOf(route).includes(503)) {
      assert.ok(route.isProbe, route.operationId)
      assert.equal((await ask(route.method, route.path, '*/*')).status, 200, route.operationId)
      continue
    }
    await mustBeRefused(route, 503, (accept) => ask(route.method, route.path, accept))
  }
  agent.destroy()
})

test('every operation that documents it answers 507 on a full disk', {
  skip: canFill ? false : 'prlimit is needed',
}, async () => {
  const service: ChildService = await spawnService()
  others.push(service)
  const writing = routes.filter(
    (route) => statusesOf(route).includes(507) && recipeOf(route).elsewhere?.includes(507) !== true,
  )
  const asks: [Route, Ask][] = []
  for (const route of writing) asks.push([route, await recipeOf(route).good(service.client)])
  execFileSync('prlimit', ['--pid', String(service.started.child.pid), `--fsize=${FULL_BYTES}:unlimited`])
  for (const [route, ask] of asks) {
    await mustBeRefused(route, 507, (accept) => send(service.client, route, ask, accept)).catch((error: unknown) => {
      throw new Error(`${route.operationId} on a full disk: ${String(error)} ${service.started.output()}`)
    })
  }
  execFileSync('prlimit', ['--pid', String(service.started.child.pid), '--fsize=unlimited:unlimited'])
  for (const [route, ask] of asks) {
    const answer = await send(service.client, route, ask)
    assert.ok(answer.status < 300, `${route.operationId} with room again: ${answer.status} ${answer.text}`)
  }
})
