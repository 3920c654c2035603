/** Makes single sign-on from the settings; null where none is set up. */
import type { DecisionService } from '../../engine/index.js'
import type { Sessions } from '../http/sessions.js'
import type { GroupRole } from '../sso-settings.js'
import { Provider } from './provider.js'
import { SignOn } from './sign-on.js'

/** The settings of sso-settings.ts. */
export interface SignOnOptions {
  readonly publicUrl?: string | undefined
  readonly oidcIssuer?: string | undefined
  readonly oidcClientId?: string | undefined
  readonly oidcClientSecret?: string | undefined
  readonly oidcScopes?: string | undefined
  readonly oidcGroupsClaim?: string | undefined
  readonly oidcNameClaim?: string | undefined
  readonly oidcRoles?: readonly GroupRole[] | undefined
}

export function openSignOn(service: DecisionService, sessions: Sessions | null, options: SignOnOptions): SignOn | null {
  const { publicUrl, oidcIssuer: issuer, oidcClientId: clientId } = options
  if (issuer === undefined || clientId === undefined || publicUrl === undefined || sessions === null) return null
  const groupsClaim = options.oidcGroupsClaim ?? 'groups'
  const nowMs = (): number => performance.now()
  const base = publicUrl.replace(/\/+$/, '')
  const provider = new Provider(
    {
      issuer,
      clientId,
      clientSecret: options.oidcClientSecret,
      scopes: options.oidcScopes ?? 'openid profile email',
      groupsClaim,
      redirectUri: `${base}/api/v2/session/sso/callback`,
      signedOutUri: `${base}/`,
    },
    nowMs,
  )
  return new SignOn({
    tokens: service.tokens,
    sessions,
    provider,
    rules: { groupsClaim, nameClaim: options.oidcNameClaim ?? 'preferred_username', roles: options.oidcRoles ?? [] },
    log: service.monitor.log('api'),
    nowMs,
    epochMs: () => Date.now(),
  })
}
