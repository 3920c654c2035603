/** A real OpenID Connect provider (oidc-provider), and a browser that signs in there. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export const CLIENT = { id: 'decisions', secret: 'a secret of the client, for tests only' }

export interface TestProvider {
  readonly issuer: string
  /** The groups of each person now. */
  readonly groups: Map<string, readonly string[]>
  close(): Promise<void>
}

export async function startProvider(service: string): Promise<TestProvider> {
  const { default: Provider } = (await import('oidc-provider' as string)) as { default: any }
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const groups = new Map<string, readonly string[]>()
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${service}/api/v2/session/sso/callback`],
        post_logout_redirect_uris: [`${service}/`],
        response_types: ['code'],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'client_secret_post',
        backchannel_logout_uri: `${service}/api/v2/session/sso/logout`,
        backchannel_logout_session_required: true,
      },
    ],
    claims: { openid: ['sub'], profile: ['preferred_username', 'groups'], email: ['email'] },
    findAccount: async (_context: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, preferred_username: id, groups: groups.get(id) ?? [] }),
    }),
    // Its own way out reaches no address of this machine.
    fetch: (url: string | URL, init: RequestInit & { dispatcher?: unknown }) => {
      const { dispatcher: _, ...own } = init
      return fetch(url, own)
    },
    features: { backchannelLogout: { enabled: true } },
    issueRefreshToken: async () => true,
    cookies: { keys: ['a key of cookies for tests'] },
    ttl: { AccessToken: 60, IdToken: 60, Session: 600, Grant: 600, RefreshToken: 600, Interaction: 600 },
  })
  server.on('request', provider.callback())
  return {
    issuer,
    groups,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A browser: it keeps cookies by origin and path, and follows redirects one by one. */
export class Browser {
  readonly #cookies = new Map<string, { readonly value: string; readonly path: string; readonly origin: string }>()
  url = ''

  async request(url: string, init: RequestInit = {}): Promise<Response> {
    const at = new URL(url)
    const cookie = [...this.#cookies]
      .filter(([, one]) => one.origin === at.origin && at.pathname.startsWith(one.path))
      .map(([key, { value }]) => `${key.split(' ')[1]}=${value}`)
      .join('; ')
    const answer = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
      const path = attributes.find((one) => /^path=/i.test(one))?.slice('path='.length) ?? '/'
      const [name = '', ...value] = pair.split('=')
      this.#cookies.set(`${at.origin} ${name}`, { value: value.join('='), path, origin: at.origin })
    }
    this.url = url
    return answer
  }

  /** Follows redirects until an answer is none, or `stop` says so. */
  async follow(url: string, init: RequestInit = {}, stop: (url: string) => boolean = () => false): Promise<Response> {
    let answer = await this.request(url, init)
    for (let hops = 0; hops < 20 && answer.status >= 300 && answer.status < 400; hops++) {
      const next = new URL(answer.headers.get('location')!, this.url).href
      if (stop(next)) return answer
      answer = await this.request(next)
    }
    return answer
  }

  /** Sends a form to the page that was reached last. */
  post(fields: Record<string, string>, url = this.url): Promise<Response> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return this.follow(url, { method: 'POST', headers, body: new URLSearchParams(fields).toString() })
  }

  /** Signs in at the provider as that person, and comes back. */
  async signIn(service: string, person: string, returnTo = '/jobs'): Promise<Response> {
    await this.follow(`${service}/api/v2/session/sso/login?return_to=${encodeURIComponent(returnTo)}`)
    let answer = await this.post({ prompt: 'login', login: person, password: 'any' })
    if (this.url.includes('/interaction/')) answer = await this.post({ prompt: 'consent' })
    return answer
  }

  /** Ends the session at the provider. */
  async signOut(issuer: string): Promise<void> {
    const page = await (await this.follow(`${issuer}/session/end`)).text()
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? ''
    await this.post({ xsrf, logout: 'yes' }, `${issuer}/session/end/confirm`)
  }
}
