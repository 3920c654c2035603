/**
 * The OpenID Connect provider.
 *
 * Owns: what is asked of the provider, and the checks of what it sends. Leaves out: who may come in (roles.ts),
 * sessions (sign-on.ts).
 *
 * 1. Codes are exchanged with PKCE, state and nonce. Issuer, audience, nonce and end of ID tokens are checked by the
 *    library. It takes a token that came from the provider itself without a look at its signature, so that is checked
 *    here, with the keys of the provider; and that the token was not made in the future. So a token that is signed with
 *    the client secret (HS256) is refused.
 * 2. The provider's metadata are read with the first sign-in, and again after a failure and each day.
 * 3. No message has a token or a secret.
 */
import type { Configuration, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client'
import { isRefusal, Refusal } from '../../engine/index.js'
import type { PendingSignIn } from './pending.js'
import type { Claims } from './roles.js'

export interface ProviderSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly scopes: string
  /** The claim that decides; where the ID token lacks it, the provider is asked for it. */
  readonly groupsClaim: string
  /** Where the provider sends people back to. */
  readonly redirectUri: string
  /** Where it sends them after they signed out there. */
  readonly signedOutUri: string
}

/** What a provider says of a person. */
export interface SignedOn {
  readonly claims: Claims
  /** The session at the provider, if it has an id. */
  readonly sid: string | null
  /** Seconds for which it holds. */
  readonly lifeSeconds: number
  /** Gets the next tokens; null: there will be none. */
  readonly refreshToken: string | null
  /** Tells the provider which session is meant when a person signs out. */
  readonly idToken: string | null
}

/** Whose sessions end. */
export interface Logout {
  readonly subject: string | null
  readonly sid: string | null
}

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const DAY_MS = 86_400_000
const TIMEOUT_SECONDS = 10
/** Where a provider does not say how long its tokens hold. */
const LIFE_SECONDS = 3_600
/** Clocks of two machines differ by less. */
const CLOCKS_DIFFER_SECONDS = 60
const MINUTE_SECONDS = 60

type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers
type Keys = ReturnType<typeof import('jose')['createRemoteJWKSet']>

interface Known {
  readonly configuration: Configuration
  readonly keys: Keys
  readonly atMs: number
}

export class Provider {
  readonly settings: ProviderSettings
  readonly #nowMs: () => number
  #known: Promise<Known> | null = null
  #knownMs = 0

  /** `nowMs` only grows. */
  constructor(settings: ProviderSettings, nowMs: () => number) {
    this.settings = settings
    this.#nowMs = nowMs
  }

