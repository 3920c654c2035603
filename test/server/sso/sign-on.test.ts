/** Sessions that follow from the provider's: refreshed, ended, and ended with a changed role; with a clock by hand. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal, type Identity, type SessionKeeper } from '../../../engine/index.js'
import { keeperIn } from '../../support/sso/session-keeper.js'
import { Sessions } from '../../../server/http/sessions.js'
import type { SignedOn } from '../../../server/sso/provider.js'
import { SignOn } from '../../../server/sso/sign-on.js'

const SETTINGS = {
  issuer: 'https://id.example',
  clientId: 'c',
  clientSecret: undefined,
  scopes: 'openid',
  groupsClaim: 'groups',
  redirectUri: 'https://soc.example/callback',
  signedOutUri: 'https://soc.example/',
}

/** `kept`: where sessions outlive the process; two benches with the same one are two processes. */
function bench(
  refreshToken: string | null,
  refresh: (token: string) => Promise<SignedOn | null> = async () => null,
  kept: { readonly clock: { ms: number }; readonly keeper: SessionKeeper | null } = { clock: { ms: 0 }, keeper: null },
) {
  const { clock, keeper } = kept
  const ended: string[] = []
  const sessions = new Sessions({
    idleMs: 10 * 3_600_000,
    now: () => clock.ms,
    keeper,
    ended: ({ tokenId }) => void ended.push(tokenId ?? ''),
  })
  const on: SignedOn = {
    claims: { sub: 's-1', preferred_username: 'ann', groups: ['soc'] },
    sid: 'p-1',
    lifeSeconds: 300,
    refreshToken,
    idToken: 'id-1',
  }
  let issued = 0
  const signOn = new SignOn({
    tokens: {
      issueFor: (_identity: Identity) => ({ id: `t-${++issued}`, value: `secret-${issued}`, expiresMicros: 0 }),
    },
    sessions,
    provider: {
      settings: SETTINGS,
      begin: async () => assert.fail(),
      finish: async () => on,
      refresh,
      signOutUrl: async (idToken) => new URL(`https://id.example/end?hint=${idToken}`),
      logoutOf: async (token) => {
        const [subject = null, sid = null] = token.split(' ').map((part) => (part === '-' ? null : part))
        return { subject, sid }
      },
    },
    rules: { groupsClaim: 'groups', nameClaim: 'preferred_username', roles: [{ group: 'soc', role: 'analyst' }] },
    log: { info() {}, warn() {} },
    nowMs: () => clock.ms,
    epochMs: () => 1e12 + clock.ms,
  })
  const open = () => signOn.finish('', { state: '', nonce: '', codeVerifier: '', returnTo: '/' }, '192.0.2.1')
  return { clock, ended, sessions, signOn, on, open }
}

test('without a refresh token a session ends when its tokens expire', async () => {
  const { clock, ended, sessions, signOn, open } = bench(null)
  const cookie = await open()
  clock.ms = 299_000
  await signOn.check()
  assert.equal(sessions.secretOf(cookie), 'secret-1')
  clock.ms = 300_000
  await signOn.check()
  assert.equal(sessions.secretOf(cookie), '')
  assert.deepEqual(ended, ['t-1'])
  assert.equal(signOn.size, 0)
})

test('with a refresh token a session goes on while the provider gives new tokens', async () => {
  let refreshed = 0
  const { clock, sessions, signOn, on, open } = bench('r-1', async () => {
    return ++refreshed < 3 ? { ...on, lifeSeconds: 300, refreshToken: `r-${refreshed}` } : null
  })
  const cookie = await open()
  for (const ms of [260_000, 520_000]) {
    clock.ms = ms
    await signOn.check()
    assert.equal(sessions.secretOf(cookie), 'secret-1')
  }
  clock.ms = 780_000
  await signOn.check()
  assert.equal(sessions.secretOf(cookie), '', 'the provider ended it')
})

