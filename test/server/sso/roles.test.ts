import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimAt, identityOf, roleOf, type ClaimRules } from '../../../server/sso/roles.js'

const rules: ClaimRules = {
  groupsClaim: 'groups',
  nameClaim: 'preferred_username',
  roles: [
    { group: 'soc', role: 'analyst' },
    { group: 'soc-leads', role: 'administrator' },
    { group: 'soc-engineers', role: 'power_user' },
  ],
}

test('the highest role of all groups counts', () => {
  assert.equal(roleOf({ groups: ['soc-engineers', 'soc'] }, rules), 'power_user')
  assert.equal(roleOf({ groups: ['soc', 'soc-leads'] }, rules), 'administrator')
  assert.equal(roleOf({ groups: 'soc' }, rules), 'analyst')
  for (const groups of [undefined, [], ['SOC'], [1], null, 7]) assert.equal(roleOf({ groups }, rules), null)
  assert.equal(roleOf({}, { ...rules, roles: [{ group: '*', role: 'analyst' }] }), 'analyst')
})

test('a claim is at a path, or has the whole path as its name', () => {
  const claims = { realm_access: { roles: ['soc'] }, 'https://soc.example/groups': ['soc'], roles: { soc: {} } }
  for (const groupsClaim of ['realm_access.roles', 'https://soc.example/groups', 'roles'])
    assert.equal(roleOf(claims, { ...rules, groupsClaim }), 'analyst', groupsClaim)
  assert.equal(claimAt(claims, '__proto__.x'), undefined)
})

test('the name is of its claim, else the email; without either nobody comes in', () => {
  const claims = { sub: 's', groups: ['soc'], email: 'ann@soc.example' }
  assert.equal(identityOf({ ...claims, preferred_username: 'ann' }, 'i', rules).name, 'ann')
  assert.deepEqual(identityOf(claims, 'i', rules), {
    issuer: 'i',
    subject: 's',
    name: 'ann@soc.example',
    role: 'analyst',
  })
  assert.throws(() => identityOf({ sub: 's', groups: ['soc'] }, 'i', rules), /sent no name/)
  assert.throws(() => identityOf({ ...claims, groups: [] }, 'i', rules), /none of your groups/)
})

test('groups that the provider left out are told from groups without a role, with the way out', () => {
  const claims = { sub: 's', preferred_username: 'ann' }
  for (const left of [{ _claim_names: { groups: 'src1' } }, { hasgroups: true }])
    assert.throws(
      () => identityOf({ ...claims, ...left }, 'i', rules),
      /left the groups out.*SERVICE_OIDC_GROUPS_CLAIM/,
    )
  for (const other of [{ _claim_names: { address: 'src1' } }, { _claim_names: { groups: 's' }, groups: ['staff'] }, {}])
    assert.throws(() => identityOf({ ...claims, ...other }, 'i', rules), /none of your groups has a role here/)
})
