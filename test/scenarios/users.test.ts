/** Users and tokens over a real port (S19 to S21). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { after, before, test } from 'node:test'
import { scopeTable } from '../../engine/api/scopes.js'
import { openShard } from '../../engine/store/directory/environments.js'
import { openApiDocument } from '../../server/openapi.js'
import { routes } from '../../server/routes/index.js'
import { eventually, makeJob, openSocket, type Client } from '../support/client.js'
import { ADMIN_PASSWORD, startService, type TestService } from '../support/service.js'

const PASSWORD = 'correct horse'
let service: TestService
let client: Client

before(async () => {
  service = await startService({ name: 'arcanna' })
  client = service.client
})
after(() => service.close())

async function tokenOf(username: string, more: Record<string, unknown> = {}): Promise<Client> {
  const answer = await client.post('/api/v2/token', { username, password: PASSWORD, ...more }, { key: null })
  assert.equal(answer.status, 200, answer.text)
  return client.withKey(answer.body.api_token)
}

/** A new user, and a client with the user's token. */
async function userWith(role: string): Promise<{ username: string; user: Client }> {
  const username = `${role}-${Math.random().toString(36).slice(2)}`
  const made = await client.post('/api/v2/users', { username, password: PASSWORD, role })
  assert.equal(made.status, 201, made.text)
  return { username, user: await tokenOf(username) }
}

test('a token says when it expires, in any form that a client asks for it', async () => {
  for (const [value, unit, seconds] of [
    [undefined, undefined, 30 * 86_400],
    [null, null, 30 * 86_400],
    [2, 'hours', 7_200],
    ['90', 'Minute', 5_400],
    [1, undefined, 86_400],
    [99, 'years', 3_650 * 86_400],
  ] as const) {
    const body = { username: 'admin', password: ADMIN_PASSWORD, expires_in_value: value, expires_in_unit: unit }
    const answer = await client.post('/api/v2/token', body, { key: null })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.error_message, null)
    const left = (Date.parse(answer.body.expire_at) - Date.now()) / 1000
    assert.ok(Math.abs(left - seconds) < 60, `${value} ${unit}: ${left}`)
  }
  for (const bad of [
    { expires_in_value: 0 },
    { expires_in_value: 1, expires_in_unit: 'fortnights' },
    { scopes: ['root'] },
  ]) {
    const answer = await client.post('/api/v2/token', { username: 'admin', password: ADMIN_PASSWORD, ...bad })
    assert.equal(answer.status, 422, JSON.stringify(bad))
  }
})

/** Operations whose answer ends with its reader. */
const streams = ['postEventLines', 'streamEvents']

test('every operation is refused to a role without its scope, and never to a role with it', async () => {
  for (const role of ['analyst', 'power_user', 'administrator']) {
    const { user } = await userWith(role)
    const scopes: string[] = (await user.get('/api/v2/token/scopes')).body
    for (const route of routes) {
      if (route.scope === null || streams.includes(route.operationId)) continue
      const body = route.body === undefined ? undefined : '{}'
      const { status } = await user.request(route.method, route.path.replace(/\{\w+\}/g, 'none'), { body })
      assert.equal(status === 403, !scopes.includes(route.scope), `${role}: ${route.operationId} ${status}`)
    }
  }
})

test('every scope is required by an operation, and shown by the document', () => {
  const query = new Set(routes.flatMap(({ scope, moreScopes = {} }) => [scope, ...Object.keys(moreScopes)]))
  query.delete(null)
  assert.deepEqual([...query].sort(), Object.keys(scopeTable).sort())
  const { paths } = openApiDocument(routes, 'service') as {
    paths: Record<string, Record<string, { 'x-scopes': string[] }>>
  }
  for (const { path, method, scope } of routes) {
    assert.deepEqual(paths[path]![method.toLowerCase()]!['x-scopes'], scope === null ? [] : [scope])
  }
})

test('what a user may do changes with the role at once', async () => {
  const { username, user } = await userWith('analyst')
  const resources = { resources: {} }
  assert.equal((await user.post('/api/v2/resources', resources)).status, 403)
  assert.equal((await client.put(`/api/v2/users/${username}`, { role: 'power_user' })).body.role, 'power_user')
  assert.notEqual((await user.post('/api/v2/resources', resources)).status, 403)
  assert.equal((await user.get('/api/v2/users')).status, 403)
  await client.put(`/api/v2/users/${username}`, { enabled: false })
  assert.equal((await user.get('/api/v2/health')).status, 401)
  await client.put(`/api/v2/users/${username}`, { enabled: true })
  assert.equal((await user.get('/api/v2/health')).status, 200)
  await client.delete(`/api/v2/users/${username}`)
  assert.equal((await user.get('/api/v2/health')).status, 401)
})

