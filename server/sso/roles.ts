/** From the claims of a provider to a user: the name, and the role that the groups give. */
import { Refusal, roles, type Identity, type Role } from '../../engine/index.js'
import type { GroupRole } from '../sso-settings.js'

export type Claims = Readonly<Record<string, unknown>>

export interface ClaimRules {
  readonly groupsClaim: string
  readonly nameClaim: string
  readonly roles: readonly GroupRole[]
}

/** The claim at a path; an exact name with dots counts, too. */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  let value: unknown = claims
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Claims)[name]
  }
  return value
}

/** The groups in a claim: a list, one name, or an object with a field for each (as some providers send roles). */
function groupsIn(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return [claim]
  if (Array.isArray(claim)) return claim.filter((one) => typeof one === 'string')
  return typeof claim === 'object' && claim !== null ? Object.keys(claim) : []
}

/** The highest role of the groups, or null. */
export function roleOf(claims: Claims, rules: ClaimRules): Role | null {
  const groups = new Set(groupsIn(claimAt(claims, rules.groupsClaim)))
  const given = rules.roles.filter(({ group }) => group === '*' || groups.has(group)).map(({ role }) => role)
  return roles.findLast((role) => given.includes(role)) ?? null
}

/** The provider says that there are groups, and where they could be asked for, instead of naming them. */
function areLeftOut(claims: Claims, { groupsClaim }: ClaimRules): boolean {
  if (claimAt(claims, groupsClaim) !== undefined) return false
  return (
    Object.hasOwn(Object(claims._claim_names), groupsClaim) || claims.hasgroups === true || claims.hasgroups === 'true'
  )
}

function leftOut({ groupsClaim }: ClaimRules): string {
  return (
    `your provider left the groups out, as it does for people who are in many (the claim ${groupsClaim} is absent). ` +
    'The way out, for an administrator: let the provider send only the groups that are assigned to this application, ' +
    'or send roles of the application and name that claim in SERVICE_OIDC_GROUPS_CLAIM'
  )
}

/** The identity in the claims. @throws Refusal forbidden: no group has a role, or there is no name. */
export function identityOf(claims: Claims, issuer: string, rules: ClaimRules): Identity {
  const role = roleOf(claims, rules)
  if (role === null) {
    if (areLeftOut(claims, rules)) throw new Refusal('forbidden', leftOut(rules))
    throw new Refusal('forbidden', 'none of your groups has a role here: ask an administrator')
  }
  const name = [claimAt(claims, rules.nameClaim), claims.email].find((one) => typeof one === 'string' && one !== '')
  if (name === undefined || typeof claims.sub !== 'string')
    throw new Refusal('forbidden', `the provider sent no name: the claim ${rules.nameClaim} or email is needed`)
  return { issuer, subject: claims.sub, name: name as string, role }
}
