/** The settings of single sign-on, and of passwords beside it. */
import { z } from 'zod'
import { flag, identifier, text, type Setting } from './setting.js'

const roleNames = ['analyst', 'power_user', 'administrator'] as const

/** One group and its role. */
export interface GroupRole {
  readonly group: string
  readonly role: (typeof roleNames)[number]
}

/** A distinguished name, as directories have it. */
const DISTINGUISHED = '(?:cn|ou|o|dc|uid|l|st|c)=[^,="]+(?:,\\s*(?:cn|ou|o|dc|uid|l|st|c)=[^,="]+)+'
/** An entry: a name in quotes, in which a quote is written twice, or another one; then its role. */
const ENTRY = new RegExp(`^(?:"((?:[^"]|"")+)"|(${DISTINGUISHED}|[^",][^,]*?))\\s*=\\s*([^=,"]*?)\\s*(?:,|$)`, 'i')

/** `group=role, "group, with commas"=role`; `*` is everybody whom the provider lets in. */
const groupRoles = z.string().transform((list, context): readonly GroupRole[] => {
  const found: GroupRole[] = []
  for (let rest = list.trim(); rest !== ''; ) {
    if (/^\s*,/.test(rest)) {
      rest = rest.replace(/^\s*,/, '')
      continue
    }
    const [whole = '', quoted, plain, roleName] = ENTRY.exec(rest) ?? []
    const role = roleNames.find((name) => name === roleName)
    if (role === undefined) {
      const roles = `roles are ${roleNames.join(', ')}`
      const message = `must be a list of group=role; ${roles}; a group with commas is in quotes, "a,b"=analyst`
      context.addIssue({ code: 'custom', message })
      return []
    }
    found.push({ group: quoted?.replaceAll('""', '"') ?? (plain as string), role })
    rest = rest.slice(whole.length).trim()
  }
  return found
})

/** True for an address that may be without TLS: it does not leave the machine. */
function isLocal(url: URL): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
}

const address = z.string().refine((value) => {
  if (!URL.canParse(value)) return false
  const url = new URL(value)
  return (
    url.username === '' && url.hash === '' && (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal(url)))
  )
}, 'must be an address with https, or with http on this machine')

export const ssoSettings = {
  publicUrl: {
    name: 'SERVICE_PUBLIC_URL',
    schema: address,
    meaning: 'Address at which browsers reach the service, such as https://soc.example; needed for single sign-on',
  },
  oidcIssuer: {
    name: 'SERVICE_OIDC_ISSUER',
    schema: address,
    meaning: 'Issuer of an OpenID Connect provider; with it people can sign in there',
  },
  oidcClientId: { name: 'SERVICE_OIDC_CLIENT_ID', schema: text, meaning: 'Client id of the service at the provider' },
  oidcClientSecret: {
    name: 'SERVICE_OIDC_CLIENT_SECRET',
    schema: text,
    meaning: 'Client secret of the service at the provider; without it the service is a public client (PKCE)',
    secret: true,
  },
  oidcScopes: {
    name: 'SERVICE_OIDC_SCOPES',
    schema: text,
    fallback: 'openid profile email',
    meaning: 'Scopes to ask the provider for; add offline_access where refresh tokens need it',
  },
  oidcGroupsClaim: {
    name: 'SERVICE_OIDC_GROUPS_CLAIM',
    schema: text,
    fallback: 'groups',
    meaning: 'Claim with the groups of a person, as a path such as realm_access.roles',
  },
  oidcNameClaim: {
    name: 'SERVICE_OIDC_NAME_CLAIM',
    schema: identifier,
    fallback: 'preferred_username',
    meaning: 'Claim with the name of a new user; email where it is absent',
  },
  oidcRoles: {
    name: 'SERVICE_OIDC_ROLES',
    schema: groupRoles,
    fallback: '',
    meaning:
      'Role of each group, such as soc=analyst,soc-leads=administrator; a name with commas is in quotes, such as ' +
      '"CN=SOC,OU=Groups"=analyst; the highest counts, * is everybody, and who has none is refused',
  },
  passwords: {
    name: 'SERVICE_PASSWORDS',
    schema: flag,
    fallback: 'true',
    meaning: 'false: nobody signs in with a password; keys and single sign-on remain',
  },
} as const satisfies Record<string, Setting>

/** What is wrong with these settings together, as a sentence, or null. */
export function ssoFault({
  oidcIssuer,
  oidcClientId,
  publicUrl,
  oidcRoles,
  ...rest
}: Readonly<Record<string, unknown>>) {
  if (oidcIssuer === undefined) return null
  if (oidcClientId === undefined || publicUrl === undefined)
    return 'SERVICE_OIDC_ISSUER needs SERVICE_OIDC_CLIENT_ID and SERVICE_PUBLIC_URL'
  if ((oidcRoles as readonly GroupRole[]).length === 0)
    return 'SERVICE_OIDC_ISSUER needs SERVICE_OIDC_ROLES, such as soc=analyst: nobody could sign in without it'
  return rest.console === false ? 'SERVICE_OIDC_ISSUER needs the console: SERVICE_CONSOLE must not be false' : null
}
