/** Sessions of the console: a cookie instead of a key. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Answer, RequestOptions } from '../../support/client.js'
import { ADMIN_PASSWORD, MANAGEMENT_KEY, startService, type TestService } from '../../support/service.js'

const FROM_PAGE = { 'x-requested-with': 'console' }
let service: TestService

before(async () => void (service = await startService()))
after(() => service.close())

function signIn(body: unknown, headers: Record<string, string> = FROM_PAGE): Promise<Answer> {
  return service.client.post('/api/v2/session', body, { key: null, headers })
}

function cookieOf(answer: Answer): string {
  const [cookie] = (answer.headers.get('set-cookie') ?? '').split(';')
  return cookie as string
}

function by(cookie: string, headers: Record<string, string> = {}): RequestOptions {
  return { key: null, headers: { cookie, ...headers } }
}

test('a password opens a session, whose cookie no script reads and no other site sends', async () => {
  const answer = await signIn({ username: 'admin', password: ADMIN_PASSWORD })
  assert.equal(answer.status, 200, answer.text)
  assert.match(
    answer.headers.get('set-cookie') ?? '',
    /^session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
  )
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.ok(!answer.text.includes(cookieOf(answer)))
  const seen = await service.client.get('/api/v2/session', by(`theme=dark; ${cookieOf(answer)}`))
  assert.deepEqual(
    { ...seen.body, scopes: seen.body.scopes.includes('write:users') },
    { kind: 'user', name: 'admin', role: 'administrator', scopes: true, service_name: 'service' },
  )
})

test('over TLS the cookie is sent over TLS alone, also behind a proxy', async () => {
  const answer = await signIn({ key: MANAGEMENT_KEY }, { ...FROM_PAGE, 'x-forwarded-proto': 'https' })
  assert.match(answer.headers.get('set-cookie') ?? '', /; Secure; /)
})

test('a key opens a session as well, and is not in the cookie', async () => {
  const answer = await signIn({ key: ` ${MANAGEMENT_KEY} ` })
  assert.equal(answer.status, 200)
  assert.ok(!(answer.headers.get('set-cookie') ?? '').includes(MANAGEMENT_KEY))
  assert.equal(answer.body.kind, 'management')
  assert.equal(answer.body.role, null)
  assert.equal((await service.client.get('/api/v2/jobs', by(cookieOf(answer)))).status, 200)
})

test('a wrong password and an unknown key open no session', async () => {
  for (const body of [{ username: 'admin', password: 'wrong' }, { key: 'unknown' }, {}]) {
    const answer = await signIn(body)
    assert.equal(answer.status, 401, answer.text)
    assert.equal(answer.headers.get('set-cookie'), null)
  }
})

test('a request by cookie that changes something needs a header that no form can send', async () => {
  const cookie = cookieOf(await signIn({ username: 'admin', password: ADMIN_PASSWORD }))
  const user = { username: 'ann', password: 'correct horse', role: 'analyst' }
  const forged = await service.client.post('/api/v2/users', user, by(cookie))
  assert.equal(forged.status, 403)
  assert.match(forged.body.error, /X-Requested-With/)
  assert.equal((await service.client.post('/api/v2/users', user, by(cookie, FROM_PAGE))).status, 201)
  assert.equal((await signIn({ key: MANAGEMENT_KEY }, {})).status, 403)
  assert.equal((await service.client.delete('/api/v2/session', by(cookie))).status, 403)
  const withKey = await service.client.post('/api/v2/users', { ...user, username: 'bob' }, { headers: { cookie } })
  assert.equal(withKey.status, 201)
})

test('a request by cookie of a page of another address is refused, whatever it carries', async () => {
  const cookie = cookieOf(await signIn({ username: 'admin', password: ADMIN_PASSWORD }))
  const { host } = new URL(service.baseUrl)
  const post = (headers: Record<string, string>, path = '/api/v2/views') =>
    service.client.post(path, {}, by(cookie, { ...FROM_PAGE, ...headers }))
  for (const origin of ['https://evil.example', `http://${host}0`, 'null', `http://evil.example/?${host}`]) {
    const answer = await post({ origin })
    assert.equal(answer.status, 403, origin)
    assert.match(answer.body.error, /a page of another address/)
    assert.equal((await signIn({ key: MANAGEMENT_KEY }, { ...FROM_PAGE, origin })).status, 403)
    assert.equal((await service.client.get('/api/v2/jobs', by(cookie, { origin }))).status, 403)
  }
  const forwarded = { origin: 'https://soc.example', 'x-forwarded-host': 'soc.example:443' }
  for (const own of [{ origin: `http://${host}` }, { origin: `https://${host}` }, forwarded, {}])
    assert.notEqual((await post(own)).status, 403, JSON.stringify(own))
  const withKey = await service.client.get('/api/v2/jobs', { headers: { origin: 'https://evil.example' } })
  assert.equal(withKey.status, 200)
})

test('who signs out is out, and the token of the session is revoked', async () => {
  const tokens = async () => (await service.client.get('/api/v2/tokens?username=admin')).body.length
  const before = await tokens()
  const cookie = cookieOf(await signIn({ username: 'admin', password: ADMIN_PASSWORD }))
  assert.equal(await tokens(), before + 1)
  const answer = await service.client.delete('/api/v2/session', by(cookie, FROM_PAGE))
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('set-cookie') ?? '', /^session=; .*Max-Age=0$/)
  assert.equal((await service.client.get('/api/v2/session', by(cookie))).status, 401)
  assert.equal(await tokens(), before)
})

test('a session ends with its user', async () => {
  const user = { username: 'eve', password: 'correct horse', role: 'analyst' }
  assert.equal((await service.client.post('/api/v2/users', user)).status, 201)
  const cookie = cookieOf(await signIn(user))
  assert.equal((await service.client.get('/api/v2/session', by(cookie))).body.role, 'analyst')
  await service.client.put('/api/v2/users/eve', { enabled: false })
  assert.equal((await service.client.get('/api/v2/session', by(cookie))).status, 401)
})

test('a session goes on when the service starts again, and the data directory gives nobody one', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'sessions-'))
  const first = await startService({ dataDir })
  const sign = (at: TestService, body: object) =>
    at.client.post('/api/v2/session', body, { key: null, headers: FROM_PAGE })
  const who = (at: TestService, cookie: string) => at.client.get('/api/v2/session', by(cookie))
  const byPassword = cookieOf(await sign(first, { username: 'admin', password: ADMIN_PASSWORD }))
  const byKey = cookieOf(await sign(first, { key: MANAGEMENT_KEY }))
  const over = cookieOf(await sign(first, { key: MANAGEMENT_KEY }))
  await first.client.delete('/api/v2/session', by(over, FROM_PAGE))
  await first.close()
  const stored = await Promise.all(
    (await readdir(dataDir, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => readFile(join(entry.parentPath, entry.name))),
  )
  for (const cookie of [byPassword, byKey]) {
    const value = cookie.slice(cookie.indexOf('=') + 1)
    assert.ok(!stored.some((bytes) => bytes.includes(value)), 'the value of the cookie is nowhere')
  }
  const second = await startService({ dataDir })
  try {
    assert.equal((await who(second, byPassword)).body.name, 'admin')
    assert.equal((await who(second, byKey)).body.kind, 'management')
    assert.equal((await who(second, over)).status, 401)
    // What ends later has ended for good.
    assert.equal((await second.client.delete('/api/v2/session', by(byPassword, FROM_PAGE))).status, 200)
    assert.equal((await who(second, byPassword)).status, 401)
  } finally {
    await second.close()
    await rm(dataDir, { recursive: true })
  }
})

test('a service without a console has neither pages nor sessions', async () => {
  const bare = await startService({ console: false })
  try {
    const from = (path: string) => bare.client.get(path, { key: null, headers: { accept: 'text/html' } })
    for (const path of ['/jobs', '/jobs/feedback-flow/1', '/api-keys'])
      assert.equal((await from(path)).status, 404, path)
    assert.equal((await from('/')).body.pages, '/docs')
    const answer = await bare.client.post('/api/v2/session', { key: MANAGEMENT_KEY }, { key: null, headers: FROM_PAGE })
    assert.equal(answer.status, 404)
    assert.equal((await from('/docs')).status, 200)
  } finally {
    await bare.close()
  }
})
