import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '../../server/config.js'

const whole = {
  SERVICE_OIDC_ISSUER: 'https://id.example/realms/soc',
  SERVICE_OIDC_CLIENT_ID: 'decisions',
  SERVICE_PUBLIC_URL: 'https://soc.example',
  SERVICE_OIDC_ROLES: 'soc = analyst, cn=leads=administrator',
}

test('groups have roles, and a group may have an equals sign in its name', () => {
  const { oidcRoles, oidcScopes, passwords } = readSettings(whole, [])
  assert.deepEqual(oidcRoles, [
    { group: 'soc', role: 'analyst' },
    { group: 'cn=leads', role: 'administrator' },
  ])
  assert.equal(oidcScopes, 'openid profile email')
  assert.equal(passwords, true)
})

test('settings of single sign-on that cannot work stop the start with a sentence', () => {
  const { SERVICE_OIDC_CLIENT_ID: _, ...noClient } = whole
  const { SERVICE_OIDC_ROLES: __, ...noRoles } = whole
  for (const [env, expected] of [
    [noClient, /needs SERVICE_OIDC_CLIENT_ID and SERVICE_PUBLIC_URL/],
    [noRoles, /needs SERVICE_OIDC_ROLES/],
    [{ ...whole, SERVICE_OIDC_ROLES: 'soc=chief' }, /must be a list of group=role/],
    [{ ...whole, SERVICE_OIDC_ROLES: 'soc=analist,leads=administrator' }, /must be a list of group=role/],
    [{ ...whole, SERVICE_OIDC_ROLES: 'a, b=analyst' }, /a group with commas is in quotes/],
    [{ ...whole, SERVICE_OIDC_ISSUER: 'http://id.example' }, /must be an address with https/],
    [{ ...whole, SERVICE_CONSOLE: 'false' }, /needs the console/],
  ] as const)
    assert.throws(() => readSettings(env, []), expected)
  assert.equal(readSettings({ ...whole, SERVICE_OIDC_ISSUER: 'http://127.0.0.1:9000' }, []).oidcClientId, 'decisions')
})

test('names of groups may have commas, in quotes or as a distinguished name', () => {
  const rolesOf = (list: string) =>
    readSettings({ ...whole, SERVICE_OIDC_ROLES: list }, []).oidcRoles.map(({ group, role }) => [group, role])
  assert.deepEqual(rolesOf('CN=SOC,OU=Groups,DC=corp=analyst, soc-leads=administrator'), [
    ['CN=SOC,OU=Groups,DC=corp', 'analyst'],
    ['soc-leads', 'administrator'],
  ])
  assert.deepEqual(rolesOf('"a, b = ""c"""=power_user,,"CN=SOC,OU=x"=analyst,*=analyst,'), [
    ['a, b = "c"', 'power_user'],
    ['CN=SOC,OU=x', 'analyst'],
    ['*', 'analyst'],
  ])
})
