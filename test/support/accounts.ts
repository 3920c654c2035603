/** A catalog with an administrator, for tests of users and tokens. */
import assert from 'node:assert/strict'
import type { ResourceStore } from '../../engine/resource/resource-store.js'
import type { IssuedToken, TokenRequest } from '../../engine/api/users-service.js'
import { openResourceStore, type ResourceStoreBench } from './resource-store.js'
import type { Principal } from '../../engine/api/principal.js'

export const ADMIN = { adminPassword: 'long enough', managementKey: 'a-management-key-of-tests' }
export const ADDRESS = '192.0.2.1'

export function principalOf(resources: ResourceStore, secret: string): Principal {
  const principal = resources.authenticate(secret)
  assert.ok(principal !== null)
  return principal
}

/** A catalog whose administrator `admin` has the password of ADMIN; `by` is the management key. */
export function withAdmin(): ResourceStoreBench & { readonly by: Principal } {
  const bench = openResourceStore()
  bench.resources.bootstrap(ADMIN)
  return { ...bench, by: principalOf(bench.resources, ADMIN.managementKey) }
}

export function tokenOf(
  resources: ResourceStore,
  username: string,
  more: Partial<TokenRequest> = {},
): Promise<IssuedToken> {
  return resources.tokens.issue({
    username,
    password: ADMIN.adminPassword,
    lifeSeconds: 60,
    scopes: null,
    address: ADDRESS,
    ...more,
  })
}
