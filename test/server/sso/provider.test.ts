import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWTPayload } from 'jose'
import { Provider } from '../../../server/sso/provider.js'

/** A provider whose ID tokens are what a test wants. */
let server: Server
let issuer: string
let own: CryptoKey
let stranger: CryptoKey
let token = ''
/** What the provider says that it signs ID tokens with. */
let algorithms = ['RS256']

before(async () => {
  const pair = await generateKeyPair('RS256')
  own = pair.privateKey
  stranger = (await generateKeyPair('RS256')).privateKey
  const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }]
  server = createServer((request, response) => {
    const answers: Readonly<Record<string, unknown>> = {
      '/.well-known/openid-configuration': {
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: algorithms,
      },
      '/keys': { keys },
      '/token': { access_token: 'a', token_type: 'bearer', expires_in: 60, id_token: token, refresh_token: 'r' },
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answers[request.url ?? ''] ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(() => {
  server.closeAllConnections()
  server.close()
})

function provider(): Provider {
  const settings = {
    issuer,
    clientId: 'decisions',
    clientSecret: 'secret',
    scopes: 'openid',
    groupsClaim: 'groups',
    redirectUri: 'http://127.0.0.1/api/v2/session/sso/callback',
    signedOutUri: 'http://127.0.0.1/',
  }
  return new Provider(settings, () => 0)
}

const now = (): number => Math.floor(Date.now() / 1000)

function signed(claims: JWTPayload, key: CryptoKey, kid = 'k'): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(key)
}

async function changed(claims: JWTPayload): Promise<string> {
  const [head, , signature] = (await signed(claims, own)).split('.')
  const other = Buffer.from(JSON.stringify({ ...claims, groups: ['soc-leads'] })).toString('base64url')
  return [head, other, signature].join('.')
}

const ofAnother = /the signature of its ID token is not that of one of its keys/
const cases: readonly (readonly [string, (claims: JWTPayload) => Promise<string> | string, RegExp | null])[] = [
  ['is of the key of the provider', (claims) => signed(claims, own), null],
  ['is 30 seconds ahead', (claims) => signed({ ...claims, iat: now() + 30 }, own), null],
  ['has the signature of another key', (claims) => signed(claims, stranger), ofAnother],
  ['names another key', (claims) => signed(claims, stranger, 'x'), ofAnother],
  ['was changed', changed, ofAnother],
  ['has no signature', (claims) => new UnsecuredJWT(claims).encode(), /did not let you in/],
  [
    'was made ten hours ahead',
    (claims) => signed({ ...claims, iat: now() + 36_000, exp: now() + 36_060 }, own),
    /its ID token was made 600 minutes in the future, so the clock there or here is wrong/,
  ],
  ['is over', (claims) => signed({ ...claims, exp: now() - 600 }, own), /did not let you in/],
]

for (const [name, make, refusal] of cases)
  test(`an ID token that ${name} is ${refusal === null ? 'taken' : 'refused'}`, async () => {
    const of = provider()
    const { signIn } = await of.begin('/')
    const times = { iat: now(), exp: now() + 60 }
    const claims = { iss: issuer, aud: 'decisions', sub: 'ann', groups: ['soc'], nonce: signIn.nonce, ...times }
    token = await make(claims)
    const finished = of.finish(`code=c&state=${signIn.state}`, signIn)
    if (refusal !== null) return assert.rejects(finished, { code: 'unauthorized', message: refusal })
    const on = await finished
    assert.deepEqual(on.claims.groups, ['soc'])
    const { nonce: _, ...later } = claims
    token = await signed(later, stranger)
    assert.equal(await of.refresh('r', on.claims), null)
    token = await signed(later, own)
    assert.equal((await of.refresh('r', on.claims))?.claims.sub, 'ann')
  })

for (const said of [['RS256'], ['RS256', 'HS256']])
  test(`an ID token that is signed with the client secret is refused with a sentence: ${said}`, async () => {
    algorithms = said
    const of = provider()
    const { signIn } = await of.begin('/')
    const times = { iat: now(), exp: now() + 60 }
    const claims = { iss: issuer, aud: 'decisions', sub: 'ann', nonce: signIn.nonce, ...times }
    token = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode('secret'))
    const message =
      'the provider did not let you in: it signs ID tokens with the client secret (HS256). ' +
      'Set it to sign them with a key of its own (RS256)'
    await assert.rejects(of.finish(`code=c&state=${signIn.state}`, signIn), { code: 'unauthorized', message })
  })
