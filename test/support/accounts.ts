/** A catalog with an administrator, for tests of users and tokens. */
import assert from 'node:assert/strict'
import type { ResourceStore } from '../../engine/resource/resource-store.js'
import type { IssuedToken, TokenRequest } from '../../engine/api/users-service.js'
import { openCatalog, type CatalogBench } from './resource-store.js'
import type { Principal } from '../../engine/api/principal.js'

export const ADMIN = { adminPassword: 'long enough', managementKey: 'a-management-key-of-tests' }
export const ADDRESS = '192.0.2.1'

export function principalOf(catalog: ResourceStore, secret: string): Principal {
  const principal = catalog.authenticate(secret)
  assert.ok(principal !== null)
  return principal
}

/** A catalog whose administrator `admin` has the password of ADMIN; `by` is the management key. */
export function withAdmin(): CatalogBench & { readonly by: Principal } {
  const bench = openCatalog()
  bench.catalog.bootstrap(ADMIN)
  return { ...bench, by: principalOf(bench.catalog, ADMIN.managementKey) }
}

export function tokenOf(
  catalog: ResourceStore,
  username: string,
  more: Partial<TokenRequest> = {},
): Promise<IssuedToken> {
  return catalog.tokens.issue({
    username,
    password: ADMIN.adminPassword,
    lifeSeconds: 60,
    scopes: null,
    address: ADDRESS,
    ...more,
  })
}
