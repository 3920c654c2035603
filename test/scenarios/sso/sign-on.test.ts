/** Signing in at a real OpenID Connect provider. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../../support/client.js'
import { ADMIN_PASSWORD, startService, type TestService } from '../../support/service.js'
import { freePort } from '../../support/servers/free-port.js'
import { Browser, CLIENT, startProvider, type TestProvider } from '../../support/sso/provider.js'

let service: TestService
let provider: TestProvider
let base: string

before(async () => {
  const port = await freePort()
  base = `http://127.0.0.1:${port}`
  provider = await startProvider(base)
  service = await startService({
    port,
    signOn: {
      publicUrl: base,
      oidcIssuer: provider.issuer,
      oidcClientId: CLIENT.id,
      oidcClientSecret: CLIENT.secret,
      oidcRoles: [
        { group: 'soc', role: 'analyst' },
        { group: 'soc-leads', role: 'administrator' },
      ],
      passwords: false,
    },
  })
})
after(async () => {
  await service.close()
  await provider.close()
})

async function whoIs(browser: Browser): Promise<{ status: number; body: any }> {
  const answer = await browser.request(`${base}/api/v2/session`)
  return { status: answer.status, body: await answer.json() }
}

test('a person signs in at the provider, with the highest role of the groups, and comes back to the page', async () => {
  provider.groups.set('ann', ['staff', 'soc', 'soc-leads'])
  const browser = new Browser()
  await browser.signIn(base, 'ann', '/jobs/feedback-flow/1?x=1')
  assert.equal(browser.url, `${base}/jobs/feedback-flow/1?x=1`)
  const { status, body } = await whoIs(browser)
  assert.equal(status, 200)
  assert.deepEqual([body.kind, body.name, body.role], ['user', 'ann', 'administrator'])
  const users = await service.client.get('/api/v2/users')
  assert.ok(users.body.some((user: { username: string }) => user.username === 'ann'))
  const audit = await service.client.get('/api/monitoring/api/v1/audit/logs?user=ann&size=5')
  assert.ok(audit.text.includes(provider.issuer))
})

test('a link of any length and script is the page after the sign-in, with fat cookies beside', async () => {
  provider.groups.set('ann', ['soc'])
  const query = `${'host.name%3Aweb-1%20OR%20'.repeat(300)}user%3AM%C3%BCller`
  const browser = new Browser()
  await browser.signIn(base, 'ann', `/events/1?query=${query}`)
  assert.equal(browser.url, `${base}/events/1?query=${query}`)
  const cookie = `fat=${'x'.repeat(16_000)}`
  assert.equal((await fetch(`${base}/api/v2/session/methods`, { headers: { cookie } })).status, 200)
})

test('groups of today decide at the next sign-in', async () => {
  provider.groups.set('ann', ['soc'])
  const browser = new Browser()
  await browser.signIn(base, 'ann')
  assert.equal((await whoIs(browser)).body.role, 'analyst')
})

test('who has no role, and who has the name of another user, is refused with a page that says why', async () => {
  provider.groups.set('eve', ['staff'])
  const eve = new Browser()
  const refused = await eve.signIn(base, 'eve')
  assert.equal(refused.status, 403)
  assert.match(await refused.text(), /none of your groups has a role here/)
  assert.equal((await whoIs(eve)).status, 401)
  provider.groups.set('admin', ['soc-leads'])
  const admin = new Browser()
  const taken = await admin.signIn(base, 'admin')
  assert.equal(taken.status, 409)
  assert.match(await taken.text(), /there is another user admin/)
  assert.equal((await whoIs(admin)).status, 401)
})

test('a disabled user is refused', async () => {
  provider.groups.set('dan', ['soc'])
  await new Browser().signIn(base, 'dan')
  await service.client.put('/api/v2/users/dan', { enabled: false })
  const answer = await new Browser().signIn(base, 'dan')
  assert.equal(answer.status, 403)
  assert.match(await answer.text(), /disabled/)
})

test('a logout at the provider ends the session here', async () => {
  provider.groups.set('bob', ['soc'])
  const browser = new Browser()
  await browser.signIn(base, 'bob')
  assert.equal((await whoIs(browser)).status, 200)
  await browser.signOut(provider.issuer)
  await eventually(
    () => whoIs(browser),
    ({ status }) => status === 401,
  )
})

test('who signs out here is signed out at the provider, too, and comes back', async () => {
  provider.groups.set('gil', ['soc'])
  const browser = new Browser()
  const elsewhere = new Browser()
  for (const one of [browser, elsewhere]) await one.signIn(base, 'gil')
  const answer = await browser.request(`${base}/api/v2/session`, {
    method: 'DELETE',
    headers: { 'x-requested-with': 'test' },
  })
  const { status, sign_out_at: address } = (await answer.json()) as { status: string; sign_out_at: string }
  assert.equal(status, 'OK')
  assert.equal((await whoIs(browser)).status, 401)
  assert.equal(new URL(address).origin, provider.issuer)
  const page = await (await browser.follow(address)).text()
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? ''
  await browser.post({ xsrf, logout: 'yes' }, `${provider.issuer}/session/end/confirm`)
  assert.equal(browser.url, `${base}/`)
  const again = await browser.follow(`${base}/api/v2/session/sso/login`)
  assert.match(browser.url, /\/interaction\//, 'the provider asks who it is')
  assert.equal(again.status, 200)
  assert.equal((await whoIs(elsewhere)).status, 200, 'a session of another browser goes on')
})

test('an answer that was not asked for in this browser signs nobody in', async () => {
  provider.groups.set('cid', ['soc'])
  const victim = new Browser()
  const attacker = new Browser()
  const begun = await attacker.follow(`${base}/api/v2/session/sso/login`)
  assert.equal(begun.status, 200)
  const back = `${base}/api/v2/session/sso/callback?code=x&state=y`
  for (const browser of [victim, attacker]) assert.equal((await browser.request(back)).status, 401)
  assert.equal((await whoIs(attacker)).status, 401)
  const elsewhere = await new Browser().signIn(base, 'cid', '//evil.example/')
  assert.equal(elsewhere.status, 200)
})

test('a logout token that the provider did not sign ends nothing', async () => {
  const browser = new Browser()
  await browser.signIn(base, 'cid')
  const encoded = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const claims = {
    iss: provider.issuer,
    aud: CLIENT.id,
    sub: 'cid',
    iat: Math.floor(Date.now() / 1000),
    jti: '1',
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  }
  const forged = `${encoded({ alg: 'none' })}.${encoded(claims)}.`
  const answer = await service.client.post('/api/v2/session/sso/logout', `logout_token=${forged}`, { key: null })
  assert.equal(answer.status, 422)
  assert.equal((await whoIs(browser)).status, 200)
})

test('passwords that are switched off sign nobody in', async () => {
  const methods = await service.client.get('/api/v2/session/methods', { key: null })
  assert.deepEqual(methods.body, { password: false, single_sign_on: '/api/v2/session/sso/login' })
  const given = { username: 'admin', password: ADMIN_PASSWORD }
  assert.equal((await service.client.post('/api/v2/token', given, { key: null })).status, 403)
  const headers = { 'x-requested-with': 'test' }
  assert.equal((await service.client.post('/api/v2/session', given, { key: null, headers })).status, 403)
  const byKey = { key: service.client.key }
  assert.equal((await service.client.post('/api/v2/session', byKey, { key: null, headers })).status, 200)
  const change = await service.client.put('/api/v2/users/cid/password', { password: 'a password for cid' })
  assert.equal(change.status, 403)
})

test('three tabs that sign in at the same time come back in any order, each to its page', async () => {
  provider.groups.set('tab', ['soc'])
  const browser = new Browser()
  const begun: string[] = []
  for (const page of ['/jobs/1', '/jobs/2', '/jobs/3']) {
    const away = await browser.request(`${base}/api/v2/session/sso/login?return_to=${encodeURIComponent(page)}`)
    begun.push(away.headers.get('location')!)
  }
  const arrived: string[] = []
  for (const [at, address] of begun.reverse().entries()) {
    await browser.follow(address)
    if (at === 0) {
      await browser.post({ prompt: 'login', login: 'tab', password: 'any' })
      if (browser.url.includes('/interaction/')) await browser.post({ prompt: 'consent' })
    }
    arrived.push(new URL(browser.url).pathname)
    assert.equal((await whoIs(browser)).body.name, 'tab')
  }
  assert.deepEqual(arrived, ['/jobs/3', '/jobs/2', '/jobs/1'])
})
