/**
 * What a caller may do: the scopes, and who has them (S21, C2.9).
 *
 * Owns: the one table of scopes. Leaves out: which operation asks for which (server/routes, shown as `x-scopes`), whose
 * a secret is (access/credentials.ts).
 *
 * 1. A role has what the roles before it have.
 * 2. Clients hide what a key has no scope for, so a scope stands here only once an operation that works asks for it; a
 *    test holds the table and the routes together.
 */

/** Roles from the least to the most. */
export const roles = ['analyst', 'power_user', 'administrator'] as const

/** What a user is: an analyst looks and votes, a power user runs jobs, an administrator all (S21). */
export type Role = (typeof roles)[number]

interface ScopeRow {
  /** The least role that has it. */
  readonly from: Role
  /** A key that sends events has it too, for the jobs that it is bound to (S1). */
  readonly inputKey?: true
}

/** Every scope. A management key has all of them. */
export const scopeTable = {
  public: { from: 'analyst', inputKey: true },
  'read:resources': { from: 'analyst' },
  'write:resources': { from: 'power_user' },
  'delete:resources': { from: 'power_user' },
  /** To make and delete keys among the resources. */
  'write:api_keys': { from: 'administrator' },
  'execute:job_operations': { from: 'power_user', inputKey: true },
  'write:event_feedback': { from: 'analyst', inputKey: true },
  'write:event_agentic_notes': { from: 'analyst', inputKey: true },
  'execute:reprocess_events': { from: 'power_user' },
  'read:event_export': { from: 'analyst', inputKey: true },
  'write:events': { from: 'power_user', inputKey: true },
  'delete:events': { from: 'administrator' },
  'read:event_query': { from: 'analyst' },
  'read:job_metrics': { from: 'analyst' },
  'execute:recompute_model_metrics': { from: 'power_user' },
  'write:consensus': { from: 'administrator' },
  'read:platform_monitoring': { from: 'administrator' },
  'write:platform_monitoring': { from: 'administrator' },
  'read:users': { from: 'administrator' },
  'write:users': { from: 'administrator' },
} as const satisfies Readonly<Record<string, ScopeRow>>

/** What a caller may do, one word of it. */
export type Scope = keyof typeof scopeTable

const rows = Object.entries(scopeTable) as [Scope, ScopeRow][]

function scopesFrom(role: Role): ReadonlySet<Scope> {
  const rank = roles.indexOf(role)
  return new Set(rows.filter(([, { from }]) => roles.indexOf(from) <= rank).map(([scope]) => scope))
}

/** What each role may do. */
export const scopesOfRole: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  analyst: scopesFrom('analyst'),
  power_user: scopesFrom('power_user'),
  administrator: scopesFrom('administrator'),
}

/** What each kind of api key may do. */
export const scopesOfKey: Readonly<Record<'management' | 'input', ReadonlySet<Scope>>> = {
  management: new Set(rows.map(([scope]) => scope)),
  input: new Set(rows.filter(([, { inputKey }]) => inputKey === true).map(([scope]) => scope)),
}

/** True for a scope of the table. */
export function isScope(name: string): name is Scope {
  return Object.hasOwn(scopeTable, name)
}
