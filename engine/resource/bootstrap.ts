/**
 * What a new store gets (S20): built-in integrations, the administrator, one management key.
 *
 * 1. Where a user or a management key exists, neither is created, whatever the settings say.
 * 2. A secret from the settings is never returned. A generated one is returned once, and given to a file before that.
 */
import { isoMicros } from '../clock.js'
import { Refusal } from '../errors.js'
import { badKey, badPassword, hashPassword, hashSecret, makeKeyId, makeSecret } from './access/secrets.js'
import type { PlanDeps } from './plan.js'
import { Changes, type ResourceState } from './state.js'

/** Secrets from the settings, if any. */
export interface BootstrapSecrets {
  /** SERVICE_ADMIN_PASSWORD. */
  readonly adminPassword?: string | undefined
  /** SERVICE_BOOTSTRAP_KEY. */
  readonly managementKey?: string | undefined
}

/** Generated secrets, to be printed once; null where the settings gave one, or nothing was created. */
export interface BootstrapOutcome {
  readonly adminPassword: string | null
  readonly managementKey: string | null
}

export const administratorName = 'admin'
export const managementKeyName = 'management'

/** Adds the built-in integrations that are missing: all in a new store, new kinds after an upgrade. */
export function planBuiltIns(state: ResourceState, { clock }: PlanDeps): Changes {
  const changes = new Changes()
  const present = new Set([...state.integrations.values()].map((record) => record.kind))
  const createdAt = isoMicros(clock.nowMicros())
  let id = state.counters.nextIntegrationId
  for (const kind of state.kinds.all.filter((each) => each.builtIn && !present.has(each.id))) {
    const title = state.integrationsByTitle.has(kind.name) ? `${kind.name} (built in)` : kind.name
    changes.integrations.set(id, { id, title, kind: kind.id, connection: {}, createdAt })
    id++
  }
  if (changes.integrations.size > 0) changes.counters = { ...state.counters, nextIntegrationId: id }
  return changes
}

function refuseBad(setting: string, fault: string | null): void {
  if (fault !== null) throw new Refusal('invalid_resources', `${setting} ${fault}`)
}

/**
 * Adds the administrator and the management key to a new store.
 * @throws Refusal invalid_resources for a weak secret; the message names its setting.
 */
export function planBootstrap(
  state: ResourceState,
  given: BootstrapSecrets,
  { clock, random, passwordCost }: PlanDeps,
): { changes: Changes; outcome: BootstrapOutcome } {
  const changes = new Changes()
  const manageable = [...state.apiKeys.values()].some((key) => key.kind === 'management')
  if (state.users.size > 0 || manageable) return { changes, outcome: { adminPassword: null, managementKey: null } }
  refuseBad('SERVICE_ADMIN_PASSWORD', given.adminPassword === undefined ? null : badPassword(given.adminPassword))
  refuseBad('SERVICE_BOOTSTRAP_KEY', given.managementKey === undefined ? null : badKey(given.managementKey))

  const createdAt = isoMicros(clock.nowMicros())
  const password = given.adminPassword ?? makeSecret(random)
  const value = given.managementKey ?? makeSecret(random)
  changes.users.set(administratorName, {
    name: administratorName,
    role: 'administrator',
    password: hashPassword(password, random, passwordCost),
    createdAt,
    enabled: true,
  })
  changes.apiKeys.set(managementKeyName, {
    id: makeKeyId(random),
    name: managementKeyName,
    kind: 'management',
    hash: hashSecret(value),
    createdAt,
  })
  const outcome = {
    adminPassword: given.adminPassword === undefined ? password : null,
    managementKey: given.managementKey === undefined ? value : null,
  }
  return { changes, outcome }
}