test('a power user makes jobs and integrations, an administrator keys', async () => {
  const key = (name: string): unknown => ({ resources: { key: { type: 'api_key', properties: { name } } } })
  const { user } = await userWith('power_user')
  const refused = await user.post('/api/v2/resources', key('of a power user'))
  assert.equal(refused.status, 403, refused.text)
  assert.match(refused.body.error, /write:api_keys/)
  assert.deepEqual((await client.get('/api/v2/resources?resource_type=api_key&title=of+a+power+user')).body, [])
  const job = {
    resources: {
      job: {
        type: 'job',
        properties: { title: 'of a power user', category: 'Decision intelligence', decision_points: ['a'] },
      },
    },
  }
  assert.equal((await user.post('/api/v2/resources', job)).status, 200)
  const administrator = await userWith('administrator')
  assert.equal((await administrator.user.post('/api/v2/resources', key('of an administrator'))).status, 200)
  assert.equal((await user.delete('/api/v2/resources?resource_type=api_key&title=of+an+administrator')).status, 403)
  assert.equal(
    (await user.post('/api/v2/resources', key('of an administrator'))).status,
    200,
    'it is there and stays as it is',
  )
})

test('a narrow token permits no more than was requested, and no more than the role', async () => {
  const { username } = await userWith('analyst')
  const narrow = await tokenOf(username, { scopes: ['public', 'write:users'] })
  assert.deepEqual((await narrow.get('/api/v2/token/scopes')).body, ['public'])
  assert.equal((await narrow.get('/api/v2/resources')).status, 403)
})

test('a user sees only that user, an administrator sees all', async () => {
  const { username, user } = await userWith('analyst')
  const me = await user.get('/api/v2/users/me')
  assert.deepEqual([me.body.username, me.body.role, me.body.enabled, me.body.tokens], [username, 'analyst', true, 1])
  assert.ok(me.body.last_login_at)
  assert.equal((await user.get(`/api/v2/users/${username}`)).status, 403)
  assert.deepEqual((await client.get(`/api/v2/users/${username}`)).body.username, username)
  assert.ok((await client.get('/api/v2/users')).body.some((each: { username: string }) => each.username === username))
  for (const answer of [me, await client.get('/api/v2/users')]) assert.ok(!/hash|salt|password/.test(answer.text))
})

test('users change their own password with the current one', async () => {
  const { username, user } = await userWith('analyst')
  const other = await tokenOf(username)
  const path = `/api/v2/users/${username}/password`
  assert.equal((await user.put(path, { password: 'another horse' })).status, 403)
  assert.equal((await user.put(path, { password: 'another horse', current_password: PASSWORD })).status, 200)
  assert.equal((await user.get('/api/v2/health')).status, 200)
  assert.equal((await other.get('/api/v2/health')).status, 401)
  assert.equal((await client.post('/api/v2/token', { username, password: PASSWORD })).status, 401)
  assert.equal((await client.post('/api/v2/token', { username, password: 'another horse' })).status, 200)
})

test('votes carry the caller where no name is given', async () => {
  const { username, user } = await userWith('analyst')
  const { jobId, key } = await makeJob(client)
  for (const [id, voter, body] of [
    ['a', user, { feedback: 'Drop' }],
    ['b', user, { feedback: 'Drop', username: 'somebody' }],
    ['c', client.withKey(key), { feedback: 'Drop' }],
  ] as const) {
    await client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body: { rule: id } })
    assert.equal((await voter.put(`/api/v1/events/${jobId}/${id}/feedback`, body)).status, 200)
  }
  // A blank name does not count, and blanks around a name change nothing: a second vote would count twice.
  for (const name of ['  ', ` ${username}\n`])
    await user.put(`/api/v1/events/${jobId}/a/feedback`, { feedback: 'Drop', cortex_user: name })
  const { votes } = (await client.get(`/api/v2/events/${jobId}/a/consensus`)).body
  assert.deepEqual(
    votes.map(({ analyst }: { analyst: string }) => analyst),
    [username],
  )
  const ballots: string[] = []
  for (const shard of [0, 1]) {
    const environment = openShard(service.dataDir, shard)
    for (const { value } of environment.range('votes', {})) ballots.push(Buffer.from(value).toString('latin1'))
    await environment.close()
  }
  // makeJob names its keys `test N`.
  for (const voter of [username, 'somebody', 'test '])
    assert.ok(
      ballots.some((each) => each.includes(voter)),
      voter,
    )
})