test('a provider that is away for a moment ends nothing before its time', async () => {
  const { clock, sessions, signOn, open } = bench('r-1', async () => {
    throw new Refusal('not_ready', 'the provider does not answer')
  })
  const cookie = await open()
  clock.ms = 280_000
  await signOn.check()
  assert.equal(sessions.secretOf(cookie), 'secret-1')
  clock.ms = 300_001
  await signOn.check()
  assert.equal(sessions.secretOf(cookie), '')
})

test('a person whose groups changed has to sign in again', async () => {
  const { clock, sessions, signOn, on, open } = bench('r-1', async () => ({
    ...on,
    claims: { ...on.claims, groups: [] },
  }))
  const cookie = await open()
  clock.ms = 260_000
  await signOn.check()
  assert.equal(sessions.secretOf(cookie), '')
})

test('a logout ends the session that it names, or all of the person', async () => {
  const { signOn, sessions, open } = bench(null)
  const cookies = [await open(), await open()]
  assert.equal(await signOn.logOut('s-1 another'), 0)
  assert.equal(await signOn.logOut('s-2 -'), 0)
  assert.equal(sessions.size, 2)
  assert.equal(await signOn.logOut('s-1 -'), 2)
  assert.deepEqual(
    cookies.map((cookie) => sessions.secretOf(cookie)),
    ['', ''],
  )
  const again = await open()
  assert.equal(await signOn.logOut('- p-1'), 1)
  assert.equal(sessions.has(again), false)
  signOn.close()
})

test('who signs out ends the session here at once, and is told where it ends at the provider', async () => {
  const next = (on: SignedOn): SignedOn => ({ ...on, idToken: null })
  const { clock, ended, sessions, signOn, open, on } = bench('r-1', async () => next(on))
  const cookie = await open()
  clock.ms = 260_000
  await signOn.check()
  assert.ok(sessions.has(cookie), 'a refreshed session keeps its ID token where there is no new one')
  const url = signOn.signOut(cookie)
  assert.equal(sessions.has(cookie), false)
  assert.deepEqual(ended, ['t-1'])
  assert.equal((await url)?.href, 'https://id.example/end?hint=id-1')
  assert.equal(await signOn.signOut('another'), null)
})

test('sessions go on in the next process, which refreshes them before their cookies come', async () => {
  const clock = { ms: 0 }
  const kept = { clock, ...keeperIn(() => clock.ms) }
  const used: string[] = []
  const next = async (token: string): Promise<SignedOn> => {
    used.push(token)
    return { ...first.on, lifeSeconds: 300, refreshToken: `r-${used.length + 1}` }
  }
  const first = bench('r-1', next, kept)
  const cookie = await first.open()
  clock.ms = 260_000
  await first.signOn.check()
  first.signOn.close()
  clock.ms = 520_000
  await first.signOn.check()
  const second = bench('r-1', next, kept)
  assert.equal(second.signOn.size, 1)
  await second.signOn.check()
  assert.deepEqual(used, ['r-1', 'r-2'], 'who is closed asks the provider nothing more')
  assert.equal(second.sessions.secretOf(cookie), 'secret-1')
  second.signOn.close()
})

test('a session of another process ends by the logout of the provider, and when its tokens expire', async () => {
  const clock = { ms: 0 }
  const kept = { clock, ...keeperIn(() => clock.ms) }
  const first = bench(null, undefined, kept)
  const cookies = [await first.open(), await first.open()]
  const second = bench(null, undefined, kept)
  assert.equal(second.signOn.size, 2)
  assert.equal(await second.signOn.logOut('s-1 -'), 2)
  assert.deepEqual(
    cookies.map((cookie) => second.sessions.secretOf(cookie)),
    ['', ''],
  )
  const late = await second.open()
  clock.ms = 300_001
  const third = bench(null, undefined, kept)
  await third.signOn.check()
  assert.equal(third.sessions.secretOf(late), '')
  assert.equal(third.signOn.size, 0)
})
