import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../../engine/limits.js'
import { SeededRandom, systemRandom } from '../../../../engine/rng.js'
import {
  badKey,
  badPassword,
  hashPassword,
  hashSecret,
  makeSecret,
  PasswordHasher,
  passwordMatches,
  sameHash,
} from '../../../../engine/resource/access/secrets.js'

test('a secret has 256 bits of chance and fits in a header', () => {
  const secret = makeSecret(systemRandom)
  assert.match(secret, /^[\w-]{43}$/)
  assert.equal(Buffer.from(secret, 'base64url').length, 32)
  assert.notEqual(secret, makeSecret(systemRandom))
  assert.equal(badKey(secret), null)
})

test('hashes compare by value and never across lengths', () => {
  assert.ok(sameHash(hashSecret('a'), hashSecret('a')))
  assert.ok(!sameHash(hashSecret('a'), hashSecret('b')))
  assert.ok(!sameHash(hashSecret('a'), ''))
})

test('a password matches its own record only, and the record has a salt of its own', async () => {
  const random = new SeededRandom(1)
  const record = hashPassword('correct horse', random)
  assert.ok(await passwordMatches('correct horse', record))
  assert.ok(!(await passwordMatches('correct horsf', record)))
  assert.notEqual(hashPassword('correct horse', random).hash, record.hash)
  assert.ok(!JSON.stringify(record).includes('correct'))
})

test('chosen secrets have a least length and travel in a header', () => {
  assert.equal(badKey('0123456789abcdef'), null)
  assert.match(badKey('short') ?? '', /at least 16/)
  assert.match(badKey('has a space in the middle') ?? '', /ASCII/)
  assert.match(badKey('k'.repeat(513)) ?? '', /at most 512/)
  assert.equal(badPassword('eight ch'), null)
  assert.match(badPassword('seven c') ?? '', /at least 8/)
  assert.match(badPassword('          ') ?? '', /at least 8/)
})

test('strangers that wait keep nobody out who is known, and no more than so many wait', async () => {
  const hasher = new PasswordHasher(new SeededRandom(1), 8)
  const record = hashPassword('correct horse', new SeededRandom(1), 8)
  const [ended, refused]: [string[], unknown[]] = [[], []]
  const strangers = Array.from({ length: 3 * limits.passwordHashesWaitingMax }, () => {
    return hasher.matches('wrong', record).then(
      () => void ended.push('stranger'),
      (error: unknown) => void refused.push(error),
    )
  })
  await hasher.matches('correct horse', record, true).then((matches) => void ended.push(`known ${matches}`))
  assert.ok(ended.indexOf('known true') <= limits.passwordHashesAtOnce + 1, ended.join(', '))
  await Promise.all(strangers)
  assert.ok(refused.length > 0)
  assert.equal(ended.length + refused.length, strangers.length + 1)
  assert.equal(await hasher.matches('correct horse', record), true, 'there is room again')
})