test('a request over the rate is 429 with the time to wait; a stream is slowed to the rate and loses no line', async () => {
  const limited = await startService({ rateLimit: 200, rateBurst: 20 })
  try {
    const { jobId } = await makeJob(limited.client)
    const answers = await Promise.all(Array.from({ length: 100 }, () => limited.client.get('/api/v2/health')))
    const refused = answers.filter(({ status }) => status === 429)
    assert.ok(refused.length > 0 && answers.some(({ status }) => status === 200))
    for (const { headers, body } of refused) {
      assert.equal(headers.get('retry-after'), '1')
      assert.match(body.error, /too many requests/)
    }
    const lines = Array.from({ length: 100 }, (_, i) =>
      JSON.stringify({ job_id: jobId, event_id: `e${i}`, raw_body: { rule: i } }),
    ).join('\n')
    const results = await eventually(
      () => limited.client.post('/api/v1/events/_bulk', lines),
      ({ status }) => status === 200,
    )
    const ids = results.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).event_id)
    assert.deepEqual(
      ids,
      Array.from({ length: 100 }, (_, i) => `e${i}`),
    )
  } finally {
    await limited.close()
  }
})

test('a stream ends when its key does, and says so', async () => {
  const { username, user } = await userWith('power_user')
  const { jobId } = await makeJob(client)
  const line = (id: string): string => `${JSON.stringify({ job_id: jobId, event_id: id, raw_body: { rule: id } })}\n`
  const headers = { 'x-service-api-key': user.key }
  const stream = request(`${service.baseUrl}/api/v1/events/_bulk`, { method: 'POST', headers })
  stream.write(line('first'))
  const [response] = (await once(stream, 'response')) as [IncomingMessage]
  let text = ''
  response.on('data', (bytes: Buffer) => (text += bytes.toString()))
  await eventually(
    async () => text,
    (seen) => seen.includes('"first"'),
  )
  await client.put(`/api/v2/users/${username}`, { enabled: false })
  stream.write(line('second'))
  await once(response, 'end')
  stream.destroy()
  const results = text
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each))
  assert.deepEqual(
    results.map(({ event_id, status_code }) => event_id ?? status_code),
    ['first', 401],
  )
  assert.equal((await client.get(`/api/v1/events/${jobId}/second`)).status, 404)
})

test('a request that waits for its body is refused if its key is deleted meanwhile', async () => {
  const { username, user } = await userWith('administrator')
  const { jobId } = await makeJob(client)
  const eve = { username: `eve-${username}`, password: PASSWORD, role: 'administrator' }
  const bodies: readonly (readonly [string, unknown])[] = [
    ['/api/v1/events/slow', { job_id: jobId, raw_body: { rule: 'slow' } }],
    ['/api/v2/users', eve],
    ['/api/v2/resources', { key: { type: 'api_key', properties: { name: eve.username } } }],
    [`/api/v1/bulk/${jobId}`, { events: [{ job_id: jobId, raw_body: { rule: 'slow' } }] }],
    ['/api/v2/events/query', { job_ids: [jobId] }],
  ]
  const sent = await Promise.all(
    bodies.map(async ([path, document]) => {
      const body = JSON.stringify(document)
      const socket = await openSocket(service.port)
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nx-service-api-key: ${user.key}\r\nContent-Length: ${body.length}`
      socket.write(`${head}\r\n\r\n${body.slice(0, 5)}`)
      return { socket, rest: body.slice(5) }
    }),
  )
  // Everything before it is read. For an event, a key counts that worked within a second.
  await new Promise((resolve) => setTimeout(resolve, 1_050))
  assert.equal((await client.put(`/api/v2/users/${username}`, { enabled: false })).status, 200)
  for (const { socket, rest } of sent) {
    socket.write(rest)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    assert.match(answer.toString(), /^HTTP\/1\.1 401 /)
    socket.destroy()
  }
  assert.equal((await client.get(`/api/v2/users/${eve.username}`)).status, 404)
  assert.equal((await client.get(`/api/v1/jobs/${jobId}`)).body.processed_documents_count, 0)
})
