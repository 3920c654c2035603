import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../../engine/limits.js'
import { AuditLog } from '../../../../engine/services/audit/audit-log.js'
import { proveChain } from '../../../../engine/services/audit/audit-proof.js'
import { auditTables } from '../../../../engine/services/audit/audit-tables.js'
import { readFieldTerms } from '../../../../engine/services/audit/field-terms.js'
import { WriteBatch } from '../../../../engine/store/environment.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'
import { anEntry, auditEntries } from '../../../support/audit.js'

test('an entry is there when its transaction is, and not otherwise', () => {
  const environment = new MemoryEnvironment(auditTables)
  const log = new AuditLog(environment)
  const thrownAway = new WriteBatch()
  log.record(thrownAway, anEntry({ action: 'deleted' }))
  const failed = new WriteBatch()
  log.record(failed, anEntry({ action: 'deleted' }))
  environment.failNextCommit = new Error('the disk is full')
  assert.throws(() => environment.commit(failed))
  assert.deepEqual([auditEntries(environment), log.head().count], [[], 0])
  const batch = new WriteBatch()
  log.record(batch, anEntry({ action: 'created' }))
  log.record(batch, anEntry({ action: 'updated' }))
  environment.commit(batch)
  batch.clear()
  log.record(batch, anEntry({ action: 'deleted' }))
  environment.commit(batch)
  assert.deepEqual(
    auditEntries(environment).map(({ sequence, action }) => [sequence, action]),
    [
      [1, 'created'],
      [2, 'updated'],
      [3, 'deleted'],
    ],
  )
  assert.deepEqual([proveChain(environment).intact, log.head().count], [true, 3])
})

test('another start goes on where the chain ends', () => {
  const environment = new MemoryEnvironment(auditTables)
  for (let start = 0; start < 3; start++) {
    const batch = new WriteBatch()
    new AuditLog(environment).record(batch, anEntry())
    environment.commit(batch)
  }
  assert.deepEqual([proveChain(environment).intact, proveChain(environment).entries], [true, 3])
})

test('a long value is cut to its beginning, its length and its hash', () => {
  const environment = new MemoryEnvironment(auditTables)
  const batch = new WriteBatch()
  const long = 'x'.repeat(limits.auditValueCharsMax + 1)
  new AuditLog(environment).record(
    batch,
    anEntry({ changes: { points: { before: null, after: [long] }, text: { before: long, after: 'short' } } }),
  )
  environment.commit(batch)
  const { changes } = auditEntries(environment)[0]!
  const after = changes!.points!.after as { cut: string; chars: number; sha256: string }
  assert.deepEqual(
    [after.cut.length, after.chars, after.sha256.length],
    [limits.auditValueCharsMax, long.length + 4, 64],
  )
  assert.equal(changes!.text!.after, 'short')
})

test('the values in use are counted, and bounded for each field', () => {
  const environment = new MemoryEnvironment(auditTables)
  const log = new AuditLog(environment)
  const batch = new WriteBatch()
  for (let i = 0; i < limits.auditTermsMax + 5; i++)
    log.record(batch, anEntry({ by: { kind: 'input', name: `key ${i % (limits.auditTermsMax + 2)}` } }))
  environment.commit(batch)
  assert.deepEqual(readFieldTerms(environment, 'action'), [{ value: 'updated', count: limits.auditTermsMax + 5 }])
  const users = readFieldTerms(environment, 'user')
  assert.equal(users.length, limits.auditTermsMax)
  assert.equal(users.find(({ value }) => value === 'key 0')?.count, 2)
})
