/**
 * The scopes, and who has them (S21, C2.9).
 *
 * Owns: the one table of scopes. Leaves out: the scope that an operation needs (server/routes, published as
 * `x-scopes`), the owner of a key (access/credentials.ts).
 *
 * 1. A role has all scopes of the roles before it.
 * 2. Each scope is needed by an operation that exists. Clients hide what a key has no scope for. A test compares the
 *    table with the routes.
 */

/** Roles from the least to the most. */
export const roles = ['analyst', 'power_user', 'administrator'] as const

/** The role of a user: an analyst reads and votes, a power user runs jobs, an administrator does everything (S21). */
export type Role = (typeof roles)[number]

interface ScopeRow {
  /** The lowest role that has it. */
  readonly from: Role
  /** An input key has it too, for the jobs that it is bound to (S1). */
  readonly inputKey?: true
}

/** Every scope. A management key has all of them. */
export const scopeTable = {
  public: { from: 'analyst', inputKey: true },
  'read:resources': { from: 'analyst' },
  'write:resources': { from: 'power_user' },
  'delete:resources': { from: 'power_user' },
  /** Creates and deletes api keys. */
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
  /** Sets safety contracts, reopens what was settled, and sees which events are audits. */
  'write:autonomy': { from: 'administrator' },
  /** Replays a period, and starts and drops challengers. */
  'execute:model_trials': { from: 'power_user' },
  /** Rolls back to an earlier model, and promotes a challenger. */
  'write:models': { from: 'administrator' },
  'read:platform_monitoring': { from: 'administrator' },
  'write:platform_monitoring': { from: 'administrator' },
  'read:users': { from: 'administrator' },
  'write:users': { from: 'administrator' },
} as const satisfies Readonly<Record<string, ScopeRow>>

/** One permission of a caller. */
export type Scope = keyof typeof scopeTable

const rows = Object.entries(scopeTable) as [Scope, ScopeRow][]

function scopesFrom(role: Role): ReadonlySet<Scope> {
  const rank = roles.indexOf(role)
  return new Set(rows.filter(([, { from }]) => roles.indexOf(from) <= rank).map(([scope]) => scope))
}

/** The scopes of each role. */
export const scopesOfRole: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  analyst: scopesFrom('analyst'),
  power_user: scopesFrom('power_user'),
  administrator: scopesFrom('administrator'),
}

/** The scopes of each kind of api key. */
export const scopesOfKey: Readonly<Record<'management' | 'input', ReadonlySet<Scope>>> = {
  management: new Set(rows.map(([scope]) => scope)),
  input: new Set(rows.filter(([, { inputKey }]) => inputKey === true).map(([scope]) => scope)),
}

/** What a caller lacks, as a sentence. A token may have less than its user's role. */
export function lackOf({ kind, name }: { readonly kind: string; readonly name: string }, scope: Scope): string {
  if (kind !== 'user') return `the key lacks the scope ${scope}`
  return `the user ${name} lacks the scope ${scope} with this token; the role ${scopeTable[scope].from} has it`
}

/** True for a scope of the table. */
export function isScope(name: string): name is Scope {
  return Object.hasOwn(scopeTable, name)
}