  /** The address to send a browser to, and what it has to bring back. @throws Refusal not_ready. */
  async begin(returnTo: string): Promise<{ readonly url: URL; readonly signIn: PendingSignIn }> {
    const client = await import('openid-client')
    const { configuration } = await this.#metadata()
    const signIn = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      codeVerifier: client.randomPKCECodeVerifier(),
      returnTo,
    }
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.settings.redirectUri,
      scope: this.settings.scopes,
      state: signIn.state,
      nonce: signIn.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(signIn.codeVerifier),
      code_challenge_method: 'S256',
    })
    return { url, signIn }
  }

  /** Who came back. `query` is that of the request. @throws Refusal unauthorized, not_ready. */
  async finish(query: string, signIn: PendingSignIn): Promise<SignedOn> {
    const client = await import('openid-client')
    const { configuration, keys } = await this.#metadata()
    try {
      const tokens = await client.authorizationCodeGrant(
        configuration,
        new URL(`?${query}`, this.settings.redirectUri),
        {
          pkceCodeVerifier: signIn.codeVerifier,
          expectedState: signIn.state,
          expectedNonce: signIn.nonce,
          idTokenExpected: true,
        },
      )
      const claims = tokens.claims() ?? {}
      await checkToken(tokens.id_token ?? '', claims, keys)
      return await this.#signedOn(configuration, tokens, claims)
    } catch (error) {
      if (isRefusal(error)) throw error
      mustHaveOwnKey(Object(Object(error).cause).cause)
      throw new Refusal('unauthorized', `the provider did not let you in${reasonOf(error)}`)
    }
  }

  /** The next tokens, with the claims of today; null if the provider's session is over. @throws Refusal not_ready. */
  async refresh(refreshToken: string, before: Claims): Promise<SignedOn | null> {
    const client = await import('openid-client')
    const { configuration, keys } = await this.#metadata()
    try {
      const tokens = await client.refreshTokenGrant(configuration, refreshToken)
      const claims = tokens.claims() ?? before
      if (tokens.id_token !== undefined) await checkToken(tokens.id_token, claims, keys)
      if (claims.sub !== before.sub) return null
      const next = await this.#signedOn(configuration, tokens, claims)
      return { ...next, refreshToken: next.refreshToken ?? refreshToken }
    } catch (error) {
      if (error instanceof client.ResponseBodyError || isRefusal(error, 'unauthorized')) return null
      throw new Refusal('not_ready', 'the provider does not answer')
    }
  }

  /** Where a person signs out at the provider (RP-Initiated Logout 1.0); null if it has no such page, or is away. */
  async signOutUrl(idToken: string): Promise<URL | null> {
    const client = await import('openid-client')
    try {
      const { configuration } = await this.#metadata()
      if (configuration.serverMetadata().end_session_endpoint === undefined) return null
      const hint = { id_token_hint: idToken, post_logout_redirect_uri: this.settings.signedOutUri }
      return client.buildEndSessionUrl(configuration, hint)
    } catch {
      return null
    }
  }

  /** Whose sessions a logout token ends (OpenID Connect Back-Channel Logout 1.0, 2.6). @throws Refusal unauthorized. */
  async logoutOf(token: string): Promise<Logout> {
    const { jwtVerify } = await import('jose')
    const { configuration, keys } = await this.#metadata()
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: configuration.serverMetadata().issuer,
        audience: this.settings.clientId,
        requiredClaims: ['iat', 'jti', 'events'],
        maxTokenAge: '10 minutes',
        clockTolerance: '60 seconds',
      })
      const events = payload.events as Readonly<Record<string, unknown>> | undefined
      const subject = typeof payload.sub === 'string' ? payload.sub : null
      const sid = typeof payload.sid === 'string' ? payload.sid : null
      const isLogout = typeof events === 'object' && events !== null && typeof events[LOGOUT_EVENT] === 'object'
      if (isLogout && payload.nonce === undefined && (subject ?? sid) !== null) return { subject, sid }
    } catch {
      // The same answer as for a token of another kind.
    }
    throw new Refusal('invalid_body', 'logout_token is no valid logout token of the provider', {
      issues: [{ loc: ['body', 'logout_token'], msg: 'must be a logout token of the provider', type: 'logout_token' }],
    })
  }

  async #signedOn(configuration: Configuration, tokens: Tokens, claims: Claims): Promise<SignedOn> {
    const { sub, sid, exp } = claims
    let all = claims
    const first = this.settings.groupsClaim.split('.')[0]!
    if (!Object.hasOwn(claims, first) && configuration.serverMetadata().userinfo_endpoint !== undefined) {
      const client = await import('openid-client')
      all = { ...claims, ...(await client.fetchUserInfo(configuration, tokens.access_token, sub as string)), sub }
    }
    const left = typeof exp === 'number' ? exp - Date.now() / 1000 : LIFE_SECONDS
    const lifeSeconds = Math.max(1, Math.floor(tokens.expiresIn() ?? left))
    const refreshToken = tokens.refresh_token ?? null
    const idToken = tokens.id_token ?? null
    return { claims: all, sid: typeof sid === 'string' ? sid : null, lifeSeconds, refreshToken, idToken }
  }

  #metadata(): Promise<Known> {
    if (this.#known !== null && this.#nowMs() - this.#knownMs < DAY_MS) return this.#known
    const known = this.#discover()
    this.#known = known
    this.#knownMs = this.#nowMs()
    known.catch(() => {
      if (this.#known === known) this.#known = null
    })
    return known
  }

  async #discover(): Promise<Known> {
    const client = await import('openid-client')
    const { createRemoteJWKSet } = await import('jose')
    const { issuer, clientId, clientSecret } = this.settings
    const url = new URL(issuer)
    const authentication = clientSecret === undefined ? client.None() : client.ClientSecretPost(clientSecret)
    // The settings allow an address without TLS on this machine alone.
    const execute = url.protocol === 'http:' ? [client.allowInsecureRequests] : []
    const options = { execute, timeout: TIMEOUT_SECONDS }
    try {
      const configuration = await client.discovery(url, clientId, undefined, authentication, options)
      const keys = createRemoteJWKSet(new URL(configuration.serverMetadata().jwks_uri ?? issuer))
      return { configuration, keys, atMs: this.#nowMs() }
    } catch (error) {
      throw new Refusal('not_ready', `the provider of single sign-on does not answer${reasonOf(error)}`)
    }
  }
}

/** Checks the signature of an ID token, and that it was not made in the future. @throws Refusal unauthorized. */
async function checkToken(token: string, { iat }: Claims, keys: Keys): Promise<void> {
  const { compactVerify, decodeProtectedHeader, errors } = await import('jose')
  mustHaveOwnKey({ header: decodeProtectedHeader(token) })
  try {
    await compactVerify(token, keys)
  } catch (error) {
    const isOfKeys = error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError)
    if (isOfKeys || error.code === 'ERR_JOSE_GENERIC') throw error
    const what = 'the signature of its ID token is not that of one of its keys'
    throw new Refusal('unauthorized', `the provider did not let you in: ${what}${reasonOf(error)}`)
  }
  const ahead = typeof iat === 'number' ? iat - Date.now() / 1000 : 0
  if (ahead <= CLOCKS_DIFFER_SECONDS) return
  const minutes = Math.round(ahead / MINUTE_SECONDS)
  const what = `its ID token was made ${minutes} minutes in the future, so the clock there or here is wrong`
  throw new Refusal('unauthorized', `the provider did not let you in: ${what}`)
}

/**
 * Refuses tokens that are signed with the client secret. `cause` holds the header of one: also the cause of the
 * library's error, where it refuses the header. @throws Refusal unauthorized.
 */
function mustHaveOwnKey(cause: unknown): void {
  const { alg } = Object(Object(cause).header) as { readonly alg?: unknown }
  if (typeof alg !== 'string' || !/^HS\d{3}$/.test(alg)) return
  const what = `it signs ID tokens with the client secret (${alg}). Set it to sign them with a key of its own (RS256)`
  throw new Refusal('unauthorized', `the provider did not let you in: ${what}`)
}

/** The code of an error, or the provider's own, in brackets. Its text may have anything in it. */
function reasonOf(error: unknown): string {
  const { error: own, code } = Object(error) as { readonly error?: unknown; readonly code?: unknown }
  const reason = typeof own === 'string' ? own : code
  return typeof reason === 'string' && /^[\w.-]{1,64}$/.test(reason) ? ` (${reason})` : ''
}
