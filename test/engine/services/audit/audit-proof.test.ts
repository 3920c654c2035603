import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AuditLog } from '../../../../engine/services/audit/audit-log.js'
import { proveChain } from '../../../../engine/services/audit/audit-proof.js'
import {
  auditTables,
  decodeHead,
  encodeHead,
  headKey,
  sequenceKey,
  timesKey,
} from '../../../../engine/services/audit/audit-tables.js'
import { WriteBatch } from '../../../../engine/store/environment.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'
import { anEntry, auditEntries } from '../../../support/audit.js'

const COUNT = 9

function chain(names: readonly string[] = Array.from({ length: COUNT }, (_, i) => `job ${i + 1}`)): MemoryEnvironment {
  const environment = new MemoryEnvironment(auditTables)
  const log = new AuditLog(environment)
  for (const title of names) {
    const batch = new WriteBatch()
    log.record(batch, anEntry({ object: { type: 'job', id: '1', title } }))
    environment.commit(batch)
  }
  return environment
}

/** Changes the store behind the log's back. */
function tamper(environment: MemoryEnvironment, change: (batch: WriteBatch) => void): void {
  const batch = new WriteBatch()
  change(batch)
  environment.commit(batch)
}

function brokenAt(environment: MemoryEnvironment): number | undefined {
  const proof = proveChain(environment)
  assert.equal(proof.intact, proof.broken === null)
  return proof.broken?.sequence
}

test('an untouched chain is intact, an empty one too', () => {
  assert.deepEqual([proveChain(chain()).intact, proveChain(chain([])).intact], [true, true])
})

test('one changed byte of any entry is found, and named by its sequence', () => {
  for (let sequence = 1; sequence <= COUNT; sequence++) {
    for (const at of [0, 1, 20, 33, 34, 60, 120]) {
      const environment = chain()
      const value = Buffer.from(environment.get('audit', sequenceKey(sequence))!)
      value[at] = value[at]! ^ 1
      tamper(environment, (batch) => batch.put('audit', sequenceKey(sequence), value))
      assert.equal(brokenAt(environment), sequence, `byte ${at}`)
    }
  }
})

test('an entry that is taken out, moved or put in is found', () => {
  for (let sequence = 1; sequence <= COUNT; sequence++) {
    const environment = chain()
    tamper(environment, (batch) => batch.delete('audit', sequenceKey(sequence)))
    assert.equal(brokenAt(environment), sequence)
  }
  const moved = chain()
  tamper(moved, (batch) => {
    batch.put('audit', sequenceKey(3), moved.get('audit', sequenceKey(4))!)
    batch.put('audit', sequenceKey(4), moved.get('audit', sequenceKey(3))!)
  })
  assert.equal(brokenAt(moved), 3)
  const longer = chain()
  tamper(longer, (batch) => batch.put('audit', sequenceKey(COUNT + 1), longer.get('audit', sequenceKey(2))!))
  assert.equal(brokenAt(longer), COUNT + 1)
})

test('a cut end is found by the head, and with a head that was cut too by what was noted elsewhere', () => {
  const environment = chain()
  const noted = { ...decodeHead(environment.get('audit_meta', headKey)), place: 'shard 0' }
  const cut = chain(['job 1', 'job 2'])
  tamper(environment, (batch) => {
    for (let i = 3; i <= COUNT; i++) batch.delete('audit', sequenceKey(i))
  })
  assert.equal(brokenAt(environment), 3)
  tamper(environment, (batch) => {
    batch.put('audit_meta', headKey, cut.get('audit_meta', headKey)!)
    for (let i = 3; i <= COUNT; i++) batch.delete('audit_times', timesKey(anEntry().atMicros, i))
  })
  assert.equal(brokenAt(environment), undefined)
  assert.equal(proveChain(environment, [noted]).broken?.sequence, 3)
})

test('a history that was written anew is found by what was noted elsewhere', () => {
  const noted = { ...decodeHead(chain().get('audit_meta', headKey)), place: 'the operator' }
  const anew = chain(['another job', ...Array.from({ length: COUNT + 3 }, (_, i) => `job ${i + 2}`)])
  assert.equal(brokenAt(anew), undefined)
  const { broken } = proveChain(anew, [noted])
  assert.deepEqual([broken?.sequence, broken?.reason.includes('the operator')], [COUNT, true])
})

test('a head that was changed is found', () => {
  const environment = chain()
  tamper(environment, (batch) =>
    batch.put('audit_meta', headKey, encodeHead({ count: COUNT, hash: Buffer.alloc(32, 7) })),
  )
  assert.equal(brokenAt(environment), COUNT)
})

test('an entry that the index does not show any more is found', () => {
  const environment = chain()
  const { atMicros } = auditEntries(environment)[4]!
  tamper(environment, (batch) => batch.delete('audit_times', timesKey(atMicros, 5)))
  assert.equal(brokenAt(environment), 5)
  const other = chain()
  tamper(other, (batch) => batch.put('audit_times', timesKey(atMicros + 1, 5), Buffer.alloc(48)))
  assert.notEqual(brokenAt(other), undefined)
})
